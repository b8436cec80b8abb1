import { describe, expect, test } from "vitest";
import { FakeRepository, snapshotOf } from "../testing/fake_engine.ts";
import { KeptSnapshots } from "./kept_snapshots.ts";

const { signal } = new AbortController();

function filled() {
  const repository = new FakeRepository();
  repository.snapshots = [1, 2, 3, 4, 5].map((n) => snapshotOf(n));
  return repository;
}

async function walk(kept: KeptSnapshots): Promise<readonly string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await kept.page({}, { limit: 2, ...(after === undefined ? {} : { after }) }, signal);
    seen.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return seen;
}

describe("KeptSnapshots", () => {
  test("ask the engine once for all pages", async () => {
    const repository = filled();
    expect(await walk(new KeptSnapshots(repository))).toEqual(["s5", "s4", "s3", "s2", "s1"]);
    expect(repository.asked).toEqual(["list"]);
  });

  test("ask it anew for a first page", async () => {
    const repository = filled();
    const kept = new KeptSnapshots(repository);
    await kept.page({}, { limit: 2 }, signal);
    repository.snapshots = [...repository.snapshots, snapshotOf(6)];
    expect((await kept.page({}, { limit: 1 }, signal)).items.map(({ id }) => id)).toEqual(["s6"]);
  });

  test("go on from the cursor when the list is not kept any more", async () => {
    const repository = filled();
    const { next = "" } = await new KeptSnapshots(repository).page({}, { limit: 3 }, signal);
    const page = await new KeptSnapshots(repository).page({}, { limit: 3, after: next }, signal);
    expect(page.items.map(({ id }) => id)).toEqual(["s2", "s1"]);
  });

  test("do not answer one filter with the list of another", async () => {
    const repository = filled();
    const kept = new KeptSnapshots(repository);
    const { next = "" } = await kept.page({}, { limit: 2 }, signal);
    await kept.page({ hostname: "other" }, { limit: 2, after: next }, signal);
    expect(repository.asked).toEqual(["list", "list"]);
  });
});

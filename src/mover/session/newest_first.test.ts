import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { snapshotOf } from "../testing/fake_engine.ts";
import { pageOfSnapshots, newestFirst as sorted } from "./newest_first.ts";
import type { PageQuery } from "./question.ts";

const newestFirst = (list: readonly Snapshot[], query: PageQuery) => pageOfSnapshots(sorted(list), query);
const snapshots = [1, 2, 3, 4].map((n) => snapshotOf(n));

describe("pageOfSnapshots()", () => {
  test("gives the newest, and the way on", () => {
    const first = newestFirst(snapshots, { limit: 3 });
    expect(first.items.map(({ id }) => id)).toEqual(["s4", "s3", "s2"]);
    const second = newestFirst(snapshots, { limit: 3, after: first.next ?? "" });
    expect(second.items.map(({ id }) => id)).toEqual(["s1"]);
    expect(second.next).toBeUndefined();
  });

  test("goes on when the snapshot of the cursor is gone and newer ones have come", () => {
    const { next = "" } = newestFirst(snapshots, { limit: 2 });
    const now = [...snapshots.filter(({ id }) => id !== "s3"), snapshotOf(5)];
    expect(newestFirst(now, { limit: 9, after: next }).items.map(({ id }) => id)).toEqual(["s2", "s1"]);
  });

  test("tells snapshots of one moment apart", () => {
    const startedAt = "2026-01-01T00:00:00.5Z";
    const same = ["b", "a", "c"].map((id) => snapshotOf(1, { id, startedAt }));
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = newestFirst(same, { limit: 1, ...(after === undefined ? {} : { after }) });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(["a", "b", "c"]);
  });

  test("refuses a cursor that is none", () => {
    expect(() => newestFirst(snapshots, { limit: 1, after: "s3" })).toThrow("after is not what a page");
  });
});

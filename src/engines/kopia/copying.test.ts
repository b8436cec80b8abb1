import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RUN_TAG } from "../../wire/tags.ts";
import { failureOf } from "../testing/ground.ts";
import { companionOf } from "./companion.ts";
import { listing, printingKopia } from "./testing/printing_kopia.ts";

const made = (id: string, startTime: string, run: string) => ({
  ...{ id, startTime, source: { userName: "u", host: "h", path: "/p" } },
  ...{ rootEntry: { type: "d", obj: `k${id}` }, tags: { [`tag:${RUN_TAG}`]: run } },
});

test("what came along unasked is deleted again, and never what others stored there meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hf-copying-"));
  try {
    const wanted = made("s1", "2026-01-01T00:00:01Z", "one");
    const other = made("s2", "2026-01-01T00:00:02Z", "two");
    const theirs = made("d3", "2026-01-01T00:00:03Z", "three");
    const source = await printingKopia(folder, () => listing([wanted, other]));
    const destination = await printingKopia(folder, (_, earlier) =>
      earlier.includes("snapshot migrate")
        ? listing([{ ...wanted, id: "d1" }, { ...other, id: "d2" }, theirs])
        : "[]",
    );
    const filter = { run: "one" };
    expect(await source.kopia.copyTo(destination.kopia, { filter })).toEqual({ copied: 1, alreadyThere: 0 });
    expect(destination.commands.at(-1)).toBe("snapshot delete d2");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("data whose companion does not get there has not arrived, and is copied again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hf-copying-"));
  try {
    const data = made("s1", "2026-01-01T00:00:02Z", "one");
    const { username, hostname, path } = companionOf({ username: "u", hostname: "h", path: "/p" });
    const source = { userName: username, host: hostname, path };
    const companion = { ...made("c1", "2026-01-01T00:00:01Z", "one"), source };
    const from = await printingKopia(folder, () => listing([data, companion]));
    const alone = listing([{ ...data, id: "d1" }]);
    const failing = await printingKopia(folder, (_, earlier) =>
      earlier.includes("snapshot migrate") ? alone : "[]",
    );
    expect(await failureOf(from.kopia.copyTo(failing.kopia))).toMatchObject({
      class: "EngineFailed",
      message: expect.stringContaining("1 did not arrive, such as one of u@h:/p"),
    });
    const next = await printingKopia(folder, (_, earlier) =>
      earlier.includes("snapshot migrate") ? listing([data, companion]) : alone,
    );
    expect(await from.kopia.copyTo(next.kopia)).toEqual({ copied: 1, alreadyThere: 0 });
    expect(next.commands).toContain("snapshot migrate");
    expect(await from.kopia.copyTo(next.kopia)).toEqual({ copied: 0, alreadyThere: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

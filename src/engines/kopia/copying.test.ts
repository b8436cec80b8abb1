import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RUN_TAG } from "../../wire/tags.ts";
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

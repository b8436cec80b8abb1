import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { companionOf } from "./companion.ts";
import { entryIn, freedSince, problemsIn } from "./maintaining.ts";
import { listing, printingKopia } from "./testing/printing_kopia.ts";

test.each([
  ["Full", ["maintenance info", "snapshot list", "snapshot delete lonely", "blob stats"]],
  ["Quick", ["maintenance info", "maintenance run"]],
] as const)("%s maintenance runs %j first", async (mode, wanted) => {
  const folder = await mkdtemp(join(tmpdir(), "hf-maintaining-"));
  try {
    const { kopia, commands, clock } = await printingKopia(folder, (command) =>
      command === "maintenance info" ? JSON.stringify({ owner: "holdfast@holdfast" }) : listing(manifests),
    );
    const at = (daysAgo: number) => new Date(clock.now() - daysAgo * 86_400_000).toISOString();
    const { username } = companionOf({ username: "u", hostname: "h", path: "/p" });
    const manifests = [
      { id: "lonely", startTime: at(29), source: { userName: username, host: "h", path: "/p" } },
      { id: "data", startTime: at(0), source: { userName: "u", host: "h", path: "/other" } },
    ];
    await kopia.maintain({ mode });
    expect(commands.slice(0, wanted.length)).toEqual(wanted);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const ENTRY = "error processing u@h:/data@2026-11-16 10:00:00 UTC/";
const AWAY = `${ENTRY}a: error reading object k1: unable to complete GetBlob(p1) despite 10 retries: Get "http://s3/b/p1": dial tcp: connection refused`;
const DAMAGED = `${ENTRY}InternalError.java: object k2 is backed by missing blob p2`;
const WORN = `${ENTRY}b: error reading object k3: unable to complete GetBlobFromPath:/r/p3 despite 10 retries: read /r/p3: input/output error`;
const UNKNOWN = `${ENTRY}c: something new, timed out`;

test("what a quick run has freed is what the tasks note that were not noted before", () => {
  const run = (start: string, ...data: unknown[]) => ({
    start,
    extra: data.map((one) => ({ kind: "k", data: one })),
  });
  const info = (runs: object) => ({ owner: "o", schedule: { runs } });
  const packs = run("01:00", { deletedBlobCount: 2, deletedTotalSize: 700 });
  const logs = run("02:00", { deletedBlobSize: 30, retainedBlobSize: 9 });
  const before = info({ "delete-blobs": [packs] });
  const after = info({
    "cleanup-logs": [logs],
    "delete-blobs": [run("02:00", { deletedTotalSize: 5 }), packs],
    "advance-epoch": [run("02:00", null)],
  });
  expect(freedSince(before, after)).toBe(35);
  expect(freedSince(after, after)).toBe(0);
  expect(freedSince(undefined, { schedule: { runs: null } })).toBe(0);
});

test("what is damaged is a problem, and a storage that goes away meanwhile is none", () => {
  expect(problemsIn("", "checking")).toEqual([]);
  const damage = [DAMAGED, WORN, UNKNOWN];
  expect(problemsIn([AWAY, ...damage, "encountered 4 errors"].join("\n"), "checking")).toEqual(damage);
  expect(() => problemsIn(`${AWAY}\nencountered 1 error`, "checking")).toThrowError(
    expect.objectContaining({ class: "Unreachable" }),
  );
});

test.each([
  [DAMAGED, "InternalError.java"],
  [`${ENTRY}sub/with @ and : in it: object k2 is backed by missing blob p2`, "sub/with @ and : in it"],
  ["error processing u@h:/data@2026-11-16 10:00:00 UTC: error reading directory: lost", ""],
])("%s is about %j", (line, path) => {
  expect(entryIn(line)).toBe(path);
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { companionOf } from "./companion.ts";
import { problemsIn } from "./maintaining.ts";
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

const AWAY =
  'error processing "a": unable to complete GetBlob(p1) despite 10 retries: Get "http://s3/b/p1": dial tcp: connection refused';
const DAMAGED = 'error processing "b": object k1 is backed by missing blob p2';

test("what is damaged is a problem, and a storage that goes away meanwhile is none", () => {
  expect(problemsIn("", "checking")).toEqual([]);
  expect(problemsIn(`${AWAY}\n${DAMAGED}\nencountered 2 errors`, "checking")).toEqual([DAMAGED]);
  expect(() => problemsIn(`${AWAY}\nencountered 1 error`, "checking")).toThrowError(
    expect.objectContaining({ class: "Unreachable" }),
  );
});

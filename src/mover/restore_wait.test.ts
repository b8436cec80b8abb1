import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock as clock } from "../lib/clock.ts";
import { restoreWait, waitedFor } from "./restore_wait.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restores-"));
  for (const name of ["data", "logs"]) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true }));

function mark(volume: string, uid: string): void {
  mkdirSync(join(folder, volume, ".velero"), { recursive: true });
  writeFileSync(join(folder, volume, ".velero", uid), "");
}

test("a pod waits until every volume has the mark of its restore, which then goes", async () => {
  const said: string[] = [];
  mark("data", "u1");
  mark("logs", "u0");
  const stop = new AbortController();
  const say = (line: string) => {
    said.push(line);
    mark("logs", "u1");
  };
  expect(await restoreWait({ folder, uid: "u1", clock, signal: stop.signal, say })).toBe(0);
  expect(said).toEqual(["Waiting for the data of logs.\n"]);
  expect(["data", "logs"].map((name) => existsSync(join(folder, name, ".velero")))).toEqual([false, false]);
});

test("a pod that is told to end does not start", async () => {
  const stop = new AbortController();
  const say = () => stop.abort();
  expect(await restoreWait({ folder, uid: "u1", clock, signal: stop.signal, say })).toBe(1);
});

test.each([
  ["ENOENT", "data"],
  [
    "EACCES",
    "data (this user may not look into it: let the init container run as root, or as the owner of the volume)",
  ],
])("waitedFor() says why a mark is not seen: %s", (code, expected) => {
  expect(waitedFor("data", code)).toBe(expected);
});

test("nobody waits for a restore without a name", async () => {
  const { signal } = new AbortController();
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  expect(await restoreWait({ folder, uid: undefined, clock, signal, say })).toBe(2);
  expect(said).toEqual(["restore-wait needs the UID of a restore.\n"]);
});

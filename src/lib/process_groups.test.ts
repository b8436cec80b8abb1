import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemProcessGroups as groups } from "./process_groups.ts";
import { parseIdentity } from "./process_identity.ts";

const folder = mkdtempSync(join(tmpdir(), "groups-"));
const env = { PATH: process.env.PATH ?? "" };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (script: string) => groups.start("sh", ["-c", script], { env, cwd: folder });

test("a started program leads a group of its own, and is alive until it is killed with all of it", async () => {
  const leader = await start("sleep 100 & echo $! > child; wait");
  expect(groups.alive(leader)).toBe(true);
  expect(execFileSync("ps", ["-o", "pgid=", "-p", String(leader.pid)], { encoding: "utf8" }).trim()).toBe(
    String(leader.pid),
  );
  await expect.poll(() => readFileSync(join(folder, "child"), "utf8")).toMatch(/\d+\n/);
  const child = Number(readFileSync(join(folder, "child"), "utf8"));
  groups.kill(leader);
  await expect.poll(() => groups.alive(leader)).toBe(false);
  await expect.poll(() => isThere(child)).toBe(false);
});

test("a program that is asked to end may take its leave", async () => {
  const leader = await start(
    "trap 'echo asked > asked; exit' TERM; echo > ready; while :; do sleep 0.01; done",
  );
  await expect.poll(() => readFileSync(join(folder, "ready"), "utf8")).toBe("\n");
  groups.terminate(leader);
  await expect.poll(() => groups.alive(leader)).toBe(false);
  expect(readFileSync(join(folder, "asked"), "utf8")).toBe("asked\n");
});

test("a later process with the same pid is not taken for the one that was", async () => {
  const leader = await start("sleep 100");
  const other = { ...leader, started: `0@${leader.started.split("@")[1]}` };
  groups.kill(other);
  expect(groups.alive(other)).toBe(false);
  expect(groups.alive(leader)).toBe(true);
  groups.kill(leader);
  await expect.poll(() => groups.alive(leader)).toBe(false);
});

test("what a process writes down of itself names it", async () => {
  const leader = await start("cat /proc/$$/stat /proc/sys/kernel/random/boot_id > self; sleep 100");
  await expect.poll(() => parseIdentity(readFileSync(join(folder, "self"), "utf8"))).toEqual(leader);
  groups.kill(leader);
});

test("half a record names nobody", () => {
  expect(parseIdentity("")).toBeUndefined();
  expect(parseIdentity("12 (a) b) S 1")).toBeUndefined();
});

test("a program that does not exist is not started", async () => {
  await expect(groups.start("/not/there", [], { env, cwd: folder })).rejects.toThrow(
    "/not/there could not be started",
  );
});

function isThere(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

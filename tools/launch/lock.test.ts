import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive, withLock } from "./lock.mjs";
import { processStart } from "./process_start.mjs";
import { calm, recordedProgress, temporaryFolder } from "./testing.ts";

async function writeOwner(lock: string, owner: object): Promise<void> {
  await mkdir(lock, { recursive: true });
  await writeFile(join(lock, "owner.json"), JSON.stringify({ host: hostname(), task: "old work", ...owner }));
}

test("withLock() lets one in at a time, and leaves nothing behind", async () => {
  const folder = await temporaryFolder();
  const options = { task: "work", progress: recordedProgress(), signal: calm };
  let inside = 0;
  let most = 0;
  const enter = (name: string) =>
    withLock(join(folder, "lock"), options, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
      return name;
    });
  expect(await Promise.all(["a", "b", "c", "d"].map(enter))).toEqual(["a", "b", "c", "d"]);
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("withLock() says whom it waits for", async () => {
  const lock = join(await temporaryFolder(), "lock");
  const { promise: waiting, resolve: waits } = Promise.withResolvers<string>();
  const progress = {
    say: () => {},
    step<T>(label: string, work: () => Promise<T>): Promise<T> {
      waits(label);
      return work();
    },
  };
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const first = withLock(lock, { task: "npm ci", progress, signal: calm }, () => {
    enter();
    return waiting;
  });
  await entered;
  await withLock(lock, { task: "npm ci", progress, signal: calm }, async () => {});
  expect(await first).toBe(`waiting for process ${process.pid} (npm ci)`);
});

test("withLock() lets go when the work fails", async () => {
  const lock = join(await temporaryFolder(), "lock");
  const options = { task: "work", progress: recordedProgress(), signal: calm };
  await expect(withLock(lock, options, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await withLock(lock, options, async () => "again")).toBe("again");
  expect(options.progress.lines).toEqual([]);
});

test("withLock() takes the lock of a dead process over", async () => {
  const lock = join(await temporaryFolder(), "lock");
  const child = spawn(process.execPath, ["-e", ""]);
  const pid = child.pid ?? 0;
  const started = await processStart(pid);
  await once(child, "exit");
  await writeOwner(lock, { pid, started });
  const progress = recordedProgress();
  expect(await withLock(lock, { task: "work", progress, signal: calm }, async () => "mine")).toBe("mine");
  expect(progress.lines).toEqual([]);
});

test("withLock() takes over when the owner's process ID was given to another process", async () => {
  const lock = join(await temporaryFolder(), "lock");
  await writeOwner(lock, { pid: process.pid, started: "long ago" });
  const options = { task: "work", progress: recordedProgress(), signal: calm };
  expect(await withLock(lock, options, async () => "mine")).toBe("mine");
});

test("withLock() takes an empty lock folder, left by an owner that died while letting go", async () => {
  const lock = join(await temporaryFolder(), "lock");
  await mkdir(lock);
  const options = { task: "work", progress: recordedProgress(), signal: calm };
  expect(await withLock(lock, options, async () => "mine")).toBe("mine");
});

test("withLock() stops waiting when aborted, and leaves the lock to its owner", async () => {
  const lock = join(await temporaryFolder(), "lock");
  await writeOwner(lock, { pid: process.pid, started: await processStart(process.pid) });
  const controller = new AbortController();
  const progress = recordedProgress();
  const waiting = withLock(lock, { task: "work", progress, signal: controller.signal }, async () => "mine");
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  expect(await readdir(lock)).toEqual(["owner.json"]);
});

test("isAlive() gives an owner on another machine a minute of silence", async () => {
  const owner = { pid: 1, started: "1", host: "elsewhere", task: "work" };
  expect(await isAlive(owner, 59_999)).toBe(true);
  expect(await isAlive(owner, 60_000)).toBe(false);
});

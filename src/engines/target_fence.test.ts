import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import type { RestoreOptions } from "./engine.ts";
import { FENCE_MARK, fenced } from "./target_fence.ts";

const NOBODY = 65_534;

let target: string;
let clock: VirtualClock;

beforeEach(async () => {
  target = await mkdtemp(join(tmpdir(), "fence-"));
  clock = new VirtualClock();
});
afterEach(() => rm(target, { recursive: true, force: true }));

const marks = async () => (await readdir(target)).toSorted();
const soon = <T>(state: () => T | Promise<T>) => expect.poll(state, { interval: 5, timeout: 20_000 });
/** Nobody does anything before the clock goes on: so many wait for it. */
const waiting = (count: number) => soon(() => clock.pendingTimers).toBe(count);

/** A restore that goes on until it is told to end or that it is done. */
function restore(run: string, { ended = [] as readonly string[], mayVanish = false } = {}) {
  const done = Promise.withResolvers<string>();
  const state = { begun: false, stopped: false };
  const options: RestoreOptions = { snapshot: "s", target, fence: { run, ended } };
  const result = fenced(options, { what: "restoring", clock, mayVanish }, async ({ signal }) => {
    state.begun = true;
    signal?.addEventListener("abort", () => {
      state.stopped = true;
      done.reject(signal.reason);
    });
    return done.promise;
  });
  result.catch(() => {});
  return { state, result, done: () => done.resolve(run) };
}

/** As somebody whom modes of files concern. */
async function unprivileged(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  await chown(target, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("a restore leaves nothing in its target", async () => {
  const only = restore("one");
  for (let looks = 0; looks < 3; looks++) {
    await waiting(1);
    expect(await marks()).toEqual([`${FENCE_MARK}one`]);
    await clock.advance(5000);
  }
  expect((await stat(join(target, `${FENCE_MARK}one`))).mode & 0o777).toBe(0o644);
  only.done();
  expect(await only.result).toBe("one");
  expect(await marks()).toEqual([]);
});

test("a restore that has set its target's times and made it read-only leaves it like that", async () => {
  await unprivileged(async () => {
    const only = restore("one");
    await waiting(1);
    await chmod(target, 0o555);
    await utimes(target, 1000.5, 2000.25);
    only.done();
    expect(await only.result).toBe("one");
    const { mode, atimeMs, mtimeMs } = await stat(target);
    expect([mode & 0o777, atimeMs, mtimeMs]).toEqual([0o555, 1_000_500, 2_000_250]);
    expect(await marks()).toEqual([]);
  });
});

test("a mover that was given up stops before the next one begins", async () => {
  const first = restore("one");
  await waiting(1);
  const second = restore("two");
  await waiting(2);
  expect(second.state.begun).toBe(false);
  await clock.advance(5000);
  await expect(first.result).rejects.toMatchObject({ class: "Interrupted" });
  expect(first.state).toEqual({ begun: true, stopped: true });
  await clock.advance(24_999);
  expect(second.state.begun).toBe(false);
  await clock.advance(1);
  await soon(() => second.state).toEqual({ begun: true, stopped: false });
  second.done();
  expect(await second.result).toBe("two");
  expect(await marks()).toEqual([]);
});

test("one that wakes up when the next is done stops, too", async () => {
  const first = restore("one");
  await waiting(1);
  await rm(join(target, `${FENCE_MARK}one`));
  await clock.advance(5000);
  await soon(() => first.state.stopped).toBe(true);
  expect(await marks()).toEqual([]);
});

test("nobody waits for a run that is known to have ended", async () => {
  await writeFile(join(target, `${FENCE_MARK}one`), "");
  const second = restore("two", { ended: ["one"] });
  await soon(() => second.state.begun).toBe(true);
  expect(await marks()).toEqual([`${FENCE_MARK}two`]);
  second.done();
  await second.result;
});

test("what is called like a mark and is no file is not one", async () => {
  await mkdir(join(target, `${FENCE_MARK}folder`));
  await symlink("nowhere", join(target, `${FENCE_MARK}link`));
  const only = restore("one");
  await soon(() => only.state.begun).toBe(true);
  only.done();
  await only.result;
  expect(await marks()).toEqual([`${FENCE_MARK}folder`, `${FENCE_MARK}link`]);
});

test("a mark that the engine itself may have removed is put back, unless another is there", async () => {
  const first = restore("one", { mayVanish: true });
  await waiting(1);
  await rm(join(target, `${FENCE_MARK}one`));
  await clock.advance(5000);
  await waiting(1);
  expect(await marks()).toEqual([`${FENCE_MARK}one`]);
  const second = restore("two", { mayVanish: true });
  await waiting(2);
  await clock.advance(5000);
  await soon(() => first.state.stopped).toBe(true);
  await clock.advance(25_000);
  await soon(() => second.state).toEqual({ begun: true, stopped: false });
  second.done();
  await second.result;
});

test("who cannot see whether another is there goes on, and begins nothing", async () => {
  await unprivileged(async () => {
    const first = restore("one", { mayVanish: true });
    await waiting(1);
    await rm(join(target, `${FENCE_MARK}one`));
    await chmod(target, 0o300);
    await clock.advance(5000);
    await waiting(1);
    expect(first.state).toEqual({ begun: true, stopped: false });
    await expect(stat(join(target, `${FENCE_MARK}one`))).rejects.toMatchObject({ code: "ENOENT" });
    first.done();
    await first.result;

    const second = restore("two");
    await expect(second.result).rejects.toMatchObject({ class: "TargetNotWritable" });
    expect(second.state.begun).toBe(false);
    await chmod(target, 0o700);
    expect(await marks()).toEqual([]);
  });
});

test("a target that cannot be written is no target", async () => {
  const gone = fenced(
    { snapshot: "s", target: join(target, "none"), fence: { run: "one", ended: [] } },
    { what: "restoring", clock },
    async () => "done",
  );
  await expect(gone).rejects.toMatchObject({ class: "TargetNotWritable" });
});

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import type { RestoreOptions } from "./engine.ts";
import { FENCE_MARK, fenced } from "./target_fence.ts";

let target: string;
let clock: VirtualClock;

beforeEach(async () => {
  target = await mkdtemp(join(tmpdir(), "fence-"));
  clock = new VirtualClock();
});
afterEach(() => rm(target, { recursive: true, force: true }));

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
};
const marks = async () => (await readdir(target)).toSorted();

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

test("a restore leaves nothing in its target", async () => {
  const only = restore("one");
  await turns();
  expect(await marks()).toEqual([`${FENCE_MARK}one`]);
  await clock.advance(60_000);
  await turns();
  only.done();
  expect(await only.result).toBe("one");
  expect(await marks()).toEqual([]);
});

test("a mover that was given up stops before the next one begins", async () => {
  const first = restore("one");
  await turns();
  const second = restore("two");
  await turns();
  expect(second.state.begun).toBe(false);
  await clock.advance(5000);
  await turns();
  expect(first.state).toEqual({ begun: true, stopped: true });
  await expect(first.result).rejects.toMatchObject({ class: "Interrupted" });
  expect(second.state.begun).toBe(false);
  await clock.advance(25_000);
  await turns();
  expect(second.state).toEqual({ begun: true, stopped: false });
  second.done();
  expect(await second.result).toBe("two");
  expect(await marks()).toEqual([]);
});

test("one that wakes up when the next is done stops, too", async () => {
  const first = restore("one");
  await turns();
  await rm(join(target, `${FENCE_MARK}one`));
  await clock.advance(5000);
  await turns();
  expect(first.state.stopped).toBe(true);
  expect(await marks()).toEqual([]);
});

test("nobody waits for a run that is known to have ended", async () => {
  await writeFile(join(target, `${FENCE_MARK}one`), "");
  const second = restore("two", { ended: ["one"] });
  await turns();
  expect(second.state.begun).toBe(true);
  expect(await marks()).toEqual([`${FENCE_MARK}two`]);
  second.done();
  await second.result;
});

test("a mark that the engine itself may have removed is put back, unless another is there", async () => {
  const first = restore("one", { mayVanish: true });
  await turns();
  await rm(join(target, `${FENCE_MARK}one`));
  await clock.advance(5000);
  await turns();
  expect(await marks()).toEqual([`${FENCE_MARK}one`]);
  const second = restore("two", { mayVanish: true });
  await turns();
  await clock.advance(5000);
  await turns();
  expect([first.state.stopped, second.state.stopped]).toEqual([true, false]);
  second.done();
});

test("a target that cannot be written is no target", async () => {
  const gone = fenced(
    { snapshot: "s", target: join(target, "none"), fence: { run: "one", ended: [] } },
    { what: "restoring", clock },
    async () => "done",
  );
  await expect(gone).rejects.toMatchObject({ class: "TargetNotWritable" });
});

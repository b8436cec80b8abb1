import { expect, test } from "vitest";
import { type StartRun, WaitingRun } from "./waiting_run.ts";

/** Stands for kopia: makes something once it may, and is ended by force when it may not. */
function kopia() {
  const state = { made: false, over: false };
  const start: StartRun<string> = async (may) => {
    try {
      await may;
      state.made = true;
      return "a snapshot";
    } catch {
      throw new Error("kopia was ended");
    } finally {
      state.over = true;
    }
  };
  return { start, state };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

test("nothing is made before it is wanted", async () => {
  const { start, state } = kopia();
  const waiting = new WaitingRun(start, undefined);
  await turn();
  expect(state).toEqual({ made: false, over: false });
  waiting.allow();
  expect(await waiting.done(never)).toBe("a snapshot");
  expect(state).toEqual({ made: true, over: true });
});

test("one that is not wanted is gone, and has made nothing", async () => {
  const { start, state } = kopia();
  const waiting = new WaitingRun(start, undefined);
  await waiting.drop();
  expect(state).toEqual({ made: false, over: true });
});

test("a cancelled one does not wait any longer", async () => {
  const { start, state } = kopia();
  const stop = new AbortController();
  const waiting = new WaitingRun(start, stop.signal);
  stop.abort();
  await turn();
  expect(state).toEqual({ made: false, over: true });
  await expect(waiting.done(stop.signal)).rejects.toThrow("kopia was ended");
});

test("one that failed before it was wanted is told of by whoever wants it", async () => {
  const waiting = new WaitingRun(() => Promise.reject(new Error("full")), undefined);
  await turn();
  waiting.allow();
  await expect(waiting.done(never)).rejects.toThrow("full");
});

test("one that is wanted by work which is over already makes nothing", async () => {
  const { start, state } = kopia();
  const waiting = new WaitingRun(start, undefined);
  await expect(waiting.done(AbortSignal.abort())).rejects.toThrow("kopia was ended");
  expect(state.made).toBe(false);
});

test("it ends with the work that it is a part of", async () => {
  const aborted = Promise.withResolvers<unknown>();
  const start: StartRun<void> = (_may, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(signal.reason);
        reject(new Error("ended"));
      });
    });
  const waiting = new WaitingRun(start, undefined);
  const work = new AbortController();
  waiting.allow();
  const done = waiting.done(work.signal);
  work.abort("the data failed");
  await expect(done).rejects.toThrow("ended");
  expect(await aborted.promise).toBe("the data failed");
});

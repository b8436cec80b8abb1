import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Patience, type PatienceOptions } from "./patience.ts";

const TRANSIENT = "Load(<config/0000000000>) returned error, retrying after 1s: dial tcp: connection refused";
const MISSING = "Load(<snapshot/01>, 0, 0) returned error, retrying after 1s: <snapshot/01> does not exist";
const HOPELESS = "Save(<data/0123456789>) returned error, retrying after 1s: no space left on device";

function patience(options: PatienceOptions) {
  const clock = new VirtualClock();
  const waiting = new Patience(clock, options, { standstillMs: 5000 });
  let ends = 0;
  waiting.onEnd(() => {
    ends += 1;
  });
  return { clock, waiting, ends: () => ends };
}

test("what may pass is waited for, unless someone waits", () => {
  const long = patience({});
  const short = patience({ patience: "Short" });
  for (let i = 0; i < 3; i++) {
    expect([long.waiting.lost, short.waiting.lost]).toEqual([undefined, undefined]);
    long.waiting.retried(TRANSIENT);
    short.waiting.retried(TRANSIENT);
  }
  expect([long.ends(), short.ends()]).toEqual([0, 1]);
  expect(short.waiting.lost).toBe("");
});

test("what waiting cannot cure is not waited for", () => {
  const { waiting, ends } = patience({});
  for (let i = 0; i < 3; i++) waiting.retried(HOPELESS);
  expect(ends()).toBe(1);
});

test("what restic itself asks a few times only is left to it", () => {
  const { waiting, ends } = patience({ patience: "Short" });
  for (let i = 0; i < 4; i++) waiting.retried(MISSING);
  expect(ends()).toBe(0);
});

test("silence ends it, and a word prolongs it", async () => {
  const { clock, waiting, ends } = patience({ silenceMs: 1000 });
  await clock.advance(900);
  waiting.heard();
  await clock.advance(900);
  expect(ends()).toBe(0);
  await clock.advance(100);
  expect(ends()).toBe(1);
  expect(waiting.lost).toBe("nothing was heard for 1 s: i/o timeout\n");
});

test("an end that came before anyone was told is told at once", () => {
  const waiting = new Patience(new VirtualClock(), { patience: "Short" });
  for (let i = 0; i < 3; i++) waiting.retried(TRANSIENT);
  let ended = false;
  waiting.onEnd(() => {
    ended = true;
  });
  expect(ended).toBe(true);
});

test("nothing is waited for once it has ended", async () => {
  const { clock, waiting, ends } = patience({ silenceMs: 1000 });
  waiting.done();
  await clock.advance(5000);
  expect(ends()).toBe(0);
});

test("what stands still is ended, whatever it says of the time", async () => {
  const { clock, waiting, ends } = patience({ mustMove: () => true });
  for (let seconds = 1; seconds <= 6; seconds++) {
    await clock.advance(1000);
    waiting.seen({ message_type: "status", seconds_elapsed: seconds, bytes_done: seconds < 4 ? seconds : 3 });
    waiting.heard();
  }
  expect(ends()).toBe(0);
  await clock.advance(2000);
  expect(ends()).toBe(1);
  expect(waiting.lost).toContain("let nothing pass for 5 s");
});

test("what need not move yet is waited for all day, and ended then", async () => {
  const { clock, waiting, ends } = patience({ mustMove: ({ bytes_done }) => bytes_done !== undefined });
  await clock.advance(95 * 5000);
  waiting.seen({ message_type: "status" });
  await clock.advance(96 * 5000 - 1);
  expect(ends()).toBe(0);
  await clock.advance(1);
  expect(ends()).toBe(1);
  expect(waiting.lost).toContain("let nothing pass for 480 s");
});

test("what need not move yet is ended sooner when it does nothing at all", async () => {
  const clock = new VirtualClock();
  const waiting = new Patience(clock, { mustMove: () => false }, { standstillMs: 5000 });
  let ended = false;
  const used = { cpuMs: 0, bytes: 0 };
  const end = () => {
    ended = true;
  };
  waiting.onEnd(end, () => ({ ...used }));
  // It reads, then it computes; what it says of that is always the same.
  for (const step of [{ bytes: 100_000 }, { cpuMs: 5 }]) {
    Object.assign(used, step);
    await clock.advance(5000);
    waiting.seen({ message_type: "status" });
    expect(ended).toBe(false);
  }
  // To say so takes next to nothing.
  Object.assign(used, { cpuMs: 9, bytes: 103_000 });
  await clock.advance(5000);
  expect(ended).toBe(true);
  expect(waiting.lost).toContain("let nothing pass for");
});

test("what need not say how far it is is ended when it does nothing at all", async () => {
  const clock = new VirtualClock();
  const waiting = new Patience(clock, {}, { standstillMs: 5000, limits: { download: 2000 } });
  let ended = false;
  let bytes = 0;
  const end = () => {
    ended = true;
  };
  waiting.onEnd(end, () => ({ cpuMs: 0, bytes }));
  bytes = 5000;
  await clock.advance(5000);
  waiting.pause();
  await clock.advance(60_000);
  waiting.resume();
  await clock.advance(9999);
  expect(ended).toBe(false);
  await clock.advance(1);
  expect(ended).toBe(true);
  expect(waiting.lost).toContain("let nothing pass for 5 s");
});

test("a reader that takes his time is not the storage", async () => {
  const { clock, waiting, ends } = patience({ mustMove: () => true });
  waiting.seen({ bytes_read: 1 });
  waiting.pause();
  await clock.advance(60_000);
  waiting.resume();
  await clock.advance(4999);
  expect(ends()).toBe(0);
  await clock.advance(1);
  expect(ends()).toBe(1);
});

test("what moves once has to go on", async () => {
  const { clock, waiting, ends } = patience({ mustMove: ({ bytes_done }) => bytes_done !== undefined });
  await clock.advance(95 * 5000);
  waiting.seen({ message_type: "status", bytes_done: 1 });
  await clock.advance(5000);
  expect(ends()).toBe(1);
});

test("what may stand still is not ended for it", async () => {
  const { clock, ends } = patience({});
  await clock.advance(600_000);
  expect(ends()).toBe(0);
});

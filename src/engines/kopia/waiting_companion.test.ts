import { expect, test } from "vitest";
import { type StoreRecord, WaitingCompanion } from "./waiting_companion.ts";

async function* lines(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Stands for kopia: reads its input to the end, and ends by force when that breaks. */
function kopia() {
  const read: string[] = [];
  const state = { over: false };
  const store: StoreRecord = async (record) => {
    try {
      for await (const part of record) read.push(Buffer.from(part).toString());
    } catch {
      throw new Error("kopia was ended");
    } finally {
      state.over = true;
    }
  };
  return { store, read, state };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("kopia has nothing of the record before the companion is wanted, and then all of it", async () => {
  const { store, read, state } = kopia();
  const waiting = new WaitingCompanion(store, lines("a", "b"), undefined);
  await turn();
  expect(read).toEqual([]);
  expect(state.over).toBe(false);
  await waiting.keep(new AbortController().signal);
  expect(read).toEqual(["a", "b"]);
});

test("a companion that is not wanted is gone, without a word of its record", async () => {
  const { store, read, state } = kopia();
  const waiting = new WaitingCompanion(store, lines("a"), undefined);
  await waiting.drop();
  expect(state.over).toBe(true);
  expect(read).toEqual([]);
});

test("a cancelled one does not wait any longer", async () => {
  const { store, state } = kopia();
  const stop = new AbortController();
  const waiting = new WaitingCompanion(store, lines("a"), stop.signal);
  stop.abort();
  await turn();
  expect(state.over).toBe(true);
  await expect(waiting.keep(stop.signal)).rejects.toThrow("kopia was ended");
});

test("a record that breaks off says why", async () => {
  const broken = (async function* (): AsyncIterable<Uint8Array> {
    yield Buffer.from("a");
    throw new Error("the source is gone");
  })();
  const waiting = new WaitingCompanion(kopia().store, broken, undefined);
  await expect(waiting.keep(new AbortController().signal)).rejects.toThrow("the source is gone");
});

test("a kopia that failed before it was wanted is told of by whoever wants it", async () => {
  const waiting = new WaitingCompanion(() => Promise.reject(new Error("full")), lines("a"), undefined);
  await turn();
  await expect(waiting.keep(new AbortController().signal)).rejects.toThrow("full");
});

test("one that is wanted by work which is over already gets nothing", async () => {
  const { store, read } = kopia();
  const waiting = new WaitingCompanion(store, lines("a"), undefined);
  await expect(waiting.keep(AbortSignal.abort())).rejects.toThrow("kopia was ended");
  expect(read).toEqual([]);
});

test("it ends with the work that it is a part of", async () => {
  const aborted = Promise.withResolvers<unknown>();
  const store: StoreRecord = (_record, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(signal.reason);
        reject(new Error("ended"));
      });
    });
  const waiting = new WaitingCompanion(store, lines("a"), undefined);
  const work = new AbortController();
  const kept = waiting.keep(work.signal);
  work.abort("the data failed");
  await expect(kept).rejects.toThrow("ended");
  expect(await aborted.promise).toBe("the data failed");
});

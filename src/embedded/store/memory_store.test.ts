import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Journal, JournalError } from "./journal.ts";
import { MemoryStore } from "./memory_store.ts";
import type { Change } from "./store.ts";
import { sample, sampleKey } from "./testing/sample.ts";
import { storeSuite } from "./testing/store_suite.ts";

storeSuite("a store in memory", (options) => new MemoryStore(options));

/** Keeps what it is given, or fails when told to. */
class ListJournal implements Journal {
  readonly batches: (readonly Change[])[] = [];
  broken = false;

  load() {
    return { revision: 41, objects: [] };
  }

  append(changes: readonly Change[]): void {
    if (this.broken) throw new JournalError("broken");
    this.batches.push(changes);
  }

  close(): void {}
}

const a = sampleKey("a");
const b = sampleKey("b");

test("writes of one turn share one append, and are seen only after it", async () => {
  const journal = new ListJournal();
  const store = new MemoryStore({ clock: new VirtualClock(), journal });
  const writes = [store.put(a, sample(a, "1"), undefined), store.put(b, sample(b, "1"), undefined)];
  expect(store.get(a)).toBeUndefined();
  expect(store.revision).toBe(41);
  await Promise.all(writes);
  expect(journal.batches.map((batch) => batch.map((change) => change.revision))).toEqual([[42, 43]]);
  expect(store.revision).toBe(43);
});

test("conflicts alone do not reach the journal", async () => {
  const journal = new ListJournal();
  const store = new MemoryStore({ clock: new VirtualClock(), journal });
  await expect(store.put(a, sample(a, "1"), "7")).rejects.toThrow("does not exist");
  expect(journal.batches).toEqual([]);
});

test("when the journal fails every write of the batch fails, and nothing is seen of them", async () => {
  const journal = new ListJournal();
  const store = new MemoryStore({ clock: new VirtualClock(), journal });
  const told: Change[] = [];
  store.subscribe((change) => told.push(change));
  journal.broken = true;
  const outcomes = await Promise.allSettled([
    store.put(a, sample(a, "1"), undefined),
    store.put(a, sample(a, "2"), undefined),
    store.put(b, sample(b, "1"), undefined),
  ]);
  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.name)).toEqual(
    Array(3).fill("JournalError"),
  );
  expect([store.revision, store.list("configmaps").objects, told]).toEqual([41, [], []]);

  journal.broken = false;
  await store.put(a, sample(a, "3"), undefined);
  expect(told.map((change) => change.revision)).toEqual([42]);
});

test("changes from before the start are unknown, those since are not", async () => {
  const store = new MemoryStore({ clock: new VirtualClock(), journal: new ListJournal() });
  expect(store.changesSince(40)).toBeUndefined();
  expect(store.changesSince(41)).toEqual([]);
});

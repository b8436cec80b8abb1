import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap, type HeapEntry } from "./heap.ts";

interface Entry extends HeapEntry {
  readonly rank: number;
}

test("a heap gives out in order whatever was pushed and not removed", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ rank: fc.nat(20), removed: fc.boolean() })), (items) => {
      const heap = new Heap<Entry>((a, b) => a.rank < b.rank);
      const entries = items.map(({ rank }) => ({ rank, index: -1 }));
      for (const entry of entries) heap.push(entry);
      entries.forEach((entry, i) => {
        if (items[i]?.removed) heap.remove(entry);
      });
      const expected = items.filter((item) => !item.removed).map((item) => item.rank);
      expect(heap.size).toBe(expected.length);
      const out: number[] = [];
      for (let entry = heap.pop(); entry; entry = heap.pop()) out.push(entry.rank);
      expect(out).toEqual(expected.sort((a, b) => a - b));
    }),
  );
});

test("removing an entry twice leaves the others alone", () => {
  const heap = new Heap<Entry>((a, b) => a.rank < b.rank);
  const first = { rank: 1, index: -1 };
  heap.push(first);
  heap.push({ rank: 2, index: -1 });
  heap.remove(first);
  heap.remove(first);
  expect(heap.peek()?.rank).toBe(2);
  expect(heap.size).toBe(1);
});

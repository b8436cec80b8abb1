import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../lib/clock.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { MemoryStoreOptions } from "../memory_store.ts";
import { type Change, type Store, StoreConflict, type Stored } from "../store.ts";
import { sample, sampleKey } from "./sample.ts";

export type OpenStore = (options: Omit<MemoryStoreOptions, "journal">) => Store;

/** What every store must do. */
export function storeSuite(name: string, open: OpenStore): void {
  async function withStore(
    use: (store: Store, clock: VirtualClock) => Promise<void>,
    options: Partial<MemoryStoreOptions> = {},
  ): Promise<void> {
    const clock = new VirtualClock();
    const store = open({ clock, ...options });
    try {
      await use(store, clock);
    } finally {
      store.close();
    }
  }

  describe(name, () => {
    const key = sampleKey("a");

    test("a put object is stamped with the revision that became the store's", () =>
      withStore(async (store) => {
        const before = store.revision;
        const stored = await store.put(key, sample(key, "1"), undefined);
        expect(stored.metadata.resourceVersion).toBe(String(before + 1));
        expect(store.revision).toBe(before + 1);
        expect(store.get(key)).toBe(stored);
      }));

    test("a new store begins at a revision that is not 0, which means any to clients", () =>
      withStore(async (store) => expect(store.revision).toBeGreaterThan(0)));

    test("an object that must not exist, exists, or is at another version, is a conflict", () =>
      withStore(async (store) => {
        const first = await store.put(key, sample(key, "1"), undefined);
        await expect(store.put(key, sample(key, "2"), undefined)).rejects.toThrow(StoreConflict);
        await expect(store.put(key, sample(key, "2"), "999")).rejects.toThrow(/is at resourceVersion 2.*999/);
        await expect(store.delete(key, first, "999")).rejects.toThrow(StoreConflict);
        const other = sampleKey("b");
        await expect(store.put(other, sample(other, "1"), "2")).rejects.toThrow(/default\/b does not exist/);
        expect(store.get(key)).toBe(first);
        expect(store.revision).toBe(2);
      }));

    test("of two writers with the same knowledge one wins", () =>
      withStore(async (store) => {
        const first = await store.put(key, sample(key, "1"), undefined);
        const { resourceVersion } = first.metadata;
        const both = await Promise.allSettled([
          store.put(key, sample(key, "left"), resourceVersion),
          store.put(key, sample(key, "right"), resourceVersion),
        ]);
        expect(both.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
        expect(store.get(key)).toMatchObject({ data: { value: "left" } });
      }));

    test("a deleted object is gone, and its last state carries the revision of the deletion", () =>
      withStore(async (store) => {
        const first = await store.put(key, sample(key, "1"), undefined);
        const last = await store.delete(key, first, first.metadata.resourceVersion);
        expect(last.metadata.resourceVersion).toBe(String(store.revision));
        expect(store.get(key)).toBeUndefined();
        expect(store.list("configmaps").objects).toEqual([]);
        await store.put(key, sample(key, "again"), undefined);
        expect(store.get(key)).toMatchObject({ data: { value: "again" } });
      }));

    test("lists are ordered by their keys' bytes, as etcd orders them", () =>
      withStore(async (store) => {
        for (const [namespace, each] of [
          ["b", "x"],
          ["a", "y"],
          ["a-b", "x"],
          ["a", "x"],
          ["a", "x.y"],
        ] as const) {
          const at = sampleKey(each, namespace);
          await store.put(at, sample(at, "1"), undefined);
        }
        const names = (objects: readonly Stored[]) =>
          objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
        expect(names(store.list("configmaps").objects)).toEqual(["a-b/x", "a/x", "a/x.y", "a/y", "b/x"]);
        expect(names(store.list("configmaps", "a").objects)).toEqual(["a/x", "a/x.y", "a/y"]);
        expect(store.list("configmaps", "c").objects).toEqual([]);
        expect(store.list("secrets")).toEqual({ revision: store.revision, objects: [] });
      }));

    test("a listing does not change afterwards", () =>
      withStore(async (store) => {
        await store.put(key, sample(key, "1"), undefined);
        const listing = store.list("configmaps");
        await store.put(sampleKey("0"), sample(sampleKey("0"), "1"), undefined);
        expect(listing.objects).toHaveLength(1);
        expect(listing.revision).toBe(store.revision - 1);
      }));

    test("a listener that writes is told of its own change after the one that it reacted to", () =>
      withStore(async (store) => {
        const seen: string[] = [];
        let reaction: Promise<unknown> | undefined;
        const echo = sampleKey("echo");
        store.subscribe((change) => {
          if (change.key.name === "a") reaction = store.put(echo, sample(echo, "1"), undefined);
        });
        store.subscribe((change) => seen.push(change.key.name));
        await store.put(key, sample(key, "1"), undefined);
        await reaction;
        expect(seen).toEqual(["a", "echo"]);
      }));

    test("changes beyond the limit are forgotten, and asking for them says so", () =>
      withStore(
        async (store) => {
          const start = store.revision;
          let stored = await store.put(key, sample(key, "0"), undefined);
          for (const value of ["1", "2", "3"]) {
            stored = await store.put(key, sample(key, value), stored.metadata.resourceVersion);
          }
          expect(store.changesSince(start)).toBeUndefined();
          expect(store.changesSince(start + 1)?.map((change) => change.type)).toEqual(
            Array(3).fill("MODIFIED"),
          );
          store.compact(start + 3);
          expect(store.changesSince(start + 2)).toBeUndefined();
          expect(store.changesSince(start + 3)).toHaveLength(1);
          expect(store.changesSince(store.revision)).toEqual([]);
        },
        { historyLimit: 3 },
      ));

    test("changes beyond the age are forgotten with the next write", () =>
      withStore(
        async (store, clock) => {
          const start = store.revision;
          const first = await store.put(key, sample(key, "0"), undefined);
          await clock.advance(61_000);
          expect(store.changesSince(start)).toHaveLength(1);
          await store.put(key, sample(key, "1"), first.metadata.resourceVersion);
          expect(store.changesSince(start)).toBeUndefined();
          expect(store.changesSince(start + 1)).toHaveLength(1);
        },
        { historyAge: 60_000 },
      ));

    test("a closed store writes nothing", async () => {
      const store = open({ clock: new VirtualClock() });
      const pending = store.put(key, sample(key, "1"), undefined);
      store.close();
      await expect(pending).resolves.toMatchObject({ metadata: { name: "a" } });
      await expect(store.put(sampleKey("b"), sample(key, "1"), undefined)).rejects.toThrow("closed");
      store.close();
    });

    // Every round is a folder that is synced to disk, which takes long on a busy machine.
    test(
      "whatever is written at once, the store is as a simple model says, and its changes lead there",
      {
        timeout: 30_000,
      },
      () =>
        fc.assert(
          fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 12 }), (batches) =>
            runModel(open, batches),
          ),
          { numRuns: 60 },
        ),
    );
  });
}

interface Step {
  readonly name: string;
  readonly op: "put" | "delete";
  /** What the writer believes: the truth, nothing, or something else. */
  readonly belief: "current" | "absent" | "wrong";
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  op: fc.constantFrom("put" as const, "put" as const, "delete" as const),
  belief: fc.constantFrom("current" as const, "current" as const, "absent" as const, "wrong" as const),
});

/** Each batch is written without waiting in between; beliefs are those at its start. */
async function runModel(open: OpenStore, batches: readonly (readonly Step[])[]): Promise<void> {
  const clock: Clock = new VirtualClock();
  const store = open({ clock, historyLimit: 1000 });
  try {
    const start = store.revision;
    const model = new Map<string, { readonly version: string; readonly value: string }>();
    const told: Change[] = [];
    store.subscribe((change) => told.push(change));
    let revision = start;
    let count = 0;
    for (const batch of batches) {
      const beliefs = new Map([...model].map(([name, { version }]) => [name, version]));
      const outcomes: Promise<string>[] = [];
      const expected: string[] = [];
      for (const { name, op, belief } of batch) {
        const key = sampleKey(name);
        const value = String(++count);
        const known = belief === "current" ? beliefs.get(name) : belief === "wrong" ? "0" : undefined;
        const write =
          op === "put"
            ? store.put(key, sample(key, value), known)
            : store.delete(key, sample(key, value), known ?? "0");
        outcomes.push(
          write.then(
            (object) => object.metadata.resourceVersion,
            (error) => (error instanceof StoreConflict ? "conflict" : String(error)),
          ),
        );
        const believed = op === "put" ? known : (known ?? "0");
        if (model.get(name)?.version !== believed) {
          expected.push("conflict");
          continue;
        }
        revision++;
        expected.push(String(revision));
        if (op === "put") model.set(name, { version: String(revision), value });
        else model.delete(name);
      }
      expect(await Promise.all(outcomes)).toEqual(expected);
      expect(state(store.list("configmaps").objects)).toEqual(Object.fromEntries(model));
      expect(store.revision).toBe(revision);
    }
    expect(store.changesSince(start)).toEqual(told);
    expect(told.map((change) => change.revision)).toEqual(told.map((_, index) => start + 1 + index));
    expect(replay(told)).toEqual(Object.fromEntries(model));
  } finally {
    store.close();
  }
}

function state(objects: readonly Stored[]): Record<string, unknown> {
  const entries = objects.map(({ metadata, ...rest }) => {
    const { value } = rest.data as { value: string };
    return [metadata.name, { version: metadata.resourceVersion, value }] as const;
  });
  return Object.fromEntries(entries);
}

/** The state that the changes lead to; each must follow from the one before. */
function replay(changes: readonly Change[]): Record<string, unknown> {
  const objects = new Map<string, Stored>();
  for (const { type, key, object, previous } of changes) {
    expect(previous).toBe(objects.get(key.name));
    expect(type).toBe(previous ? (type === "DELETED" ? "DELETED" : "MODIFIED") : "ADDED");
    if (type === "DELETED") objects.delete(key.name);
    else objects.set(key.name, object);
  }
  return state([...objects.values()]);
}

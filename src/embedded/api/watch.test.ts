import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMaps } from "../../kube/builtin.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { MemoryStore } from "../store/memory_store.ts";
import type { Store, Stored } from "../store/store.ts";
import { sample, sampleKey } from "../store/testing/sample.ts";
import { type WatchFrame, type WatchRequest, watchChanges } from "./watch.ts";

let clock: VirtualClock;
let store: Store;
let ending: AbortController;

beforeEach(() => {
  clock = new VirtualClock();
  store = new MemoryStore({ clock });
  ending = new AbortController();
});

afterEach(async () => {
  ending.abort();
  await clock.advance(0);
  expect(clock.pendingTimers, "timers that stayed behind").toBe(0);
});

async function put(name: string, labels = {}, namespace = "default"): Promise<Stored> {
  const key = sampleKey(name, namespace);
  return store.put(key, sample(key, "1", labels), store.get(key)?.metadata.resourceVersion);
}

async function remove(name: string): Promise<void> {
  const object = store.get(sampleKey(name));
  if (object) await store.delete(sampleKey(name), object, object.metadata.resourceVersion);
}

/** Reads a watch as it goes on. */
class Reading {
  readonly frames: WatchFrame[] = [];
  ended = false;

  constructor(options: Partial<WatchRequest> = {}) {
    const frames = watchChanges({
      store,
      clock,
      resource: ConfigMaps,
      allowBookmarks: false,
      timeout: 3_600_000,
      signal: ending.signal,
      ...options,
    });
    void this.#read(frames);
  }

  async #read(frames: AsyncIterable<WatchFrame>): Promise<void> {
    for await (const frame of frames) this.frames.push(frame);
    this.ended = true;
  }

  /** What came so far: `ADDED a@2`, `BOOKMARK @3`. */
  async said(): Promise<readonly string[]> {
    await clock.advance(0);
    return this.frames.map((frame) => {
      if (frame.type === "ERROR") return `ERROR ${(frame.object as { message: string }).message}`;
      const { metadata } = frame.object;
      return `${frame.type} ${"name" in metadata ? metadata.name : ""}@${metadata.resourceVersion}`;
    });
  }
}

const labelled = (object: Stored) => object.metadata.labels?.in === "yes";

test.each([undefined, "", "0"])(
  "a watch from version %j begins with the objects that there are",
  async (version) => {
    await put("b");
    await put("a");
    const watch = new Reading({ resourceVersion: version });
    expect(await watch.said()).toEqual(["ADDED a@3", "ADDED b@2"]);
    await put("a");
    await remove("b");
    expect((await watch.said()).slice(2)).toEqual(["MODIFIED a@4", "DELETED b@5"]);
  },
);

test("a watch from a version tells what happened since, and goes on", async () => {
  await put("a");
  await put("a");
  const watch = new Reading({ resourceVersion: "2" });
  expect(await watch.said()).toEqual(["MODIFIED a@3"]);
  await remove("a");
  expect((await watch.said()).slice(1)).toEqual(["DELETED a@4"]);
});

test("a watch from a version that is to come waits for what follows it", async () => {
  const watch = new Reading({ resourceVersion: "3" });
  await put("a");
  await put("a");
  await put("a");
  expect(await watch.said()).toEqual(["MODIFIED a@4"]);
});

test("only the resource and namespace that were asked for are told of", async () => {
  const watch = new Reading({ namespace: "mine" });
  await put("a", {}, "yours");
  await put("b", {}, "mine");
  const secret = sampleKey("c", "mine", "secrets");
  await store.put(secret, sample(secret, "1"), undefined);
  expect(await watch.said()).toEqual(["ADDED b@3"]);
});

test("an object that comes into view is added, one that leaves it is deleted as it last was", async () => {
  await put("a", { in: "yes", mark: "old" });
  const watch = new Reading({ matches: labelled });
  await put("a", { in: "no", mark: "new" });
  await put("a", { in: "no", mark: "newer" });
  await put("a", { in: "yes" });
  await put("a", { in: "yes", more: "" });
  await remove("a");
  await put("b", { in: "no" });
  await remove("b");
  expect(await watch.said()).toEqual([
    "ADDED a@2",
    "DELETED a@3",
    "ADDED a@5",
    "MODIFIED a@6",
    "DELETED a@7",
  ]);
  expect(watch.frames[1]?.object).toMatchObject({ metadata: { labels: { mark: "old" } } });
});

test("a version that is forgotten ends the watch with an error", async () => {
  await put("a");
  await put("a");
  store.compact(3);
  const watch = new Reading({ resourceVersion: "2" });
  expect(await watch.said()).toEqual(["ERROR too old resource version: 2 (3)"]);
  expect(watch.frames[0]?.object).toMatchObject({ kind: "Status", code: 410, reason: "Expired" });
  expect(watch.ended).toBe(true);
});

test("a streaming list says when the objects are complete, if bookmarks are allowed", async () => {
  await put("a");
  const options = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "2" };
  const watch = new Reading({ ...options, allowBookmarks: true });
  const silent = new Reading(options);
  expect(await watch.said()).toEqual(["ADDED a@2", "BOOKMARK @2"]);
  expect(watch.frames[1]?.object).toEqual({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: "2", annotations: { "k8s.io/initial-events-end": "true" } },
  });
  expect(await silent.said()).toEqual(["ADDED a@2"]);
});

test("a streaming list from a version that is to come is refused", async () => {
  const watch = new Reading({
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
    resourceVersion: "9",
  });
  expect(await watch.said()).toEqual(["ERROR Timeout: Too large resource version: 9, current: 1"]);
});

test("a watch that wants no initial events begins now", async () => {
  await put("a");
  const watch = new Reading({ sendInitialEvents: false, resourceVersionMatch: "NotOlderThan" });
  await clock.advance(0);
  await put("b");
  expect(await watch.said()).toEqual(["ADDED b@3"]);
});

test("bookmarks come each minute and right before the end, with what was seen of other resources too", async () => {
  const watch = new Reading({ allowBookmarks: true, timeout: 100_000 });
  const silent = new Reading({ timeout: 100_000 });
  const secret = sampleKey("s", "default", "secrets");
  await clock.advance(59_999);
  expect(await watch.said()).toEqual([]);
  await store.put(secret, sample(secret, "1"), undefined);
  await clock.advance(1);
  expect(await watch.said()).toEqual(["BOOKMARK @2"]);
  expect(watch.frames[0]?.object).toEqual({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: "2" },
  });
  await clock.advance(38_000);
  expect(await watch.said()).toEqual(["BOOKMARK @2", "BOOKMARK @2"]);
  expect(watch.ended).toBe(false);
  await clock.advance(2_000);
  expect([watch.ended, silent.ended, silent.frames]).toEqual([true, true, []]);
});

test("a watch ends on time, however odd the time", () =>
  fc.assert(
    fc.asyncProperty(fc.double({ min: 1, max: 200_000, noNaN: true }), async (timeout) => {
      const watch = new Reading({ timeout });
      await clock.advance(timeout * 0.999);
      expect(watch.ended).toBe(false);
      await clock.advance(timeout * 0.001 + 1);
      expect(watch.ended).toBe(true);
    }),
  ));

test("a watch ends with its signal, and leaves nothing behind", async () => {
  const watch = new Reading();
  await clock.advance(0);
  ending.abort();
  await clock.advance(0);
  expect(watch.ended).toBe(true);
});

test("a reader that is too slow gets what was kept for it, then the end; it can resume from there", async () => {
  const { signal } = ending;
  const request = { store, clock, resource: ConfigMaps, allowBookmarks: false, timeout: 3_600_000, signal };
  const versions: number[] = [];
  const written = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const { object } of watchChanges(request)) {
      versions.push(Number((object as Stored).metadata.resourceVersion));
      await written.promise;
    }
  })();
  for (let index = 0; index < 10_100; index++) await put("a");
  written.resolve();
  await reading;
  expect(versions.length).toBeGreaterThan(10_000);
  expect(versions.length).toBeLessThan(10_100);
  expect(versions).toEqual(versions.map((_, index) => 2 + index));
});

test.each<[Partial<WatchRequest>, number, string]>([
  [
    { resourceVersion: "abc" },
    500,
    'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    { sendInitialEvents: true },
    422,
    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
  ],
  [
    { resourceVersionMatch: "NotOlderThan" },
    422,
    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
  ],
  [
    { sendInitialEvents: true, resourceVersionMatch: "Exact" },
    422,
    'Unsupported value: "Exact": supported values: "NotOlderThan"',
  ],
  [{ continue: "abc" }, 422, "resourceVersionMatch is forbidden when continue is provided"],
])("%j is refused at once", (options, code, message) => {
  expect(() => new Reading(options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});

interface Step {
  readonly name: string;
  readonly op: "in" | "out" | "remove" | "restart" | "pause";
}
const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  op: fc.constantFrom("in", "out", "remove", "restart", "pause"),
});

test("whatever happens, and wherever the watch is resumed, the frames lead to the selected state", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      store = new MemoryStore({ clock });
      const seen = new Map<string, string>();
      let version: string | undefined;
      let current = new AbortController();
      const follow = async (signal: AbortSignal) => {
        const request = { store, clock, resource: ConfigMaps, allowBookmarks: true, timeout: 1e9, signal };
        const frames = watchChanges({ ...request, matches: labelled, resourceVersion: version });
        for await (const { type, object } of frames) {
          const { metadata } = object as Stored;
          expect(type === "ADDED" ? !seen.has(metadata.name) : seen.has(metadata.name), type).toBe(true);
          if (type === "DELETED") seen.delete(metadata.name);
          else seen.set(metadata.name, metadata.resourceVersion);
          version = metadata.resourceVersion;
        }
      };
      let running = follow(current.signal);
      for (const { name, op } of steps) {
        if (op === "in" || op === "out") await put(name, { in: op === "in" ? "yes" : "no" });
        else if (op === "remove") await remove(name);
        else await clock.advance(0);
        if (op !== "restart") continue;
        current.abort();
        await running;
        current = new AbortController();
        running = follow(current.signal);
      }
      await clock.advance(0);
      current.abort();
      await running;
      const selected = store.list("configmaps").objects.filter(labelled);
      expect(seen).toEqual(
        new Map(selected.map(({ metadata }) => [metadata.name, metadata.resourceVersion])),
      );
    }),
  ));

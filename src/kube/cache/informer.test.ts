import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type LogFields, silentLogger } from "../../observe/log.ts";
import { ApiError } from "../api_error.ts";
import { type ConfigMap, ConfigMaps } from "../builtin.ts";
import { HttpClient } from "../client/http_client.ts";
import { keyOf, type ObjectKey } from "../object.ts";
import { brokenConnection, FakeCollection } from "../testing/fake_collection.ts";
import { failedStatus, ScriptedSender } from "../testing/scripted_sender.ts";
import { type Change, lastSeen } from "./cache.ts";
import { Informer, type InformerScope } from "./informer.ts";
import { Informers } from "./informers.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setup(scope: Partial<InformerScope<ConfigMap>> = {}) {
  const server = new FakeCollection();
  const clock = new VirtualClock();
  const observed: string[] = [];
  const observer = {
    opened: () => observed.push("opened"),
    closed: (_: string, reason: string) => observed.push(`closed ${reason}`),
    event: () => {},
    relisted: (_: string, reason: string) => observed.push(`relisted ${reason}`),
  };
  const errors: LogFields[] = [];
  const log = { ...silentLogger, error: (fields: LogFields) => void errors.push(fields) };
  const ports = { client: server.reader, clock, random: seededRandom(1), log, observer };
  const informer = new Informer<ConfigMap>({ resource: ConfigMaps, ...scope }, ports);
  const changes: string[] = [];
  informer.onChange((change) => changes.push(`${change.type} ${change.key}`));
  const stop = new AbortController();
  stops.push(stop);
  const run = () => informer.run(stop.signal);
  return { server, clock, informer, changes, observed, errors, stop, run, ports };
}

const key = (name: string) => keyOf({ namespace: "default", name });

describe("Informer", () => {
  test("fetches what there is by a streaming list, then follows", async () => {
    const { server, clock, informer, changes, run } = setup();
    server.put("a");
    server.put("b");
    expect(informer.synced).toBe(false);
    expect(informer.staleness).toBe(Number.POSITIVE_INFINITY);
    run();
    await clock.advance(0);
    expect(informer.synced).toBe(true);
    expect(informer.staleness).toBe(0);
    server.put("a", { data: { x: "1" } });
    server.delete("b");
    await clock.advance(0);
    expect(changes).toEqual(["added default/a", "added default/b", "updated default/a", "removed default/b"]);
    expect(informer.get(key("a"))?.data).toEqual({ x: "1" });
    expect(server.calls).toEqual(["stream"]);
  });

  test("lists in pages where the server knows no streaming list, and remembers that", async () => {
    const { server, clock, informer, run } = setup();
    server.faults.streamingLists = false;
    for (const name of ["a", "b", "c", "d", "e"]) server.put(name);
    run();
    await clock.advance(1000);
    expect(informer.size).toBe(5);
    server.compact();
    server.drop();
    server.put("f");
    server.compact();
    await clock.advance(5000);
    expect(informer.size).toBe(6);
    expect(server.calls.filter((call) => call === "stream")).toHaveLength(1);
  });

  test("lists in pages where the server accepts a streaming list, and then cannot give it", async () => {
    const { server, clock, informer, run } = setup();
    server.faults.streamingLists = "fail";
    server.put("a");
    run();
    await clock.advance(1000);
    expect(informer.synced).toBe(true);
    expect(server.calls).toEqual(["stream", "list", `watch ${server.version}`]);
  });

  test("takes the list in one answer when its pages expire half-way", async () => {
    const { server, clock, informer, run } = setup();
    server.faults.streamingLists = false;
    for (const name of ["a", "b", "c"]) server.put(name);
    server.faults.secondPage = new ApiError({ request: "list", code: 410, status: {} });
    run();
    await clock.advance(100);
    expect(informer.size).toBe(3);
    expect(server.calls.slice(0, 3)).toEqual(["stream", "list", "list"]);
  });

  test("a watch that the server ends is resumed from the last version, without a new list", async () => {
    const { server, clock, changes, observed, run } = setup();
    server.put("a");
    run();
    await clock.advance(2000);
    server.put("b");
    await clock.advance(0);
    server.drop();
    server.put("c");
    await clock.advance(2000);
    expect(changes).toEqual(["added default/a", "added default/b", "added default/c"]);
    expect(server.calls).toEqual(["stream", "watch 102"]);
    expect(observed).toEqual(["opened", "relisted start", "closed ended", "opened"]);
  });

  test("a watch is resumed from the last bookmark, though nothing of ours changed since and the rest is forgotten", async () => {
    const { server, clock, changes, run } = setup();
    server.put("a");
    run();
    await clock.advance(2000);
    server.bookmark();
    await clock.advance(0);
    const bookmark = server.version;
    server.compact();
    server.drop();
    server.put("b");
    await clock.advance(2000);
    expect(server.calls).toEqual(["stream", `watch ${bookmark}`]);
    expect(changes).toEqual(["added default/a", "added default/b"]);
  });

  test("nothing that happened while the connection was broken is lost", async () => {
    const { server, clock, changes, informer, run } = setup();
    server.put("a");
    server.put("b");
    run();
    await clock.advance(2000);
    server.drop(brokenConnection());
    server.faults.next = brokenConnection();
    server.delete("a");
    server.put("c");
    await clock.advance(60_000);
    expect(changes.slice(2)).toEqual(["removed default/a", "added default/c"]);
    expect(informer.staleness).toBe(0);
  });

  test("after 410 the difference to the new state is delivered, and only that", async () => {
    const { server, clock, changes, observed, run } = setup();
    for (const name of ["kept", "changed", "gone"]) server.put(name);
    run();
    await clock.advance(2000);
    changes.length = 0;
    server.drop(brokenConnection());
    server.put("changed", { data: { x: "2" } });
    server.delete("gone");
    server.put("new");
    server.compact();
    await clock.advance(60_000);
    expect(changes.toSorted()).toEqual([
      "added default/new",
      "removed default/gone",
      "updated default/changed",
    ]);
    expect(observed).toContain("relisted expired");
  });

  test("an object that was replaced by another of the same name is removed, then added", async () => {
    const { server, clock, changes, run } = setup();
    server.put("a");
    run();
    await clock.advance(2000);
    changes.length = 0;
    server.drop(brokenConnection());
    server.delete("a");
    server.put("a");
    server.compact();
    await clock.advance(60_000);
    expect(changes).toEqual(["removed default/a", "added default/a"]);
  });

  test("a server that ends every watch at once is asked less and less often", async () => {
    const { server, clock, run } = setup();
    run();
    await clock.advance(0);
    for (let second = 0; second < 600; second++) {
      server.drop();
      await clock.advance(1000);
    }
    expect(server.calls.length).toBeLessThan(80);
    expect(server.calls.length).toBeGreaterThan(10);
  });

  test("Retry-After is obeyed", async () => {
    const { server, clock, informer, run } = setup();
    server.faults.next = new ApiError({ request: "watch", code: 429, status: {}, retryAfter: 20_000 });
    run();
    await clock.advance(19_000);
    expect(informer.synced).toBe(false);
    await clock.advance(2000);
    expect(informer.synced).toBe(true);
  });

  test("what it may not read is said, and works as soon as it may", async () => {
    const { server, clock, ports } = setup();
    const said: string[] = [];
    const log = { ...silentLogger, warn: (_: object, message: string) => void said.push(message) };
    const informer = new Informer<ConfigMap>({ resource: ConfigMaps }, { ...ports, log });
    server.faults.next = new ApiError({
      request: "watch configmaps",
      code: 403,
      status: { reason: "Forbidden" },
    });
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    await clock.advance(60_000);
    expect(said).toEqual(["list or watch forbidden; check RBAC"]);
    expect(informer.synced).toBe(true);
  });

  test("staleness grows while there is no connection", async () => {
    const { server, clock, informer, run } = setup();
    run();
    await clock.advance(2000);
    server.faults.next = new ApiError({ request: "watch", code: 429, status: {}, retryAfter: 60_000 });
    server.drop(brokenConnection());
    await clock.advance(30_000);
    expect(informer.staleness).toBeGreaterThan(29_000);
    expect(informer.synced).toBe(true);
  });

  test("staleness grows while the state is fetched anew: what the cache holds is from before", async () => {
    const { server, clock, informer, observed, run } = setup();
    server.put("a");
    run();
    await clock.advance(2000);
    const told = Promise.withResolvers<void>();
    server.faults.beforeEnd = told.promise;
    server.delete("a");
    server.put("b");
    server.compact();
    server.drop();
    await clock.advance(60_000);
    expect(server.calls.at(-1)).toBe("stream");
    expect(informer.get(key("a"))).toBeDefined();
    expect(informer.staleness).toBeGreaterThan(59_000);
    told.resolve();
    await clock.advance(0);
    expect(informer.get(key("a"))).toBeUndefined();
    expect(informer.staleness).toBe(0);
    expect(observed.filter((what) => what === "opened").length).toBe(
      observed.filter((what) => what.startsWith("closed")).length + 1,
    );
  });

  describe.each([
    ["a streaming list", true],
    ["pages", false],
  ])("one bad object in %s and among the events", (_, streaming) => {
    test("is said, and keeps no other from its index, its followers or the cache", async () => {
      const { server, clock, informer, changes, errors, run } = setup();
      server.faults.streamingLists = streaming;
      const refuse = (object: ConfigMap) => {
        if (object.metadata.name.startsWith("bad")) throw new Error(`${object.metadata.name} is not read`);
      };
      informer.addIndex("data", (object) => {
        refuse(object);
        return Object.keys(object.data ?? {});
      });
      const followed: string[] = [];
      informer.onChange((change) => {
        refuse(lastSeen(change));
        followed.push(`${change.type} ${change.key}`);
      });
      for (const name of ["a", "bad-listed", "b"]) server.put(name, { data: { x: name } });
      run();
      await clock.advance(1000);
      expect(informer.synced).toBe(true);
      for (const name of ["bad-watched", "c"]) server.put(name, { data: { x: name } });
      server.delete("bad-listed");
      server.delete("a");
      await clock.advance(1000);
      expect(informer.indexed("data", "x").map(({ metadata }) => metadata.name)).toEqual(["b", "c"]);
      expect(followed).toEqual([
        "added default/a",
        "added default/b",
        "added default/c",
        "removed default/a",
      ]);
      expect(changes).toHaveLength(7);
      expect(informer.size).toBe(3);
      const said = errors.map(({ resource, key, index, error }) => [resource, key, index, error]);
      expect(said.slice(0, 2)).toEqual([
        ["configmaps", "default/bad-listed", "data", "bad-listed is not read"],
        ["configmaps", "default/bad-listed", undefined, "bad-listed is not read"],
      ]);
      expect(said).toContainEqual([
        "configmaps",
        "default/bad-watched",
        undefined,
        "bad-watched is not read",
      ]);
      expect(server.calls.filter((call) => call.startsWith("watch")).length).toBe(streaming ? 0 : 1);
    });
  });

  test.each([
    ["nobody foresaw", new TypeError("x is undefined"), 1],
    ["breaks a connection", brokenConnection(), 0],
    ["the server says", new ApiError({ request: "watch", code: 503, status: {} }), 0],
  ])("a failure that %s is an error in the log, or none", async (_, failure, times) => {
    const { server, clock, informer, errors, run } = setup();
    server.faults.next = failure;
    run();
    await clock.advance(10_000);
    expect(informer.synced).toBe(true);
    expect(errors).toHaveLength(times);
  });

  test("managed fields are dropped", async () => {
    const { server, clock, informer, run } = setup();
    server.put("a", { data: { big: "x" } });
    run();
    await clock.advance(0);
    expect(informer.get(key("a"))?.metadata.managedFields).toBeUndefined();
  });

  test.each([
    ["a streaming list", true],
    ["pages", false],
  ])("keeps what its projection names, from %s and from a watch", async (_, streaming) => {
    const { ports, clock } = setup();
    const configMap = (name: string, data: object) => ({
      metadata: { name, namespace: "default", uid: name, resourceVersion: "1", managedFields: [{}] },
      data,
      binaryData: { big: "x" },
    });
    const event = (type: string, object: object) => Buffer.from(`${JSON.stringify({ type, object })}\n`);
    const annotations = { "k8s.io/initial-events-end": "true" };
    const open = async function* (...events: readonly Buffer[]) {
      yield* events;
      yield event("ADDED", configMap("b", { kept: "2", big: "x" }));
      await new Promise(() => {});
    };
    const listed = configMap("a", { kept: "1", big: "x" });
    const sender = new ScriptedSender(({ path }) => {
      if (!path.includes("watch=true"))
        return { body: { metadata: { resourceVersion: "1" }, items: [listed] } };
      if (!path.includes("sendInitialEvents")) return { stream: open() };
      if (!streaming) return failedStatus(422, "Invalid");
      const bookmark = event("BOOKMARK", { metadata: { resourceVersion: "1", annotations } });
      return { stream: open(event("ADDED", listed), bookmark) };
    });
    const client = new HttpClient({ sender, clock, random: ports.random });
    const scope = { resource: ConfigMaps, keep: { data: { kept: true } } } as const;
    const informer = new Informer<ConfigMap>(scope, { ...ports, client });
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    await clock.advance(1000);
    expect([...informer.values()]).toEqual(
      ["a", "b"].map((name, i) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: "default", uid: name, resourceVersion: "1" },
        data: { kept: String(i + 1) },
      })),
    );
  });

  test("whenSynced() rejects with the signal's reason, and the run ends with its signal", async () => {
    const { informer, clock, stop, run, server } = setup();
    const impatient = new AbortController();
    const waiting = informer.whenSynced(impatient.signal);
    impatient.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const running = run();
    await clock.advance(0);
    stop.abort();
    await running;
    expect(server.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("whatever happens in whatever order, the cache ends equal to the server and no change is told twice", async () => {
    const name = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), name }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constantFrom(
            "compact" as const,
            "end" as const,
            "break" as const,
            "fail" as const,
            "expire" as const,
          ),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 3000 }) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, streaming) => {
        const { server, clock, informer, errors, stop, run } = setup();
        server.faults.streamingLists = streaming;
        const mirror = new Map<ObjectKey, string>();
        informer.onChange((change) => follow(mirror, change));
        const running = run();
        for (const s of steps) {
          if (s.do === "put") server.put(s.name, { data: { n: server.version } });
          else if (s.do === "delete") server.delete(s.name);
          else if (s.do === "compact") server.compact();
          else if (s.do === "end") server.drop();
          else if (s.do === "break") server.drop(brokenConnection());
          else if (s.do === "fail") server.faults.next = brokenConnection();
          else if (s.do === "expire")
            server.faults.next = new ApiError({ request: "", code: 410, status: {} });
          else if (s.do === "wait") await clock.advance(s.ms);
        }
        server.faults.next = undefined;
        await clock.advance(120_000);
        const truth = [...server.objects].map(([k, o]) => [k, o.metadata.resourceVersion]);
        expect([...mirror].toSorted()).toEqual(truth.toSorted());
        expect(informer.size).toBe(server.objects.size);
        expect(errors).toEqual([]);
        stop.abort();
        await running;
      }),
      { numRuns: 150 },
    );
  });
});

/** Applies a change as strictly as it was promised: added only when absent, updated only when different. */
function follow(mirror: Map<ObjectKey, string>, change: Change<ConfigMap>): void {
  const known = mirror.get(change.key);
  if (change.type === "removed") {
    expect(known).toBe(change.previous.metadata.resourceVersion);
    mirror.delete(change.key);
    return;
  }
  const version = change.object.metadata.resourceVersion;
  if (change.type === "added") expect(known).toBeUndefined();
  else {
    expect(known).toBe(change.previous.metadata.resourceVersion);
    expect(known).not.toBe(version);
  }
  mirror.set(change.key, version);
}

describe("Informers", () => {
  test("one informer serves all who ask for the same scope, with all their indexes", async () => {
    const { ports, server, clock } = setup();
    const informers = new Informers(ports);
    const byLabel = (object: ConfigMap) => [object.metadata.labels?.app ?? "none"];
    const first = informers.cache({ resource: ConfigMaps });
    const second = informers.cache({ resource: ConfigMaps, indexes: { app: byLabel } });
    expect(second).toBe(first);
    expect(informers.cache({ resource: ConfigMaps, namespace: "x" })).not.toBe(first);
    const stop = new AbortController();
    stops.push(stop);
    informers.run(stop.signal);
    server.put("a", { metadata: { labels: { app: "web" } } });
    server.put("b");
    await clock.advance(0);
    expect(second.indexed("app", "web").map((o) => o.metadata.name)).toEqual(["a"]);
    server.put("a", { metadata: { labels: { app: "db" } } });
    await clock.advance(0);
    expect(second.indexed("app", "web")).toEqual([]);
    expect(second.indexed("app", "db").map((o) => o.metadata.name)).toEqual(["a"]);
    expect(() => second.indexed("nope", "x")).toThrow('there is no index "nope"');
  });

  test("a cache that is asked for while running starts at once", async () => {
    const { ports, clock } = setup();
    const informers = new Informers(ports);
    const stop = new AbortController();
    const running = informers.run(stop.signal);
    const late = informers.cache({ resource: ConfigMaps });
    await clock.advance(0);
    expect(late.synced).toBe(true);
    stop.abort();
    await running;
  });

  test.each([
    [[true, true], true],
    [[true, undefined], false],
    [[false, true], false],
  ])("a cache that is asked for as optional (%s) is optional: %s", async (asked, expected) => {
    const { ports, clock, server } = setup();
    const informers = new Informers(ports);
    const caches = asked.map((optional) =>
      informers.cache({ resource: ConfigMaps, ...(optional === undefined ? {} : { optional }) }),
    );
    expect(caches.map(({ optional }) => optional)).toEqual([expected, expected]);
    server.faults.next = new ApiError({ request: "watch", code: 429, status: {}, retryAfter: 20_000 });
    const stop = new AbortController();
    stops.push(stop);
    let ready = false;
    void informers.run(stop.signal, () => {
      ready = true;
    });
    await clock.advance(10_000);
    expect(ready).toBe(expected);
    await clock.advance(20_000);
    expect(ready).toBe(true);
  });

  test("projections of one scope are joined before it runs, and refused to grow afterwards", async () => {
    const { ports, clock } = setup();
    const informers = new Informers(ports);
    const first = informers.cache({ resource: ConfigMaps, keep: { data: { a: true } } }) as Informer<never>;
    expect(informers.cache({ resource: ConfigMaps, keep: { data: { a: true } } })).toBe(first);
    informers.cache({ resource: ConfigMaps, keep: { data: { b: true }, immutable: true } });
    expect(first.keep).toEqual({ data: { a: true, b: true }, immutable: true });
    const stop = new AbortController();
    void informers.run(stop.signal);
    await clock.advance(0);
    informers.cache({ resource: ConfigMaps, keep: { data: { b: true } } });
    expect(() => informers.cache({ resource: ConfigMaps, keep: { binaryData: true } })).toThrow(
      "watched already",
    );
    stop.abort();
  });

  test("a projection that keeps everything joins with any other to everything", () => {
    const { ports } = setup();
    const informers = new Informers(ports);
    const all = informers.cache({ resource: ConfigMaps, keep: { data: true } }) as Informer<never>;
    informers.cache({ resource: ConfigMaps });
    expect(all.keep).toBeUndefined();
  });

  test("each part of the program has indexes of its own", async () => {
    const { ports } = setup();
    const informers = new Informers(ports);
    const cacheOf = (part: string, value: string) =>
      informers.for(part).cache({ resource: ConfigMaps, indexes: { kind: () => [value] } });
    const one = cacheOf("one", "a");
    const other = cacheOf("other", "b");
    expect([one.indexed("kind", "a"), other.indexed("kind", "b")]).toEqual([[], []]);
    expect([...informers.caches()]).toHaveLength(1);
    expect(() => informers.for("one").cache({ resource: ConfigMaps, indexes: { kind: () => [] } })).toThrow(
      "declared twice",
    );
  });
});

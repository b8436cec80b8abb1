import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { LogFields, Logger } from "../../observe/log.ts";
import { ApiError } from "../api_error.ts";
import type { KubeObject } from "../object.ts";
import { type RecordedCall, RecordingClient } from "../testing/recording_client.ts";
import { type EventNote, EventRecorder } from "./events.ts";

const MINUTE = 60_000;
const note: EventNote = { type: "Warning", reason: "BackupFailed", message: "no space left" };

function pvc(name: string, namespace: string | undefined = "home"): KubeObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      uid: `uid of ${name}`,
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(namespace === "" ? {} : { namespace }),
    },
  };
}

function setUp(answer?: (call: RecordedCall) => unknown, capacity?: number) {
  const client = new RecordingClient(answer);
  const clock = new VirtualClock("2026-01-01T00:00:00.500Z");
  const lines: LogFields[] = [];
  const log: Logger = {
    debug: (fields) => lines.push(fields),
    info: () => expect.fail("louder than debug"),
    warn: () => expect.fail("louder than debug"),
    error: () => expect.fail("louder than debug"),
    child: () => log,
  };
  const options = { writer: client, clock, random: seededRandom(1), log, component: "holdfast" };
  const recorder = new EventRecorder({ ...options, ...(capacity === undefined ? {} : { capacity }) });
  const say = async (about: KubeObject, what: Partial<EventNote> = {}) => {
    recorder.event(about, { ...note, ...what });
    await recorder.flush();
  };
  const verbs = () => client.calls.map((call) => call.verb);
  return { client, clock, lines, recorder, say, verbs };
}

/** The names of the Events that were created. */
const namesIn = (calls: readonly RecordedCall[]) =>
  calls.filter((call) => call.verb === "create").map((call) => (call.body as KubeObject).metadata.name);

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "POST events", code, status: { reason } });

describe("EventRecorder", () => {
  test("writes a core/v1 Event about the object", async () => {
    const { client, say } = setUp();
    await say(pvc("data"));
    expect(client.calls).toMatchObject([{ verb: "create", resource: { group: "", plural: "events" } }]);
    expect(client.calls[0]?.body).toEqual({
      metadata: { namespace: "home", name: expect.stringMatching(/^data\.[0-9a-f]{16}$/) },
      involvedObject: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace: "home",
        name: "data",
        uid: "uid of data",
        resourceVersion: "7",
      },
      type: "Warning",
      reason: "BackupFailed",
      message: "no space left",
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      source: { component: "holdfast" },
      reportingComponent: "holdfast",
    });
  });

  test("speaks of what has no namespace in default", async () => {
    const { client, say } = setUp();
    await say(pvc("volume", ""));
    expect(client.calls[0]?.body).toMatchObject({ metadata: { namespace: "default" } });
    expect(client.calls[0]?.body).not.toHaveProperty("involvedObject.namespace");
  });

  test("gives the Event a valid name whatever the object is called", async () => {
    const { client, say } = setUp();
    await say(pvc("system:node"));
    await say(pvc("a".repeat(253)));
    await say(pvc(`${"a".repeat(235)}.${"b".repeat(10)}`));
    expect(namesIn(client.calls)).toEqual([
      expect.stringMatching(/^event\.[0-9a-f]{16}$/),
      expect.stringMatching(/^a{236}\.[0-9a-f]{16}$/),
      expect.stringMatching(/^event\.[0-9a-f]{16}$/),
    ]);
  });

  test("cuts a long message", async () => {
    const { client, say } = setUp();
    await say(pvc("data"), { message: "x".repeat(2000) });
    expect(client.calls[0]?.body).toMatchObject({ message: `${"x".repeat(1021)}…` });
  });

  test("folds a repeat into the Event that is there", async () => {
    const { client, clock, say } = setUp();
    await say(pvc("data"));
    await clock.advance(9 * MINUTE);
    await say(pvc("data"));
    await clock.advance(9 * MINUTE);
    await say(pvc("data"));
    const [name] = namesIn(client.calls);
    expect(client.calls.slice(1)).toMatchObject([
      {
        verb: "patch",
        name: { namespace: "home", name },
        body: { type: "merge", patch: { count: 2, lastTimestamp: "2026-01-01T00:09:00Z" } },
      },
      { verb: "patch", name: { name }, body: { patch: { count: 3, lastTimestamp: "2026-01-01T00:18:00Z" } } },
    ]);
  });

  test("begins a new Event after ten minutes of quiet, whatever the wall clock did", async () => {
    const { clock, say, verbs } = setUp();
    await say(pvc("data"));
    clock.step(24 * 60 * MINUTE);
    await say(pvc("data"));
    await clock.advance(10 * MINUTE + 1);
    await say(pvc("data"));
    expect(verbs()).toEqual(["create", "patch", "create"]);
  });

  test.each([
    ["object", pvc("other"), {}],
    ["type", pvc("data"), { type: "Normal" }],
    ["reason", pvc("data"), { reason: "Other" }],
    ["message", pvc("data"), { message: "other" }],
  ] as const)("does not fold what differs in its %s", async (_, about, what) => {
    const { say, verbs } = setUp();
    await say(pvc("data"));
    await say(about, what);
    expect(verbs()).toEqual(["create", "create"]);
  });

  test("does not fold what is about a later object of the same name", async () => {
    const { say, verbs } = setUp();
    const { metadata, ...rest } = pvc("data");
    await say(pvc("data"));
    await say({ ...rest, metadata: { ...metadata, uid: "another" } });
    expect(verbs()).toEqual(["create", "create"]);
  });

  test("folds repeats that come while it is still writing, and never patches before the Event is there", async () => {
    let answer = () => {};
    const first = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { client, recorder, verbs } = setUp(() => (client.calls.length === 1 ? first : undefined));
    for (let i = 0; i < 5; i++) recorder.event(pvc("data"), note);
    expect(verbs()).toEqual(["create"]);
    answer();
    await recorder.flush();
    expect(client.calls.slice(1)).toMatchObject([{ verb: "patch", body: { patch: { count: 5 } } }]);
  });

  test("writes anew when the Event has expired", async () => {
    const { client, say, verbs } = setUp((call) => {
      if (call.verb === "patch") throw refusal(404, "NotFound");
    });
    await say(pvc("data"));
    await say(pvc("data"));
    expect(verbs()).toEqual(["create", "patch", "create"]);
    expect(client.calls[2]?.body).toMatchObject({ count: 2 });
    const [first, second] = namesIn(client.calls);
    expect(second).not.toBe(first);
  });

  test("thins out a flood about one object, and lets one through every five minutes", async () => {
    const { client, clock, lines, say } = setUp();
    for (let i = 0; i < 30; i++) await say(pvc("data"), { message: `number ${i}` });
    expect(client.calls).toHaveLength(25);
    expect(lines).toHaveLength(5);
    await say(pvc("other"));
    expect(client.calls).toHaveLength(26);
    await clock.advance(5 * MINUTE);
    await say(pvc("data"), { message: "later" });
    await say(pvc("data"), { message: "too much" });
    expect(client.calls).toHaveLength(27);
  });

  test("counts in the next write what it held back", async () => {
    const { client, clock, say } = setUp();
    for (let i = 0; i < 30; i++) await say(pvc("data"));
    await clock.advance(5 * MINUTE);
    await say(pvc("data"));
    expect(client.calls).toHaveLength(26);
    expect(client.calls.at(-1)?.body).toMatchObject({ patch: { count: 31 } });
  });

  test("survives every failure, quietly, and tries again with the next repeat", async () => {
    let failing = true;
    const { client, lines, say, verbs } = setUp(() => {
      if (failing) throw new Error("connection refused");
    });
    await say(pvc("data"));
    expect(lines).toEqual([
      { object: "PersistentVolumeClaim home/data", reason: "BackupFailed", why: "connection refused" },
    ]);
    failing = false;
    await say(pvc("data"));
    expect(verbs()).toEqual(["create", "create"]);
    expect(client.calls[1]?.body).toMatchObject({ count: 2 });
  });

  test("takes an Event that exists for its own, written by an attempt whose answer was lost", async () => {
    const { lines, say, verbs } = setUp((call) => {
      if (call.verb === "create") throw refusal(409, "AlreadyExists");
    });
    await say(pvc("data"));
    await say(pvc("data"));
    expect(verbs()).toEqual(["create", "patch"]);
    expect(lines).toEqual([]);
  });

  test.each([
    ["is going away", 403, "Forbidden"],
    ["is gone", 404, "NotFound"],
  ])("gives up on repeats in a namespace that %s", async (_, code, reason) => {
    const { say, verbs } = setUp(() => {
      throw refusal(code, reason);
    });
    await say(pvc("data"));
    await say(pvc("data"));
    expect(verbs()).toEqual(["create"]);
  });

  test("drops what comes while too much is waiting", async () => {
    const { client, lines, recorder } = setUp(() => new Promise(() => {}));
    for (let i = 0; i < 1010; i++) recorder.event(pvc(`data-${i}`), note);
    expect(client.calls).toHaveLength(1);
    expect(lines).toHaveLength(9);
  });

  test("forgets the series that was quiet for longest", async () => {
    const { say, verbs } = setUp(undefined, 2);
    for (const name of ["a", "b", "a", "c", "a", "b"]) await say(pvc(name));
    expect(verbs()).toEqual(["create", "create", "patch", "create", "patch", "create"]);
  });
});

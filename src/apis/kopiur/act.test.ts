import { describe, expect, test } from "vitest";
import type { Decision } from "../../core/reconcile/decision.ts";
import { ReportedFailure } from "../../core/reconcile/reported_failure.ts";
import { ReportedFailures } from "../../core/reconcile/reported_failures.ts";
import { NOW, taskPlan, working } from "../../core/testing/samples.ts";
import type { TaskDecision } from "../../core/work/task_decision.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { Client } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import { act } from "./act.ts";
import type { KopiurPorts } from "./ports.ts";
import { backup } from "./testing/samples.ts";

const { signal } = new AbortController();
const run = { type: "Run", decision: taskPlan("snapshot", working).decision } as const;

function stage(options: { readonly refuse?: "patch"; readonly failure?: Failure } = {}) {
  const done: string[] = [];
  const told: EventNote[] = [];
  let status = {};
  const client = new RecordingClient((call) => {
    const { subresource = "object" } = (call.options ?? {}) as { readonly subresource?: string };
    done.push(`${call.verb} ${subresource}`);
    if (options.refuse)
      throw new ApiError({ request: "PATCH", code: 409, status: { code: 409, reason: "Conflict" } });
    status = { ...status, ...(call.body as { readonly patch: { readonly status?: object } }).patch.status };
    return backup({ metadata: { resourceVersion: String(1 + done.length) }, status });
  });
  const tasks = {
    async carryOut(_: TaskDecision) {
      done.push("run");
      if (options.failure) throw options.failure;
    },
  };
  const events = { event: (_: unknown, note: EventNote) => void told.push(note) };
  const logged: string[] = [];
  const counted: string[] = [];
  const tally = {
    snapshotsOrphaned: (namespace: string, count: number) => counted.push(`${namespace} keeps ${count}`),
    snapshotDeletionFailed: (namespace: string) => counted.push(`${namespace} failed`),
  };
  const clock = new VirtualClock(NOW);
  const ports = {
    tally,
    reported: new ReportedFailures(clock),
    client: client as unknown as Client,
    tasks,
    events,
    log: { ...silentLogger, warn: (_: unknown, message: string) => void logged.push(message) },
    clock,
  } as unknown as KopiurPorts;
  const carry = (decision: Decision<object>, object = backup()) =>
    act(ports, { resource: backupResource, object }, decision, signal);
  return { done, told, logged, counted, client, clock, carry };
}

describe("act()", () => {
  test("says first, then does, then waits", async () => {
    const { done, told, carry } = stage();
    const note = { type: "Normal", reason: "Running", message: "m" } as const;
    const decision = { status: { phase: "Running" }, intents: [run], events: [note], wakeAt: NOW + 5_000 };
    expect(await carry(decision)).toEqual({ type: "requeueAfter", ms: 5_000 });
    expect(done).toEqual(["patch status", "run"]);
    expect(told).toEqual([note]);
  });

  test("what goes wrong is also in the log", async () => {
    const { logged, carry } = stage();
    const warning = { type: "Warning", reason: "SnapshotOrphaned", message: "k1 stays" } as const;
    await carry({ intents: [], events: [warning, { type: "Normal", reason: "Running", message: "m" }] });
    expect(logged).toEqual(["k1 stays"]);
  });

  test("counts a deletion that failed once its status is written", async () => {
    const failed = { type: "SnapshotDeletionFailed", status: "True", reason: "R", message: "m" };
    const decision = { status: { phase: "Deleting", conditions: [failed] }, intents: [] };
    const { counted, carry } = stage();
    await carry(decision);
    expect(counted).toEqual(["billing failed"]);
    const refused = stage({ refuse: "patch" });
    await expect(refused.carry(decision)).rejects.toThrow(ApiError);
    expect(refused.counted).toEqual([]);
  });

  test("counts snapshots as orphaned once all is done that leaves them behind", async () => {
    const kept = backup({ status: { snapshots: [{ kopiaSnapshotID: "k1" }, { kopiaSnapshotID: "k2" }] } });
    const note = { type: "Warning", reason: "SnapshotOrphaned", message: "k1, k2 stay" } as const;
    const { counted, carry } = stage();
    await carry({ intents: [run], events: [note] }, kept);
    expect(counted).toEqual(["billing keeps 2"]);
    const elsewhere = backup({ status: { ...kept.status, backupRef: { namespace: "shop", name: "o" } } });
    await carry({ intents: [run], events: [note] }, elsewhere);
    await carry({ intents: [run], events: [note] }, backup());
    expect(counted).toHaveLength(1);
    const broken = stage({ failure: new Failure("transient", "Away", "it is away") });
    await expect(broken.carry({ intents: [run], events: [note] }, kept)).rejects.toThrow(Failure);
    expect(broken.counted).toEqual([]);
  });

  test("does nothing, and tells nothing, on an old state", async () => {
    const { done, told, carry } = stage({ refuse: "patch" });
    const note = { type: "Normal", reason: "Running", message: "m" } as const;
    await expect(carry({ status: { phase: "Running" }, intents: [run], events: [note] })).rejects.toThrow(
      ApiError,
    );
    expect(done).toEqual(["patch status"]);
    expect(told).toEqual([]);
  });

  test("writes nothing where nothing is to be said, and never waits for the past", async () => {
    const { done, carry } = stage();
    expect(await carry({ intents: [], wakeAt: NOW - 1 })).toEqual({ type: "requeueAfter", ms: 0 });
    expect(await carry({ intents: [] })).toEqual({ type: "done" });
    expect(done).toEqual([]);
  });

  test("what could not be done is not tried again because it was told, and is tried again later", async () => {
    const failure = new Failure("structural", "Forbidden", "it may not create Jobs");
    const { done, clock, carry } = stage({ failure });
    const decision = { status: { phase: "Pending" }, intents: [run] };
    await expect(carry(decision)).rejects.toBe(failure);
    const explained = backup({ metadata: { resourceVersion: String(1 + done.length) } });
    const before = done.length;
    await expect(carry(decision, explained)).rejects.toBe(failure);
    expect(done).toHaveLength(before);
    await clock.advance(60_000);
    await expect(carry(decision, explained)).rejects.toBe(failure);
    expect(done.slice(before)).toContain("run");
  });

  test("what could not be done shows on the object, and is tried again by its class", async () => {
    const failure = new Failure("structural", "PodSecurityDenied", "the pod is refused");
    const { client, told, carry } = stage({ failure });
    await expect(carry({ status: { phase: "Pending" }, intents: [run] })).rejects.toBe(failure);
    const last = client.calls.at(-1)?.body as { readonly patch: { readonly status: object } };
    expect(last.patch.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason: "PodSecurityDenied" }),
      ]),
    });
    expect(told).toEqual([{ type: "Warning", reason: "PodSecurityDenied", message: "the pod is refused" }]);
  });

  test("what could not be done may have more to say than a condition has room for", async () => {
    const more = { phase: "Failed", namespaces: [{ namespace: "shop", reason: "RecipeRefused" }] };
    const failure = new ReportedFailure("structural", "RecipeRefused", "it is refused in shop", more);
    const { client, carry } = stage({ failure });
    await expect(carry({ status: { phase: "Pending" }, intents: [run] })).rejects.toBe(failure);
    const last = client.calls.at(-1)?.body as { readonly patch: { readonly status: object } };
    expect(last.patch.status).toMatchObject({ ...more, conditions: expect.anything() });
  });

  test("holds an object with its finalizer and its labels in one write, for the state that was seen", async () => {
    const { client, carry } = stage();
    const object = backup({ metadata: { finalizers: ["other"] } });
    await carry({ intents: [{ type: "Hold", finalizer: "ours", labels: { a: "b" } }] }, object);
    expect(client.writes).toMatchObject([
      {
        verb: "patch",
        body: {
          type: "merge",
          patch: { metadata: { resourceVersion: "1", labels: { a: "b" }, finalizers: ["other", "ours"] } },
        },
      },
    ]);
  });

  test("lets an object go without touching the finalizers of others", async () => {
    const { client, carry } = stage();
    const object = backup({ metadata: { finalizers: ["other", "ours"] } });
    await carry({ intents: [{ type: "LetGo", finalizer: "ours" }] }, object);
    expect(client.writes).toMatchObject([{ body: { patch: { metadata: { finalizers: ["other"] } } } }]);
  });
});

import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Client } from "../../kube/client.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { ok } from "../../lib/result.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { act } from "../reconcile/act.ts";
import { ReportedFailures } from "../reconcile/reported_failures.ts";
import { AT, failed, NOW, taskPlan, UNREACHABLE, working } from "../testing/samples.ts";
import type { Volume } from "../volumes/staging/observed_staging.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import { decideRestore } from "./decide_restore.ts";
import { RefusedClaims } from "./reserving.ts";
import type { RestorePorts } from "./restore_ports.ts";
import { RESTORE } from "./restore_tasks.ts";
import { primeOf, RESTORES, restore } from "./testing/restore_samples.ts";

const prime = primeOf();
const volume: Volume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pvc-uid-prime", uid: "uid-pv", resourceVersion: "1", creationTimestamp: AT },
  spec: { claimRef: { uid: "uid-prime" } },
};
const pinned = { repository: { kind: "Repository", name: "nas" }, snapshotID: "k1", pinnedAt: AT } as const;

/** A Restore that writes into its prime claim, while nobody lets it make the claim itself. */
function stage() {
  let present = restore({ status: { work: { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } } } });
  let refuses = true;
  const clock = new VirtualClock(NOW);
  const events: EventNote[] = [];
  const client = new RecordingClient(({ verb, body }) => {
    if (verb === "create" && refuses)
      throw new ApiError({ request: "create", code: 422, status: { code: 422, reason: "Invalid" } });
    if (verb === "create") return prime;
    const { patch } = body as { readonly patch: { readonly status: object } };
    const resourceVersion = String(Number(present.metadata.resourceVersion) + 1);
    present = {
      ...present,
      metadata: { ...present.metadata, resourceVersion },
      status: { ...present.status, ...patch.status },
    };
    return present;
  });
  const ports = {
    client: client as unknown as Client,
    clock,
    told: new ReportedFailures(clock),
    events: { event: (_: unknown, note: EventNote) => void events.push(note) },
    log: { warn: () => undefined },
  } as unknown as RestorePorts;
  const refused = new RefusedClaims();
  /** Looks again after so long, when the run has come so far. */
  const look = async (after: number, state: TaskState = working) => {
    await clock.advance(after);
    const observed = {
      restore: present,
      api: RESTORES,
      resolution: ok({ type: "Pinned", pinned } as const),
      through: { prime, volume },
      use: { type: "Free" } as const,
      run: ok(taskPlan(RESTORE, state, { record: { job: "uid-job" } })),
      scaled: [],
      now: clock.now(),
      refusedAt: refused.at(present),
    };
    const signal = new AbortController().signal;
    const doing = act(
      ports,
      { resource: RESTORES.resource, object: present },
      decideRestore(observed),
      signal,
    );
    return doing.catch((error: unknown) => {
      refused.note(present, error, clock.now());
      return error;
    });
  };
  return {
    look,
    events,
    allow: () => {
      refuses = false;
    },
    get tries() {
      return client.calls.filter(({ verb }) => verb === "create").length;
    },
    get ready() {
      return present.status?.conditions?.find(({ type }) => type === "Ready");
    },
    get status() {
      return present.status;
    },
  };
}

const going = (files: number): TaskState => ({
  ...working,
  state: { ...working.state, progress: { version: 1, step: "restore", files, bytes: files } },
});

test("a claim that is refused is told once, and how it stands does not change while the data is written", async () => {
  const it = stage();
  await it.look(0);
  const said = it.ready;
  expect(said).toMatchObject({ status: "False", reason: "Invalid" });
  const told = it.events.length;
  expect(it.events.filter(({ reason }) => reason === "Invalid")).toHaveLength(1);
  await it.look(5_000, going(3));
  await it.look(5_000, going(6));
  expect(it.ready).toEqual(said);
  expect(it.status?.progress).toMatchObject({ filesRestored: 6 });
  expect([it.tries, it.events.length]).toEqual([1, told]);
});

test("it is tried again after a while, and what the run does is said once it is made", async () => {
  const it = stage();
  await it.look(0);
  const { events, ready } = { events: it.events.length, ready: it.ready };
  await it.look(300_000);
  expect([it.tries, it.events.length, it.ready]).toEqual([2, events, ready]);
  it.allow();
  await it.look(10_000);
  expect(it.tries).toBe(2);
  await it.look(300_000);
  expect(it.tries).toBe(3);
});

test("a run that fails says so, whoever refuses the claim", async () => {
  const it = stage();
  await it.look(0);
  await it.look(5_000, failed(UNREACHABLE));
  expect(it.status?.phase).toBe("Failed");
  expect(it.ready).toMatchObject({ reason: "Unreachable" });
});

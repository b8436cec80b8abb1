import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { waits } from "../reconcile/problem.ts";
import {
  failed,
  NOW,
  SETTINGS,
  snapshot,
  succeeded,
  taskPlan,
  UNREACHABLE,
  working,
} from "../testing/samples.ts";
import type { StagingState } from "../volumes/staging/staging_decision.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import { NOTHING_DONE } from "../workloads/hooks/hook_progress.ts";
import { type HookSight, failed as hookFailed } from "../workloads/hooks/hook_sight.ts";
import type { BackupDecision, BackupState } from "./backup.ts";
import type { Copies } from "./copies.ts";
import { decideBackup } from "./decide_backup.ts";
import type { ObservedHooks } from "./gates.ts";
import { HOOKS, type HooksMemory } from "./hooks_memory.ts";
import { type HooksSpec, hooksAround } from "./hooks_series.ts";
import { backup, PLAN, request } from "./testing/backup_samples.ts";

const AT = new Date(NOW).toISOString();
const exec = (command: string) => ({
  workloadExec: {
    podSelector: {},
    pods: "Any" as const,
    command: [command],
    timeout: "2m",
    continueOnFailure: false,
    repeatable: false,
  },
});
const HOOKS_SPEC: HooksSpec = { beforeSnapshot: [exec("freeze")], afterSnapshot: [exec("thaw")] };
const FAILURE = "Hook beforeSnapshot[0] (workloadExec) failed: exit code 3";

const memory = (more: Partial<HooksMemory> = {}): HooksMemory => ({
  round: 1,
  moment: "Capture",
  attempt: 1,
  before: { finished: 1 },
  after: NOTHING_DONE,
  ...more,
});
const thawing = (more: Partial<HooksMemory> = {}) =>
  memory({ moment: "After", after: { finished: 0, since: AT }, ...more });
const over = (more: Partial<HooksMemory> = {}) => memory({ moment: "Over", after: { finished: 1 }, ...more });
const ended = (message?: string): HookSight => ({
  phase: "Ended",
  result: message === undefined ? { ok: true } : hookFailed(message),
});

interface Scene extends Partial<Pick<ObservedHooks, "sight" | "due" | "open" | "ending" | "by">> {
  readonly memory?: HooksMemory | undefined;
  readonly method?: "Direct" | "Snapshot";
  readonly state?: TaskState;
  readonly record?: Partial<RunRecord>;
  readonly staging?: StagingState;
  readonly status?: BackupState;
  readonly lost?: boolean;
}

const held: TaskState = { phase: "Held", reason: "RunningHooks", message: "…" };

function decide(scene: Scene): BackupDecision {
  const { memory, sight, due = false, open = true, ending = false, by, method = "Snapshot" } = scene;
  const settings = { ...PLAN.settings, copyMethod: method, hooks: HOOKS_SPEC };
  const plan = { ...PLAN, copyMethod: method, settings };
  const status = { ...scene.status, ...(memory ? { work: { [HOOKS]: memory } } : {}) };
  const object = backup({ status });
  const asked = request(object, { plan });
  const hooks = hooksAround({
    owner: asked.owner,
    hooks: HOOKS_SPEC,
    settings: SETTINGS,
    round: memory?.round ?? 1,
  });
  const { staging } = scene;
  const copies: Copies | undefined = staging && {
    phase: "Staging",
    memory: { edition: "e", since: AT, failures: 0 },
    decision: { state: staging, intents: [] },
  };
  return decideBackup({
    backup: object,
    request: ok(asked),
    run: scene.lost
      ? err(waits("RepositoryNotFound", "there is none"))
      : ok(taskPlan("snapshot", scene.state ?? held, { record: scene.record ?? {} })),
    hooks: { hooks, memory, sight, due, open, ending, by },
    ...(copies ? { copies } : {}),
    now: NOW,
  });
}

const memoryAfter = (decision: BackupDecision) => decision.status?.work?.[HOOKS] as HooksMemory;
const done = (decision: BackupDecision) =>
  decision.intents.flatMap((one) =>
    one.type === "Hooks" ? one.intents.map(({ type }) => `${type} ${one.series.purpose}`) : [],
  );
const ready = ({ status }: BackupDecision) => status?.conditions?.find(({ type }) => type === "Ready");
const waiting = (captured: boolean): StagingState => ({
  phase: "Waiting",
  captured,
  reason: "SnapshotPending",
  message: "It is taken.",
});
const made = succeeded({
  snapshots: [{ source: "billing/data", snapshot: snapshot(), losses: [] }],
} as never);

describe("the hooks of a Backup", () => {
  test("wait until nothing else stands before the capture", () => {
    const decision = decide({});
    expect(memoryAfter(decision)).toBeUndefined();
    expect(done(decision)).toEqual([]);
  });

  test("begin with those before it, and say so", () => {
    const decision = decide({ due: true });
    expect(memoryAfter(decision)).toMatchObject({
      round: 1,
      moment: "Before",
      before: { finished: 0, since: AT },
    });
    expect(done(decision)).toEqual(["Start before"]);
    expect(decision.status?.hooks).toEqual({ before: { state: "Running", finished: 0 } });
    expect(ready(decision)).toMatchObject({
      reason: "RunningHooks",
      message: "Hook beforeSnapshot[0] (workloadExec) is running.",
    });
  });

  const freezing = memory({ moment: "Before", before: { finished: 0, since: AT } });

  test("let the capture begin once those before it have run", () => {
    const decision = decide({ memory: freezing, sight: ended() });
    expect(memoryAfter(decision)).toMatchObject({ moment: "Capture", quiescedAt: AT });
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "SourcesQuiesced", status: "True" }),
    );
  });

  test("go on with those after it when one before it fails, and nothing is captured", () => {
    const decision = decide({ memory: freezing, sight: ended("exit code 3") });
    expect(memoryAfter(decision)).toMatchObject({ moment: "After", before: { failure: FAILURE } });
    expect(done(decision)).toEqual(["Forget before", "Start after"]);
    expect(decision.events).toContainEqual({ type: "Warning", reason: "HookFailed", message: FAILURE });
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "SourcesQuiesced", status: "False", reason: "HookFailed" }),
    );
  });

  test.each<[string, Scene, string]>([
    ["a snapshot that is being taken", { staging: waiting(false) }, "Capture"],
    ["a snapshot that was taken, though no copy of it is there yet", { staging: waiting(true) }, "After"],
    [
      "a copy that is made only when its mover starts",
      { staging: { phase: "Ready", captured: false, volumes: [] } },
      "Capture",
    ],
    ["a mover that reads such a copy", { state: working, record: { job: "uid-1" } }, "After"],
    [
      "a try at a copy that was given up",
      { staging: { phase: "Refused", class: "transient", reason: "R", message: "M" } },
      "After",
    ],
    [
      "a mover that reads the volume itself",
      { method: "Direct", state: working, record: { job: "u" } },
      "Capture",
    ],
    ["a mover that is about to start", { method: "Direct", record: {} }, "Capture"],
    ["a mover that may not start after all", { method: "Direct", open: false }, "After"],
    [
      "a mover that did not start in time",
      {
        method: "Direct",
        state: working,
        record: { job: "u", late: { class: "NotStarted", message: "m", remedy: "r" } },
      },
      "After",
    ],
    ["the next attempt of a mover", { method: "Direct", record: { attempt: 2 } }, "After"],
    ["an attempt whose report was lost", { method: "Direct", record: { step: "Settle" } }, "After"],
    ["a repository that is gone", { lost: true }, "After"],
  ])("during %s: %s", (_, scene, moment) => {
    expect(memoryAfter(decide({ ...scene, memory: memory() }))).toMatchObject({ moment });
  });

  test("look again when the workload may wait no longer", () => {
    expect(decide({ memory: memory(), by: NOW + 60_000 }).wakeAt).toBe(NOW + 60_000);
  });

  test("keep in mind what was captured, so that later attempts read it without them", () => {
    expect(memoryAfter(decide({ memory: memory(), staging: waiting(true) }))).toMatchObject({
      captured: true,
    });
    const next = decide({ memory: over({ captured: true }), due: false, record: { attempt: 2 } });
    expect(done(next)).toEqual([]);
  });

  test("begin anew for another attempt at the volume itself", () => {
    const decision = decide({ method: "Direct", memory: over(), due: true, record: { attempt: 2 } });
    expect(memoryAfter(decision)).toMatchObject({ round: 2, attempt: 2, moment: "Before" });
  });

  test.each<[string, TaskState, "Succeeded" | "Failed", string]>([
    ["succeeds", made, "Succeeded", "Succeeded"],
    ["fails", failed(UNREACHABLE), "Failed", "Unreachable"],
  ])("hold back the end of a Backup that %s until they have run", (_, state, phase, reason) => {
    const first = decide({ method: "Direct", memory: memory(), state });
    expect(first.status).toMatchObject({ phase: "Running", work: { snapshot: { outcome: phase } } });
    expect(done(first)).toEqual(["Start after"]);
    expect(ready(first)?.reason).toBe("RunningHooks");
    const { status } = first;
    const remembered = memoryAfter(first);
    expect(remembered.end).toMatchObject({ phase, stand: { reason } });
    const closed: TaskState = { phase: "Ended", outcome: phase, logTail: [], settled: false };
    const last = decide({
      method: "Direct",
      state: closed,
      status: status ?? {},
      memory: remembered,
      sight: ended(),
    });
    expect(last.status).toMatchObject({
      phase,
      hooks: { before: { state: "Succeeded" }, after: { state: "Succeeded", finished: 1 } },
    });
    expect(ready(last)?.reason).toBe(reason);
    expect(last.status?.snapshots).toEqual(status?.snapshots);
    expect(last.events).toContainEqual(expect.objectContaining({ reason }));
    expect(memoryAfter(last)).not.toHaveProperty("end");
    const { settings } = last.status?.plan ?? {};
    expect(settings).toHaveProperty("policy");
    expect(settings?.hooks !== undefined).toBe(phase === "Failed");
  });

  test("end a Backup as failed when one fails, also where its snapshots were made", () => {
    const end = { phase: "Succeeded", stand: { state: "ready", reason: "Succeeded", message: "m" } } as const;
    const decision = decide({
      method: "Direct",
      memory: thawing({ end }),
      sight: ended("exit code 9"),
      state: { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false },
      status: { phase: "Running", snapshots: [] },
    });
    expect(decision.status).toMatchObject({
      phase: "Failed",
      snapshots: [],
      failure: { errorClass: "HookFailed", retry: "terminal" },
      hooks: { after: { state: "Failed", message: expect.stringContaining("exit code 9") } },
    });
    expect(ready(decision)).toMatchObject({ status: "False", reason: "HookFailed" });
  });

  test("name the hook that failed as the reason, where the run was cancelled because of it", () => {
    const decision = decide({
      memory: over({ before: { finished: 1, failure: FAILURE } }),
      ending: true,
      state: {
        phase: "Ended",
        outcome: "Cancelled",
        result: made.phase === "Ended" ? made.result : undefined,
        logTail: [],
        settled: false,
      } as TaskState,
      status: { phase: "Pending" },
    });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { message: FAILURE } });
    expect(ready(decision)).toMatchObject({ reason: "HookFailed", message: FAILURE });
  });

  test("are let to their end when the Backup is cancelled, and begun no more", () => {
    const two = memory({ moment: "Before", before: { finished: 0, since: AT } });
    expect(memoryAfter(decide({ memory: two, ending: true, sight: { phase: "Running" } }))).toMatchObject({
      moment: "Before",
    });
    expect(memoryAfter(decide({ memory: two, ending: true, sight: ended() }))).toMatchObject({
      moment: "After",
    });
  });

  test("leave a Backup alone that ended long ago", () => {
    const state: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
    const decision = decide({ memory: over(), state, status: { phase: "Succeeded" } });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toEqual([]);
  });
});

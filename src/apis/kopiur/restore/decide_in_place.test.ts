import { describe, expect, test } from "vitest";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { SCALED_FOR, SCALED_FROM } from "../../../core/workloads/scaling/scaling_marks.ts";
import { ROLLOUTS } from "../../../core/workloads/scaling/testing/rollouts.ts";
import type { Scalable, Workload } from "../../../core/workloads/scaling/workload.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { StatefulSets } from "../../../kube/builtin.ts";
import type { Resource } from "../../../kube/resource.ts";
import { ok } from "../../../lib/result.ts";
import { edition } from "../editions.ts";
import { AT, failed, NOW, outlook, restore, snapshot, succeeded, UNREACHABLE } from "../testing/samples.ts";
import { decideRestore } from "./decide_restore.ts";
import { decideRestoreDeletion, type ObservedRestoreDeletion } from "./decide_restore_deletion.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { RESTORE } from "./restore_tasks.ts";

const spec = { target: { pvcRef: { name: "data", scaleDownWorkloads: true } } } as const;
const inPlace = (status?: object, metadata: object = {}) =>
  restore({ spec, metadata, ...(status ? { status } : {}) });
const pinned = { repository: { kind: "Repository", name: "nas" }, snapshotID: "k1", pinnedAt: AT } as const;

const claim = (claimSpec: object = {}, metadata: object = {}): Claim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "data",
    namespace: "billing",
    uid: "uid-data",
    resourceVersion: "1",
    creationTimestamp: AT,
    ...metadata,
  },
  spec: claimSpec,
});

function keeper(annotations: Record<string, string> = {}, replicas = 2): Workload {
  const { metadata } = claim({}, { name: "keeper", annotations });
  return {
    resource: StatefulSets as Resource<Scalable>,
    object: { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: { replicas } },
    replicas,
  };
}
const down = keeper({ [SCALED_FOR]: "uid-again", [SCALED_FROM]: "2" }, 0);
const remembered = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "keeper", replicas: 2 }];

const SCALE: UseDecision = {
  type: "Scale",
  reason: "ScalingDown",
  message: "down it goes",
  workloads: [keeper()],
  intents: [{ type: "ScaleDown", workload: keeper(), holder: "uid-again" }],
};
const IN_USE: UseDecision = { type: "InUse", reason: "VolumeInUse", message: "mounted" };
const heldBy = (reason: string): TaskState => ({ phase: "Held", reason, message: "m" });
const begins = { phase: "Working", run: "run-1", state: { phase: "Absent" } } as const satisfies TaskState;

function decide(more: Partial<ObservedRestore> = {}) {
  const resolution = ok({ type: "Pinned", pinned } as const);
  return decideRestore({ restore: inPlace(), resolution, claim: claim(), scaled: [], now: NOW, ...more });
}
const run = (state: TaskState, more: Parameters<typeof outlook>[2] = {}) =>
  ok(outlook("restore", state, more));
const ready = (decision: ReturnType<typeof decide>) =>
  decision.status?.conditions?.find(({ type }) => type === "Ready");

describe("decideRestore() into an existing claim", () => {
  test.each<[string, Claim | undefined, string, string]>([
    ["that is not there is waited for", undefined, "ClaimNotFound", "Pending"],
    ["that is going is left alone", claim({}, { deletionTimestamp: AT }), "ClaimDeleting", "Pending"],
    ["that is a block device is refused", claim({ volumeMode: "Block" }), "BlockVolume", "Failed"],
  ])("one %s", (_, found, reason, phase) => {
    const decision = decide({ claim: found, run: run(begins) });
    expect(decision).toMatchObject({ status: { phase }, intents: [] });
    expect(ready(decision)).toMatchObject({ reason });
  });

  test("one in use is refused with the remedy, and looked at again", () => {
    const decision = decide({ use: IN_USE, run: run(heldBy("VolumeInUse")) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(ready(decision)).toMatchObject({ reason: "VolumeInUse", message: "mounted" });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "VolumeInUse" }]);
  });

  test.each<[number, UseDecision]>([
    [2_000, SCALE],
    [2_000, { type: "Waiting", reason: "ScalingDown", message: "m" }],
    [15_000, { type: "Waiting", reason: "Binding", message: "m" }],
    [15_000, { type: "Waiting", reason: "VolumeBusy", message: "m" }],
    [15_000, IN_USE],
  ])("is looked at again after %i ms with %j", (after, use) => {
    const held = use.type === "Free" ? "" : use.reason;
    expect(decide({ use, run: run(heldBy(held)) }).wakeAt).toBe(NOW + after);
  });

  test("what uses it is remembered, then held, then scaled down", () => {
    const decision = decide({ use: SCALE, run: run(heldBy("ScalingDown")) });
    expect(decision.status).toMatchObject({ phase: "Pending", scaledWorkloads: remembered });
    expect(decision.intents).toMatchObject([
      { type: "Hold", finalizer: SCALED_WORKLOADS },
      { type: "Scale", intents: [{ type: "ScaleDown" }] },
    ]);
  });

  test("more workloads than the status remembers are not scaled down, and that is said", () => {
    const many = Array.from({ length: 17 }, (_, n) => {
      const { object, ...workload } = keeper();
      return { ...workload, object: { ...object, metadata: { ...object.metadata, name: `keeper-${n}` } } };
    });
    const decision = decide({ use: { ...SCALE, workloads: many }, run: run(heldBy("ScalingDown")) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.status).not.toHaveProperty("scaledWorkloads");
    expect(ready(decision)).toMatchObject({
      reason: "TooManyWorkloads",
      message: expect.stringContaining("17 workloads use the claim, and a restore scales down at most 16."),
    });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    const some = decide({ use: { ...SCALE, workloads: many.slice(1) }, run: run(heldBy("ScalingDown")) });
    expect(some.status?.scaledWorkloads).toHaveLength(16);
  });

  test("a workload that refuses is tried again, and that it refused stays said meanwhile", () => {
    const conditions = [{ type: "Ready", status: "False", reason: "CannotScale", message: "no" }];
    const decision = decide({
      restore: inPlace({ conditions }),
      use: SCALE,
      run: run(heldBy("ScalingDown")),
    });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: SCALE.intents });
    expect(ready(decision)).toMatchObject({ reason: "CannotScale", message: "no" });
    expect(decision.events).toEqual([]);
    const work = { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } };
    const writes = decide({ restore: inPlace({ conditions, work }), use: SCALE, run: run(begins) });
    expect(writes.intents).toContainEqual({ type: "Scale", intents: SCALE.intents });
    expect(ready(writes)).toMatchObject({ reason: "CannotScale" });
    expect(writes.events).toEqual([]);
    const free = decide({ restore: inPlace({ conditions }), use: { type: "Free" }, run: run(begins) });
    expect(ready(free)).toMatchObject({ reason: "Preparing" });
  });

  test("nothing is scaled down for a repository that is away", () => {
    const decision = decide({ use: SCALE, run: run(heldBy("RepositoryNotReady")) });
    expect(decision.intents).toEqual([]);
    expect(ready(decision)).toMatchObject({ reason: "RepositoryNotReady" });
  });

  test("one that is free is written", () => {
    const decision = decide({ use: { type: "Free" }, run: run(begins) });
    expect(decision.status).toMatchObject({ phase: "Restoring", target: { pvcRef: { name: "data" } } });
  });

  test("without a snapshot it stays as it is, where the policy wants it so", () => {
    const resolution = ok({ type: "Pinned", pinned: { ...pinned, noSnapshot: true } } as const);
    const decision = decide({ resolution });
    expect(decision).toMatchObject({ status: { phase: "Completed" }, intents: [] });
    expect(ready(decision)).toMatchObject({ message: expect.stringContaining("left as it is") });
  });
});

describe("decideRestore() while the data is written", () => {
  const record = { ...FIRST_ATTEMPT, job: "uid-job" };
  const writing = (more: object = {}) =>
    inPlace({ phase: "Restoring", work: { [RESTORE]: record }, ...more }, { finalizers: [SCALED_WORKLOADS] });
  const used = ({ status }: { readonly status?: RestoreStatus }) =>
    status?.conditions?.find(({ type }) => type === "VolumeUsedMeanwhile");
  const back = keeper({ [SCALED_FOR]: "uid-again", [SCALED_FROM]: "2" }, 3);
  const scaleAgain: UseDecision = {
    ...SCALE,
    who: "StatefulSet keeper",
    workloads: [back],
    intents: [{ type: "ScaleDown", workload: back, holder: "uid-again" }],
  };
  const answer = { snapshot: snapshot(), files: 3, bytes: 300, fidelity: "Full", losses: [] } as const;

  test("who keeps away is looked for again, and nothing is said", () => {
    const decision = decide({ restore: writing(), use: { type: "Free" }, run: run(begins) });
    expect(decision).toMatchObject({ status: { phase: "Restoring" }, wakeAt: NOW + 15_000 });
    expect(used(decision)).toBeUndefined();
  });

  test("a workload that was set back goes down again, to come back with its new number", () => {
    const restoreNow = writing({ scaledWorkloads: remembered });
    const decision = decide({ restore: restoreNow, scaled: [back], use: scaleAgain, run: run(begins) });
    expect(decision.status).toMatchObject({ phase: "Restoring", scaledWorkloads: [{ replicas: 3 }] });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    const looked = { restore: restoreNow, scaled: [back], use: scaleAgain };
    const working = run(begins, { intents: [{ type: "Ensure" }] as never });
    const order = decide({ ...looked, run: working }).intents.map(({ type }) => type);
    expect(order).toEqual(["Run", "Hold", "Scale"]);
    expect(used(decision)).toMatchObject({
      status: "True",
      message: expect.stringMatching(/^StatefulSet keeper came back to .* scaled down again. Suspend/),
    });
    expect(decision.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "VolumeUsedMeanwhile" }),
    );
  });

  test("a workload that somebody else has down gets our mark too, and nobody was there", () => {
    const { who: _, ...quiet } = scaleAgain;
    const decision = decide({ restore: writing(), use: quiet, run: run(begins) });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    expect(used(decision)).toBeUndefined();
  });

  test("a pod that came is told once, and not forgotten when it goes, nor at the end", () => {
    const use: UseDecision = { ...IN_USE, who: "pod billing/web-1" };
    const first = decide({ restore: writing(), use, run: run(begins) });
    expect(first.intents).toEqual([]);
    const { conditions } = first.status ?? {};
    const again = decide({ restore: writing({ conditions }), use, run: run(begins) });
    expect(again.events?.filter(({ reason }) => reason === "VolumeUsedMeanwhile")).toEqual([]);
    const ended = decide({
      restore: writing({ conditions }),
      use: { type: "Free" },
      run: run(succeeded({ restore: answer })),
    });
    expect(ended.status?.phase).toBe("Completed");
    expect(used(ended)).toMatchObject({ status: "True", message: expect.stringContaining("web-1") });
  });

  test("nothing is scaled down any more once the data is there, and it is still said", () => {
    const decision = decide({
      restore: writing(),
      use: scaleAgain,
      run: run(succeeded({ restore: answer })),
    });
    expect(decision.intents).not.toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    expect(used(decision)).toMatchObject({ status: "True" });
  });
});

describe("decideRestore(): what was scaled down", () => {
  const answer = { snapshot: snapshot(), files: 3, bytes: 300, fidelity: "Full", losses: [] } as const;
  const begun = inPlace({ scaledWorkloads: remembered }, { finalizers: [SCALED_WORKLOADS] });

  test.each<[string, TaskState]>([
    ["success", succeeded({ restore: answer })],
    ["failure", failed(UNREACHABLE)],
  ])("is brought back after %s", (_, state) => {
    const decision = decide({ restore: begun, scaled: [down], run: run(state) });
    expect(decision.intents).toContainEqual({
      type: "Scale",
      intents: [{ type: "ScaleUp", workload: down, holder: "uid-again" }],
    });
    expect(decision.status?.scaledWorkloads).toEqual(remembered);
  });

  test("stays down while the mover works, and between two attempts", () => {
    const backingOff: TaskState = { phase: "BackingOff", failure: UNREACHABLE, until: AT };
    for (const state of [begins, backingOff]) {
      expect(decide({ restore: begun, scaled: [down], run: run(state) }).intents).toEqual([]);
    }
  });

  const ended = (status: object) =>
    inPlace({ phase: "Completed", ...status }, { finalizers: [SCALED_WORKLOADS] });

  test("is brought back by whoever looks at an ended Restore, and is forgotten once it is back", () => {
    const object = ended({ scaledWorkloads: remembered });
    expect(decide({ restore: object, scaled: [down] }).intents).toMatchObject([{ type: "Scale" }]);
    const back = decide({ restore: object, scaled: [keeper()] });
    expect(back.status?.scaledWorkloads).toBeUndefined();
    expect(back.intents).toEqual([{ type: "LetGo", finalizer: SCALED_WORKLOADS }]);
    expect(decide({ restore: object, scaled: [] }).intents).toEqual([
      { type: "LetGo", finalizer: SCALED_WORKLOADS },
    ]);
  });

  test("holds nobody who was forgotten before he was let go", () => {
    expect(decide({ restore: ended({}) }).intents).toEqual([{ type: "LetGo", finalizer: SCALED_WORKLOADS }]);
    const free = inPlace({ phase: "Completed" });
    expect(decide({ restore: free })).toEqual({ intents: [] });
  });

  const hidden = [{ resource: ROLLOUTS, name: "web" }];

  test("and may not be read any more is not forgotten, and that is said", () => {
    const object = ended({ scaledWorkloads: remembered });
    const decision = decide({ restore: object, hidden });
    expect(decision).toMatchObject({
      intents: [],
      events: [
        { type: "Warning", reason: "WorkloadHidden", message: expect.stringMatching(/^Rollout web was/) },
      ],
      wakeAt: NOW + 300_000,
    });
    expect(decision.status).toBeUndefined();
    expect(decide({ restore: object, hidden, scaled: [down] }).intents).toMatchObject([{ type: "Scale" }]);
  });

  test.each([
    ["Completed", { progress: { filesRestored: 3 } }, { status: "True", message: "3 files were restored." }],
    ["Failed", { failure: { errorClass: "Unreachable", message: "m", remedy: "r." } }, { message: "m. r." }],
    [
      "Failed",
      {},
      { message: "The restore has failed. Edit it to have it tried again, or create another one." },
    ],
  ] as const)("hides the end no longer once it is back: %s", (phase, more, said) => {
    const conditions = [{ type: "Ready", status: "False", reason: "CannotScale", message: "m" }];
    const record = { ...FIRST_ATTEMPT, edition: edition(inPlace()), outcome: "Failed" };
    const work = { [RESTORE]: record };
    const object = ended({ phase, ...more, work, conditions, scaledWorkloads: remembered });
    const decision = decide({ restore: object, scaled: [keeper()] });
    expect(decision.status?.scaledWorkloads).toBeUndefined();
    expect(ready(decision)).toMatchObject(said);
  });

  test("of another is not ours to bring back", () => {
    const others = keeper({ [SCALED_FOR]: "uid-other", [SCALED_FROM]: "2" }, 0);
    const decision = decide({ restore: ended({ scaledWorkloads: remembered }), scaled: [others] });
    expect(decision.intents).toEqual([{ type: "LetGo", finalizer: SCALED_WORKLOADS }]);
  });
});

describe("decideRestoreDeletion()", () => {
  const going = inPlace(
    { scaledWorkloads: remembered },
    { finalizers: [SCALED_WORKLOADS], deletionTimestamp: AT },
  );
  const mover = {
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...claim().metadata, labels: { "holdfast.dev/run-owner": "uid-again" } },
    },
  };
  const decideEnd = (more: Partial<ObservedRestoreDeletion>) =>
    decideRestoreDeletion({
      restore: going,
      scaled: [down],
      users: [],
      namespaceGoes: false,
      now: NOW,
      ...more,
    }).intents.map(({ type }) => type);

  test("ends the mover first, then brings workloads back, then lets go", () => {
    expect(decideEnd({ users: [mover] })).toEqual(["EndRuns"]);
    expect(decideEnd({})).toEqual(["EndRuns", "Scale"]);
    expect(decideEnd({ scaled: [keeper()] })).toEqual(["LetGo"]);
  });

  test("keeps what was scaled down and may not be read any more, and says how to go on", () => {
    const hidden = [{ resource: ROLLOUTS, name: "web" }];
    expect(decideEnd({ scaled: [], hidden })).toEqual(["EndRuns"]);
    expect(decideEnd({ hidden })).toEqual(["EndRuns", "Scale"]);
    expect(decideEnd({ scaled: [], hidden, namespaceGoes: true })).toEqual(["LetGo"]);
    const seen = { restore: going, scaled: [], hidden, users: [], namespaceGoes: false, now: NOW };
    const decision = decideRestoreDeletion(seen);
    expect(ready(decision)).toMatchObject({
      reason: "WorkloadHidden",
      message: `Rollout web was scaled down for this restore, and cannot be brought back: it may not be read. Grant the operator get and patch on rollouts.argoproj.io (the chart's rbac.extraRules); or scale it up yourself, as status.scaledWorkloads says, and remove the finalizer ${SCALED_WORKLOADS}.`,
    });
    expect(decision.wakeAt).toBe(NOW + 300_000);
  });

  test("lets go at once in a namespace that is going", () => {
    expect(decideEnd({ users: [mover], namespaceGoes: true })).toEqual(["LetGo"]);
  });

  test("has nothing to do where nothing was scaled down", () => {
    expect(decideEnd({ restore: inPlace({}, { deletionTimestamp: AT }) })).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, failed, NOW, succeeded, UNREACHABLE } from "../testing/samples.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { GitOpsOwner } from "../workloads/gitops/observe_gitops.ts";
import { PAUSED_FOR } from "../workloads/gitops/pause.ts";
import { application } from "../workloads/gitops/testing/gitops_samples.ts";
import { SCALED_FOR, SCALED_FROM } from "../workloads/scaling/scaling_marks.ts";
import { ROLLOUTS } from "../workloads/scaling/testing/rollouts.ts";
import { broughtBack, unconfirmedDeletion } from "./in_place.ts";
import { RESTORE } from "./restore_tasks.ts";
import { decideInPlace, down, inPlace, keeper, remembered, SCALE } from "./testing/in_place_samples.ts";
import { answer, begins, conditionOf, RESTORES, run } from "./testing/restore_samples.ts";

test("files are deleted by an empty snapshot only where somebody confirms it", () => {
  const deleting = (more: object = {}) => {
    const { options, ...spec } = inPlace().spec;
    return { ...inPlace(), spec: { ...spec, options: { ...options, enableFileDeletion: true, ...more } } };
  };
  const view = (restore: ReturnType<typeof inPlace>) => ({
    restore,
    api: RESTORES,
    now: NOW,
    targetBytes: 100,
  });
  expect(unconfirmedDeletion(view(deleting()), { sizeBytes: 0 })).toMatchObject({
    reason: "DeletionUnconfirmed",
    class: "terminal",
    message:
      "Nothing was written: the snapshot is empty, and every file of the volume would be deleted. If that is meant, set confirmDeletion: true; otherwise restore another snapshot.",
  });
  expect(unconfirmedDeletion(view(deleting()), { sizeBytes: 10 })).toMatchObject({ class: "terminal" });
  expect(unconfirmedDeletion(view(deleting({ confirmDeletion: true })), { sizeBytes: 0 })).toBeUndefined();
  expect(unconfirmedDeletion(view(inPlace()), { sizeBytes: 0 })).toBeUndefined();
  expect(unconfirmedDeletion(view(deleting()), { sizeBytes: 90, lacks: "2 files" })).toMatchObject({
    reason: "DeletionUnconfirmed",
  });
});

describe("decideRestore(): what was scaled down", () => {
  const begun = inPlace({ scaledWorkloads: remembered }, { finalizers: [RESTORES.finalizer] });

  test.each<[string, TaskState]>([
    ["success", succeeded({ restore: answer })],
    ["failure", failed(UNREACHABLE)],
  ])("is brought back after %s", (_, state) => {
    const decision = decideInPlace({ restore: begun, scaled: [down], run: run(state) });
    expect(decision.intents).toContainEqual({
      type: "Scale",
      intents: [{ type: "ScaleUp", workload: down, holder: "uid-again" }],
    });
    expect(decision.status?.scaledWorkloads).toEqual(remembered);
  });

  test("is remembered with what is paused for it, and forgotten once both are as they were", () => {
    const owner = application();
    const use = { ...SCALE, owners: [owner] };
    const names = [{ kind: "Application", namespace: "argocd", name: "web" }];
    const begins = decideInPlace({ use, run: run({ phase: "Held", reason: use.reason, message: "" }) });
    expect(begins.status).toMatchObject({ scaledWorkloads: remembered, pausedGitOps: names });

    const status = { scaledWorkloads: remembered, pausedGitOps: names };
    const restore = inPlace(status, { finalizers: [RESTORES.finalizer] });
    const ends = (paused: readonly GitOpsOwner[], scaled = [keeper()]) =>
      decideInPlace({ restore, scaled, paused, run: run(failed(UNREACHABLE)) });
    const held = application({ [PAUSED_FOR]: "uid-again" });
    expect(ends([held], [down]).intents).toContainEqual({
      type: "Scale",
      intents: [
        { type: "ScaleUp", workload: down, holder: "uid-again" },
        { type: "Resume", owner: held, holder: "uid-again" },
      ],
    });
    expect(ends([held]).intents).toContainEqual({
      type: "Scale",
      intents: [{ type: "Resume", owner: held, holder: "uid-again" }],
    });
    expect(ends([held]).status?.pausedGitOps).toEqual(names);
    expect(ends([owner]).status).not.toHaveProperty("pausedGitOps");
    expect(ends([owner]).intents).toContainEqual({ type: "LetGo", finalizer: RESTORES.finalizer });
  });

  test("is not begun where more would have to be paused than a status remembers", () => {
    const owners = [application(), application({}, "team"), application({}, "other")];
    const use = { ...SCALE, owners };
    const decision = decideInPlace({ use, run: run({ phase: "Held", reason: use.reason, message: "" }) });
    expect(decision.intents).toEqual([]);
    expect(JSON.stringify(decision.status)).toContain("3 Applications or HelmReleases");
  });

  const broken = {
    record: { ...FIRST_ATTEMPT, startedAt: AT, lastFailure: UNREACHABLE, outcome: "Failed" },
  } as const;
  const failing = run(failed(UNREACHABLE), broken);

  test("stays down after a failure that has left the volume half written, and that is said", () => {
    const decision = decideInPlace({ restore: begun, scaled: [down], run: failing });
    expect(decision.intents).not.toContainEqual(expect.objectContaining({ type: "Scale" }));
    expect(decision.status?.scaledWorkloads).toEqual(remembered);
    expect(conditionOf(decision, "TargetIncomplete")).toMatchObject({
      status: "True",
      message: expect.stringContaining("PersistentVolumeClaim data holds a part of the old"),
    });
    expect(decision.events).toContainEqual(expect.objectContaining({ reason: "WorkloadStaysDown" }));
  });

  test("comes back after such a failure where that is asked for", () => {
    const pvcRef = { name: "data", scaleDownWorkloads: true, onFailure: "ScaleUp" } as const;
    const restore = { ...begun, spec: { ...begun.spec, target: { pvcRef } } };
    const decision = decideInPlace({ restore, scaled: [down], run: failing });
    expect(decision.intents).toContainEqual(expect.objectContaining({ type: "Scale" }));
  });

  test("comes back once a later restore into the volume has completed", () => {
    const { status } = decideInPlace({ restore: begun, scaled: [down], run: failing });
    const restore = { ...begun, status: { ...begun.status, ...status } };
    const later = {
      ...inPlace(
        { phase: "Completed", timing: { endTime: "2026-05-25T00:00:00Z" } },
        { name: "later", uid: "l" },
      ),
    };
    const waiting = decideInPlace({ restore, scaled: [down], run: failing, later: [] });
    expect(waiting.intents).not.toContainEqual(expect.objectContaining({ type: "Scale" }));
    const decision = decideInPlace({ restore, scaled: [down], run: failing, later: [later] });
    expect(conditionOf(decision, "TargetIncomplete")).toMatchObject({
      status: "False",
      message: "Restore later has restored the volume since.",
    });
    expect(decision.intents).toContainEqual(expect.objectContaining({ type: "Scale" }));
  });

  test("stays down while the mover works, and between two attempts", () => {
    const backingOff: TaskState = { phase: "BackingOff", failure: UNREACHABLE, until: AT };
    for (const state of [begins, backingOff]) {
      expect(decideInPlace({ restore: begun, scaled: [down], run: run(state) }).intents).toEqual([]);
    }
  });

  test("stays down while a Job writes, though the restore has been given up", () => {
    const job = { ...FIRST_ATTEMPT, job: "uid-job" };
    const given = (record: object) =>
      inPlace({ phase: "Failed", scaledWorkloads: remembered, work: { [RESTORE]: record } });
    const seen = (record: object) => ({ restore: given(record), api: RESTORES, scaled: [down], now: NOW });
    expect(broughtBack(seen(job), { intents: [] })).toEqual({ intents: [] });
    expect(broughtBack(seen({ ...job, outcome: "Failed" }), { intents: [] }).intents).toMatchObject([
      { type: "Scale" },
    ]);
  });

  const ended = (status: object) =>
    inPlace({ phase: "Completed", ...status }, { finalizers: [RESTORES.finalizer] });

  test("is brought back by whoever looks at an ended Restore, and is forgotten once it is back", () => {
    const object = ended({ scaledWorkloads: remembered });
    expect(decideInPlace({ restore: object, scaled: [down] }).intents).toMatchObject([{ type: "Scale" }]);
    const back = decideInPlace({ restore: object, scaled: [keeper()] });
    expect(back.status?.scaledWorkloads).toBeUndefined();
    expect(back.intents).toEqual([{ type: "LetGo", finalizer: RESTORES.finalizer }]);
    expect(decideInPlace({ restore: object, scaled: [] }).intents).toEqual([
      { type: "LetGo", finalizer: RESTORES.finalizer },
    ]);
  });

  test("stays down while the restore is one of several, and comes back once that is over", () => {
    const object = ended({ scaledWorkloads: remembered });
    const annotations = { "holdfast.dev/keeps-workloads-down": "true" };
    const one = { ...object, metadata: { ...object.metadata, annotations } };
    expect(decideInPlace({ restore: one, scaled: [down] }).intents).toEqual([]);
    expect(decideInPlace({ restore: object, scaled: [down] }).intents).toMatchObject([{ type: "Scale" }]);
  });

  test("holds nobody who was forgotten before he was let go", () => {
    expect(decideInPlace({ restore: ended({}) }).intents).toEqual([
      { type: "LetGo", finalizer: RESTORES.finalizer },
    ]);
    const free = inPlace({ phase: "Completed" });
    expect(decideInPlace({ restore: free })).toEqual({ intents: [] });
  });

  const hidden = [{ resource: ROLLOUTS, name: "web" }];

  test("and may not be read any more is not forgotten, and that is said", () => {
    const object = ended({ scaledWorkloads: remembered });
    const decision = decideInPlace({ restore: object, hidden });
    expect(decision).toMatchObject({
      intents: [],
      events: [
        { type: "Warning", reason: "WorkloadHidden", message: expect.stringMatching(/^Rollout web was/) },
      ],
      wakeAt: NOW + 300_000,
    });
    expect(decision.status).toBeUndefined();
    expect(decideInPlace({ restore: object, hidden, scaled: [down] }).intents).toMatchObject([
      { type: "Scale" },
    ]);
  });

  test.each([
    ["Completed", { progress: { filesRestored: 3 } }, { status: "True", message: "3 files were restored." }],
    ["Failed", { failure: { errorClass: "Unreachable", message: "m", remedy: "r." } }, { message: "m. r." }],
    [
      "Failed",
      {},
      {
        message: "The restore has failed. Edit it to have it tried again; or create another one.",
      },
    ],
  ] as const)("hides the end no longer once it is back: %s", (phase, more, said) => {
    const conditions = [{ type: "Ready", status: "False", reason: "CannotScale", message: "m" }];
    const record = { ...FIRST_ATTEMPT, edition: specFingerprint(inPlace()), outcome: "Failed" };
    const work = { [RESTORE]: record };
    const object = ended({ phase, ...more, work, conditions, scaledWorkloads: remembered });
    const decision = decideInPlace({ restore: object, scaled: [keeper()] });
    expect(decision.status?.scaledWorkloads).toBeUndefined();
    expect(conditionOf(decision, "Ready")).toMatchObject(said);
  });

  test("of another is not ours to bring back", () => {
    const others = keeper({ [SCALED_FOR]: "uid-other", [SCALED_FROM]: "2" }, 0);
    const decision = decideInPlace({ restore: ended({ scaledWorkloads: remembered }), scaled: [others] });
    expect(decision.intents).toEqual([{ type: "LetGo", finalizer: RESTORES.finalizer }]);
  });
});

test("a workload that is to be held back goes down before the repository is asked", () => {
  const identity = { username: "u", hostname: "h", path: "/p" };
  const repository = { kind: "Repository", name: "nas" };
  const asked = { type: "Ask", repository, identity, point: {}, startEmpty: "Never" } as const;
  const { status, intents } = decideInPlace({ resolution: ok(asked), use: SCALE });
  expect(intents).toMatchObject([{ type: "Hold" }, { type: "Scale", intents: SCALE.intents }]);
  expect(status).toMatchObject({ phase: "Pending", scaledWorkloads: remembered });
});

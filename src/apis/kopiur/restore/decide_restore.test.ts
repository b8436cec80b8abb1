import { describe, expect, test } from "vitest";
import { MADE_FOR } from "../../../core/volumes/claim_request.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { err, ok } from "../../../lib/result.ts";
import { waits } from "../problem.ts";
import {
  AT,
  failed,
  NOW,
  outlook,
  restore,
  snapshot,
  succeeded,
  UNREACHABLE,
  working,
} from "../testing/samples.ts";
import { decideRestore, type ObservedRestore } from "./decide_restore.ts";
import { ASK, asking, catalog, claimOf } from "./testing/restore_samples.ts";

const PINNED = {
  repository: { kind: "Repository", name: "nas", namespace: "billing" },
  identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
  snapshotID: "k1",
  pinnedAt: AT,
} as const;

const claimFor = (uid: string, more: object = {}) =>
  claimOf({ name: "restored", uid: "uid-claim", annotations: { [MADE_FOR]: uid }, ...more });
const ours = claimFor("uid-again");

function decide(more: Partial<ObservedRestore> = {}) {
  const resolution = ok({ type: "Pinned", pinned: PINNED } as const);
  return decideRestore({ restore: restore(), resolution, scaled: [], now: NOW, ...more });
}

const run = (state: TaskState, more: Parameters<typeof outlook>[2] = {}) =>
  ok(outlook("restore-1", state, more));
const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.status?.conditions?.find((one) => one.type === type);
const of = (spec: Partial<RestoreSpec>, status?: object) => restore({ spec, ...(status ? { status } : {}) });

describe("decideRestore(): the target", () => {
  test("the claim is made once it is decided what goes into it, for this Restore and without an owner", () => {
    const decision = decide();
    expect(decision.status).toMatchObject({
      phase: "Resolving",
      resolved: PINNED,
      target: { pvcRef: { name: "restored" } },
    });
    expect(decision.intents).toEqual([
      {
        type: "EnsureClaim",
        request: {
          namespace: "billing",
          name: "restored",
          storageClassName: undefined,
          capacity: "1Gi",
          accessModes: ["ReadWriteOnce"],
          madeFor: "uid-again",
        },
      },
    ]);
  });

  test.each([
    ["that somebody else made", claimFor("uid-other")],
    ["that is going", claimFor("uid-again", { deletionTimestamp: AT })],
  ])("a claim %s is never written into", (_, claim) => {
    const decision = decide({ claim, run: run(working) });
    expect(decision.intents).toEqual([]);
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "ClaimExists" });
  });
});

describe("decideRestore(): the source", () => {
  const missing = waits("BackupNotFound", "there is none.");
  const since = (lastTransitionTime: string) => ({
    conditions: [
      { type: "Ready", status: "False", reason: "BackupNotFound", message: "m", lastTransitionTime },
    ],
  });

  test.each([
    ["not yet looked for", undefined, "Pending", "transient"],
    ["for four minutes", since("2026-05-24T02:09:00Z"), "Pending", "transient"],
    ["for five minutes", since("2026-05-24T02:08:00Z"), "Failed", "terminal"],
  ])("is waited for as long as it may: %s", (_, status, phase, failureClass) => {
    const decision = decide({ restore: restore(status ? { status } : {}), resolution: err(missing) });
    expect(decision.status?.phase).toBe(phase);
    expect(decision.wakeAt === undefined).toBe(failureClass === "terminal");
  });

  test("is asked for in the repository, and its answer is pinned before anything else happens", () => {
    const before = decide({ resolution: ok(ASK), asking: asking(working) });
    expect(before).toMatchObject({ status: { phase: "Resolving", work: { "ask-1": {} } }, intents: [] });
    const after = decide({ resolution: ok(ASK), asking: asking(catalog([snapshot()])) });
    expect(after).toMatchObject({
      status: { phase: "Resolving", resolved: { snapshotID: "k1", runID: "run-1", pinnedAt: AT } },
      intents: [],
      wakeAt: NOW,
    });
  });

  test("that is not there fails, where it must be there", () => {
    const decision = decide({ resolution: ok(ASK), asking: asking(catalog([])) });
    expect(decision.status).toMatchObject({ phase: "Failed" });
    expect(decision.status?.resolved).toBeUndefined();
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "NoSnapshot" });
  });

  test.each<[string, Partial<RestoreSpec>]>([
    ["a recipe is the source", { source: { fromConfig: { name: "data", offset: 0 } } }],
    ["the policy says so", { policy: { waitTimeout: "5m", onMissingSnapshot: "Continue" } }],
  ])("that definitely is not there makes an empty volume, where %s", (_, spec) => {
    const object = of(spec);
    const pinned = decide({ restore: object, resolution: ok(ASK), asking: asking(catalog([])) });
    expect(pinned.status?.resolved).toMatchObject({ noSnapshot: true });
    const resolution = ok({ type: "Pinned", pinned: { ...PINNED, noSnapshot: true } } as const);
    expect(decide({ restore: object, resolution }).intents).toMatchObject([{ type: "EnsureClaim" }]);
    const decision = decide({ restore: object, resolution, claim: ours });
    expect(decision.status).toMatchObject({ phase: "Completed" });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "NoSnapshot" });
  });

  test("an unreachable repository is not an empty one", () => {
    const object = of({ source: { fromConfig: { name: "data", offset: 0 } } });
    const decision = decide({ restore: object, resolution: ok(ASK), asking: asking(failed(UNREACHABLE)) });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { errorClass: "Unreachable" } });
    expect(decision.status?.resolved).toBeUndefined();
    expect(decision.intents).toEqual([]);
  });

  test("further back than the repository was asked is not taken for missing", () => {
    const object = of({ source: { fromConfig: { name: "data", offset: 500 } } });
    const resolution = ok({ ...ASK, point: { offset: 500 } });
    const decision = decide({ restore: object, resolution, asking: asking(catalog([snapshot()], 700)) });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "TooFarBack" });
  });
});

describe("decideRestore(): the run", () => {
  test("shows how far it is", () => {
    const progress = { version: 1, step: "restore", files: 4, bytes: 40, estimatedBytes: 80 } as const;
    const state: TaskState = { ...working, state: { ...working.state, progress } };
    const decision = decide({ claim: ours, run: run(state, { wakeAt: NOW + 3 }) });
    expect(decision).toMatchObject({
      status: {
        phase: "Restoring",
        progress: { filesRestored: 4, bytesRestored: 40, bytesTotal: 80, updatedAt: AT },
      },
      wakeAt: NOW + 3,
    });
  });

  const answer = { snapshot: snapshot(), files: 3, bytes: 300, fidelity: "Full", losses: [] } as const;

  test("completes", () => {
    const decision = decide({ claim: ours, run: run(succeeded({ restore: answer })) });
    expect(decision.status).toMatchObject({
      phase: "Completed",
      progress: { filesRestored: 3, bytesRestored: 300 },
      job: { attempts: 1 },
    });
    expect(decision.status?.losses).toBeUndefined();
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "Completed" });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason: "Complete" });
  });

  test("counts what did not come back", () => {
    const losses = [{ kind: "Owner", count: 7, examples: ["a"], reason: "not root" }] as const;
    const decision = decide({ claim: ours, run: run(succeeded({ restore: { ...answer, losses } })) });
    expect(decision.status).toMatchObject({ phase: "Completed", losses: [{ kind: "Owner", count: 7 }] });
    expect(conditionOf(decision, "Restored")).toMatchObject({
      reason: "WithLosses",
      message: expect.stringContaining("7 things"),
    });
  });

  test("fails with a reason, and is not presented as done", () => {
    const decision = decide({
      claim: ours,
      run: run(failed({ class: "PrivilegesNeeded", message: "m", remedy: "r" })),
    });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { errorClass: "PrivilegesNeeded" } });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "PrivilegesNeeded" });
    expect(conditionOf(decision, "Restored")).toBeUndefined();
  });

  test("that completed is never done again, whatever is edited", () => {
    const object = restore({ metadata: { generation: 2 }, status: { phase: "Completed" } });
    expect(decide({ restore: object, claim: ours })).toEqual({ intents: [] });
    const tidy = decide({ restore: object, claim: ours, run: run(working, { intents: [] }) });
    expect(tidy.status).toBeUndefined();
  });
});

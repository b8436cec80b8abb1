import { describe, expect, test } from "vitest";
import { MADE_FOR } from "../../../core/volumes/claim_request.ts";
import type { Place } from "../../../core/work/queue/place.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { err, ok } from "../../../lib/result.ts";
import { edition } from "../editions.ts";
import { blocked, type Problem, waits } from "../problem.ts";
import {
  AT,
  backup,
  failed,
  NOW,
  outlook,
  restore,
  snapshot,
  succeeded,
  UNREACHABLE,
  working,
} from "../testing/samples.ts";
import { decideRestore } from "./decide_restore.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { askPurpose, RESTORE } from "./restore_tasks.ts";
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

  const IN_USE: UseDecision = { type: "InUse", reason: "VolumeInUse", message: "wanted" };

  test("no claim is made for those who would have it before its data", () => {
    const decision = decide({ use: IN_USE });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeInUse", message: "wanted" });
    expect(decision.events).toMatchObject([{ type: "Warning" }]);
    expect(decide({ use: { type: "Free" } }).intents).toMatchObject([{ type: "EnsureClaim" }]);
  });

  test.each([
    ["that somebody wants", IN_USE],
    ["with a volume that is not new", { type: "InUse", reason: "VolumeNotNew", message: "old" }],
  ] satisfies [string, UseDecision][])("a claim %s is not written into, and that is said", (_, use) => {
    const state: TaskState = { phase: "Held", reason: use.reason, message: use.message };
    const decision = decide({ claim: ours, use, run: run(state) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: use.reason }]);
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
  /** It has waited for so many minutes, with this spec or another one. */
  const waited = (minutes: number, of = restore(), more: object = {}) => ({
    waiting: { since: timestamp(NOW - minutes * 60_000), edition: edition(of) },
    ...more,
  });
  const away: Problem = waits("RepositoryNotReady", "Repository nas is not ready.");
  const heldBy = ({ reason, message }: Problem, record: Partial<RunRecord> = {}) =>
    ok({ ...outlook("ask-1", { phase: "Held", reason, message }, { record }), away });
  const gone = err({ ...waits("RepositoryNotFound", "there is none."), away: true });
  const forbidden = err(blocked("PrivilegedMoverForbidden", "no."));
  const ASKED = askPurpose(restore(), ASK);
  const record: RunRecord = { ...FIRST_ATTEMPT, startedAt: AT };
  const writing: RunRecord = { ...record, job: "uid-job" };
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: false };

  test("is waited for from when it is first missed", () => {
    const decision = decide({ resolution: err(missing) });
    expect(decision.status).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    expect(decision.wakeAt).toBe(NOW + 30_000);
  });

  test("that is missing is looked for again when the time is over, if nothing says so sooner", () => {
    const decision = decide({ restore: restore({ status: waited(4.9) }), resolution: err(missing) });
    expect(decision.status).toMatchObject({ phase: "Pending", ...waited(4.9) });
    expect(decision.wakeAt).toBe(NOW + 6_000);
  });

  test.each<[string, Partial<ObservedRestore>]>([
    ["does not exist", { resolution: err(missing) }],
    ["may not be used", { resolution: err(blocked("Forbidden", "no.")) }],
    ["is a Backup that nobody has begun", { resolution: err(missing), backup: backup() }],
    ["is in a repository that does not exist", { resolution: ok(ASK), asking: gone }],
    ["is in a repository that is away", { resolution: ok(ASK), asking: heldBy(away) }],
    [
      "is in a repository that went away after it was asked in vain",
      { resolution: ok(ASK), asking: heldBy(away, { startedAt: AT }) },
    ],
    ["is in a repository that fails", { resolution: ok(ASK), asking: heldBy(waits("BreakerOpen", "m.")) }],
    ["is known, in a repository that is away", { claim: ours, run: heldBy(away) }],
    ["is known, in a repository that is gone", { claim: ours, run: gone }],
  ])("that %s is not waited for any longer than the policy says", (_, more) => {
    const before = decide({ restore: restore({ status: waited(4) }), ...more });
    expect(before.status?.phase).not.toBe("Failed");
    const after = decide({ restore: restore({ status: waited(5) }), ...more });
    expect(after).toMatchObject({ status: { phase: "Failed", ...waited(5) }, wakeAt: undefined });
    const stalled = conditionOf(after, "Stalled");
    expect(stalled).toMatchObject({ status: "True" });
    expect(stalled?.message).toMatch(/It was not there within 5m. Edit the Restore to try again.$/);
  });

  test("that is looked for again and again is waited for no longer: what a look that goes on has not found is missed still", () => {
    const status = waited(4);
    const looking = decide({ restore: restore({ status }), resolution: ok(ASK), asking: asking(working) });
    expect(looking.status).toMatchObject({ phase: "Resolving", ...waited(4) });
  });

  test("that comes too late is not restored any more, until the Restore is edited", () => {
    const given = waited(9, restore(), { phase: "Failed" });
    expect(decide({ restore: restore({ status: given }), claim: ours, run: run(working) })).toEqual({
      intents: [],
    });
    const metadata = { generation: 2 };
    const edited = decide({ restore: restore({ metadata, status: given }), resolution: err(missing) });
    expect(edited.status).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    const found = decide({ restore: restore({ metadata, status: given }) });
    expect(found.status?.phase).toBe("Resolving");
    expect(found.status?.waiting).toBeUndefined();
  });

  test("that was waited for in vain is not asked for either: the seat goes", () => {
    const asking = heldBy(away, { place });
    const status = waited(5);
    const { status: after } = decide({ restore: restore({ status }), resolution: ok(ASK), asking });
    expect(after?.work).toEqual({ "ask-1": FIRST_ATTEMPT });
    const seated = { ...status, work: { "ask-1": { ...FIRST_ATTEMPT, place: { ...place, seated: true } } } };
    const lost = decide({ restore: restore({ status: seated }), resolution: err(missing) });
    expect(lost.status?.work).toEqual({ "ask-1": FIRST_ATTEMPT });
  });

  test("is not waited for any longer because the clock was set back", () => {
    const decision = decide({ restore: restore({ status: waited(-60) }), resolution: err(missing) });
    expect(decision.status?.waiting?.since).toBe(AT);
  });

  test.each<[string, Partial<ObservedRestore>]>([
    [
      "a Backup that is being made",
      { resolution: err(missing), backup: backup({ status: { phase: "Running" } }) },
    ],
    [
      "a Backup that waits for its turn",
      {
        resolution: err(missing),
        backup: backup({ status: { phase: "Pending", conditions: [{ type: "Ready", reason: "Queued" }] } }),
      },
    ],
    ["its own turn", { resolution: ok(ASK), asking: heldBy(waits("Queued", "m.")) }],
    ["a repository that went away after it had begun", { claim: ours, run: heldBy(away, { startedAt: AT }) }],
    ["a mover that may not run yet", { claim: ours, run: forbidden }],
    ["a mover that may not ask yet", { resolution: ok(ASK), asking: forbidden }],
  ])("has all the time that it needs: %s", (_, more) => {
    const decision = decide({ restore: restore({ status: waited(60) }), ...more });
    expect(decision.status?.phase).not.toBe("Failed");
    expect(decision.status?.waiting).toBeUndefined();
  });

  test.each<[string, RunRecord, Partial<ObservedRestore>]>([
    ["writes, when the repository is gone", writing, { claim: ours, run: gone }],
    ["writes, when its mover would be refused", writing, { claim: ours, run: forbidden }],
    ["has written, when the repository is gone", record, { claim: ours, run: gone }],
    ["asks, when the repository is gone", writing, { resolution: ok(ASK), asking: gone }],
  ])("is not given up by one that %s", (_, known, more) => {
    const purpose = more.run ? RESTORE : ASKED;
    const status = waited(60, restore(), { work: { [purpose]: known } });
    const decision = decide({ restore: restore({ status }), ...more });
    expect(decision.status?.phase).toBe(more.run && known.job ? "Restoring" : "Pending");
    expect(decision.status?.waiting).toBeUndefined();
    expect(decision.status?.work).toEqual({ [purpose]: known });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
  });

  test.each([
    ["is gone", gone],
    ["cannot be used by a mover", forbidden],
  ])("that could not be restored has failed, also once its repository %s, until an edit", (_, none) => {
    const ended: RunRecord = { ...record, edition: edition(restore()), outcome: "Failed" };
    const status = { phase: "Failed", work: { [RESTORE]: ended, [ASKED]: ended } };
    const later = restore({ status });
    expect(decide({ restore: later, claim: ours, run: none })).toEqual({ intents: [] });
    expect(decide({ restore: later, resolution: ok(ASK), asking: none })).toEqual({ intents: [] });
    const edited = restore({ metadata: { generation: 2 }, status });
    expect(decide({ restore: edited, claim: ours, run: none }).status?.phase).toBe("Pending");
  });

  test("that was given up is looked at all the same while it is written", () => {
    const status = waited(60, restore(), { phase: "Failed", work: { [RESTORE]: writing } });
    const decision = decide({ restore: restore({ status }), claim: ours, run: run(working) });
    expect(decision.status?.phase).toBe("Restoring");
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

  const before = "2020-01-01T00:00:00Z";
  test.each([
    ["fewer snapshots than offset goes back", { offset: 1 }, catalog([snapshot()])],
    ["only snapshots after asOf", { asOf: before, offset: 0 }, catalog([], 0, 2)],
    ["perhaps snapshots after asOf", { asOf: before, offset: 0 }, catalog([])],
  ])(
    "is not taken for a first deployment where the repository holds %s, unless that is asked for",
    (_, point, answer) => {
      const source = { fromConfig: { name: "data", ...point } };
      const resolution = ok({ ...ASK, point });
      const decision = decide({ restore: of({ source }), resolution, asking: asking(answer) });
      expect(decision.status).toMatchObject({ phase: "Failed" });
      expect(decision.status?.resolved).toBeUndefined();
      expect(conditionOf(decision, "Stalled")).toMatchObject({
        reason: "NoSnapshot",
        message: expect.stringContaining("holds snapshots of data@billing:/pvc/data, and none as far back"),
      });
      const policy = { waitTimeout: "5m", onMissingSnapshot: "Continue" } as const;
      const asked = decide({ restore: of({ source, policy }), resolution, asking: asking(answer) });
      expect(asked.status?.resolved).toMatchObject({ noSnapshot: true });
    },
  );

  test("that no snapshot is as old as makes an empty volume, where none is younger", () => {
    const point = { asOf: before, offset: 0 };
    const object = of({ source: { fromConfig: { name: "data", ...point } } });
    const resolution = ok({ ...ASK, point });
    const decision = decide({ restore: object, resolution, asking: asking(catalog([], 0, 0)) });
    expect(decision.status?.resolved).toMatchObject({ noSnapshot: true });
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

  test.each([
    ["Incomplete", { snapshot: { ...snapshot(), incomplete: "it was cancelled" } }],
    ["Unrecorded", { fidelity: "Engine" }],
    ["Unrecorded", { fidelity: "Degraded" }],
  ] as const)("is %s, and not everything, with %j", (reason, more) => {
    const decision = decide({ claim: ours, run: run(succeeded({ restore: { ...answer, ...more } })) });
    expect(decision.status).toMatchObject({ phase: "Completed", fidelity: { ...answer, ...more }.fidelity });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason });
  });

  test("is Unreported, and not everything, where the report was lost", () => {
    const decision = decide({
      claim: ours,
      run: run({ phase: "Ended", outcome: "Succeeded", logTail: [], settled: false }),
    });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason: "Unreported" });
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

describe("decideRestore(): a claim that is lost under its mover", () => {
  const answer = { snapshot: snapshot(), files: 3, bytes: 300, fidelity: "Full", losses: [] } as const;
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: true };
  const writing: RunRecord = { ...FIRST_ATTEMPT, edition: edition(restore()), job: "uid-job", place };
  const status = (target: object) => ({ phase: "Restoring", target, work: { [RESTORE]: writing } });
  const noted = status({ pvcRef: { name: "restored", uid: "uid-claim" } });
  const inPlace = { target: { pvcRef: { name: "mine", scaleDownWorkloads: false } } };
  const mine = status({ pvcRef: { name: "mine", uid: "uid-mine" } });
  const other = claimFor("uid-again", { uid: "uid-newer" });
  const going = claimFor("uid-again", { deletionTimestamp: AT });
  const seatless = (outcome: RunRecord["outcome"]): Partial<RunRecord> => ({
    edition: edition(restore()),
    job: "uid-job",
    ...(outcome ? { outcome } : {}),
  });
  const intents = [{ type: "Cancel" }] as never;

  test("the claim that is written is noted with its UID, and keeps it", () => {
    const target = { pvcRef: { name: "restored", uid: "uid-claim" } };
    expect(decide({ claim: ours, run: run(working) }).status).toMatchObject({ target });
    const later = decide({ restore: restore({ status: noted }), claim: ours, run: run(working) });
    expect(later.status).toMatchObject({ phase: "Restoring", target });
  });

  const LOST: [string, ReturnType<typeof restore>, Partial<ObservedRestore>][] = [
    ["is gone", of({}, noted), {}],
    ["is gone, which was not noted", of({}, status({ pvcRef: { name: "restored" } })), {}],
    ["is going", of({}, noted), { claim: going }],
    ["was replaced by another of ours", of({}, noted), { claim: other }],
    ["was replaced by somebody's", of({}, noted), { claim: claimFor("uid-other") }],
    ["was another one's prime claim", of({}, status({ pvcPrime: "prime-1" })), { claim: ours }],
    ["exists, and is gone", of(inPlace, mine), {}],
    [
      "exists, and is going",
      of(inPlace, mine),
      { claim: claimOf({ uid: "uid-mine", deletionTimestamp: AT }) },
    ],
    ["exists, and was made again", of(inPlace, mine), { claim: claimOf({ uid: "uid-newer" }) }],
    ["can be filled through a prime claim by now", of({}, noted), { through: {} }],
  ];

  test.each(LOST)("is never credited with the run: one that %s", (_, object, more) => {
    const ended = ok(outlook(RESTORE, succeeded({ restore: answer }), { record: seatless("Succeeded") }));
    const decision = decide({ restore: object, ...more, run: ended });
    expect(decision.status).toMatchObject({ phase: "Failed", target: object.status?.target });
    expect(decision.status?.progress).toBeUndefined();
    expect(conditionOf(decision, "Stalled")).toMatchObject({ status: "True", reason: "VolumeLost" });
    expect(decision.status?.work).toEqual({ [RESTORE]: { ...FIRST_ATTEMPT, ...seatless("Failed") } });
    expect(decision.intents).toEqual([]);
    // So it stays when there is a claim again.
    const later = { ...object, status: { ...decision.status } };
    expect(decide({ restore: later, ...more, claim: other })).toEqual({ intents: [] });
  });

  test.each(LOST)("is written no further, and its mover is looked after: one that %s", (_, object, more) => {
    const ends = ok(outlook(RESTORE, working, { record: seatless(undefined), intents, wakeAt: NOW + 5 }));
    const decision = decide({ restore: object, ...more, run: ends });
    expect(decision).toMatchObject({
      status: { phase: "Restoring", target: object.status?.target },
      intents: [{ type: "Run" }],
      wakeAt: NOW + 5,
    });
    expect(decision.status?.work).toEqual({ [RESTORE]: { ...FIRST_ATTEMPT, ...seatless(undefined) } });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeLost" });
    const unseen = decide({ restore: object, ...more });
    expect(unseen).toMatchObject({
      status: { phase: "Restoring", work: { [RESTORE]: writing } },
      intents: [],
    });
  });

  test("is made and written anew after an edit", () => {
    const record: RunRecord = { ...FIRST_ATTEMPT, ...seatless("Failed") };
    const object = restore({
      metadata: { generation: 2 },
      status: { ...noted, phase: "Failed", work: { [RESTORE]: record } },
    });
    expect(decide({ restore: object }).intents).toMatchObject([{ type: "EnsureClaim" }]);
    expect(decide({ restore: object, claim: other, run: run(working) }).status).toMatchObject({
      phase: "Restoring",
      target: { pvcRef: { uid: "uid-newer" } },
    });
  });
});

describe("decideRestore(): seats", () => {
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: true };
  const waiting = { [RESTORE]: { ...FIRST_ATTEMPT, place } };

  test.each<[string, Partial<RestoreSpec>, Partial<ObservedRestore>]>([
    ["claim is somebody's", {}, { claim: claimFor("uid-other") }],
    [
      "claim is going",
      { target: { pvcRef: { name: "mine", scaleDownWorkloads: false } } },
      { claim: claimFor("", { deletionTimestamp: AT }) },
    ],
    ["mover may not run", {}, { claim: ours, run: err(blocked("PrivilegedMoverForbidden", "no.")) }],
  ])("are for those who can begin: none is kept by one whose %s", (_, spec, more) => {
    const decision = decide({ restore: of(spec, { work: waiting }), ...more });
    expect(decision.status?.work).toEqual({ [RESTORE]: FIRST_ATTEMPT });
  });

  test("are given back by a run that may not begin for what uses the volume", () => {
    const use: UseDecision = { type: "InUse", reason: "VolumeInUse", message: "m" };
    const state: TaskState = { phase: "Held", reason: "VolumeInUse", message: "m" };
    const held = ok(outlook(RESTORE, state, { intents: [{ type: "Remove" }] as never }));
    const decision = decide({ restore: of({}, { work: waiting }), claim: ours, use, run: held });
    expect(decision.intents).toMatchObject([{ type: "Run" }]);
    expect(decision.status?.work).toEqual({ [RESTORE]: FIRST_ATTEMPT });
  });
});

describe("decideRestore(): one that has failed", () => {
  const record: RunRecord = { ...FIRST_ATTEMPT, edition: edition(restore()), outcome: "Failed" };
  const status = { phase: "Failed", failure: { errorClass: "Unreachable" }, work: { [RESTORE]: record } };

  test.each<[string, Partial<ObservedRestore>]>([
    ["there is no claim", {}],
    ["there is no prime claim", { through: {} }],
    ["the claim is somebody's", { claim: claimFor("uid-other") }],
    ["its claim is there", { claim: ours, use: { type: "Free" } }],
  ])("stays so, and its run is tidied up: %s", (_, more) => {
    const object = restore({ status });
    expect(decide({ restore: object, ...more })).toEqual({ intents: [] });
    const ended: TaskState = { phase: "Ended", outcome: "Failed", logTail: [], settled: false };
    const left = run(ended, { intents: [{ type: "Remove" }] as never });
    const decision = decide({ restore: object, ...more, run: left });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toMatchObject([{ type: "Run", decision: { intents: [{ type: "Remove" }] } }]);
  });

  test("begins anew after an edit", () => {
    const edited = restore({ metadata: { generation: 2 }, status });
    expect(decide({ restore: edited }).intents).toMatchObject([{ type: "EnsureClaim" }]);
  });
});

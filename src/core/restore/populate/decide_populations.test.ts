import { describe, expect, test } from "vitest";
import type { Job } from "../../../kube/builtin.ts";
import { err, ok } from "../../../lib/result.ts";
import type { Loss } from "../../../wire/snapshot.ts";
import { blocked, type Problem, refused, waits } from "../../reconcile/problem.ts";
import { specFingerprint } from "../../reconcile/spec_fingerprint.ts";
import {
  AT,
  failed,
  NOW,
  snapshot,
  succeeded,
  task,
  taskPlan,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../../testing/samples.ts";
import type { Claim } from "../../volumes/claim_request.ts";
import { POPULATED, primeMeta, primeName } from "../../volumes/populator/population_marks.ts";
import { PROVISIONED_BY } from "../../volumes/populator/volume_of_prime.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../work/run_record.ts";
import type { TaskState } from "../../work/task_decision.ts";
import { attemptId } from "../../work/task_requests.ts";
import type { Ask } from "../resolution.ts";
import type { Pinned, Restore } from "../restore.ts";
import {
  ASK,
  asking,
  catalog,
  claimOf,
  passive as passiveRestore,
  RESTORES,
  restore,
} from "../testing/restore_samples.ts";
import { decidePopulations } from "./decide_populations.ts";
import type { ObservedClaim, ObservedFilling, ObservedPopulations } from "./observe_populations.ts";
import { type ClaimMemory, fillPurpose, memoryOf } from "./population_memory.ts";

const passive = (status?: object) => passiveRestore(status ? { status } : {});

const born = claimOf({});
const prime = claimOf({
  ...primeMeta(born, { resource: RESTORES.resource, name: "again", uid: "uid-again" }),
  uid: "uid-prime",
});
const PINNED: Pinned = {
  repository: { kind: "Repository", name: "nas", namespace: "billing" },
  snapshotID: "k1",
  pinnedAt: AT,
};

function filling(memory: ClaimMemory, more: Partial<ObservedFilling>): ObservedClaim {
  const resolution = ok({ type: "Pinned", pinned: PINNED } as const);
  return {
    name: "born",
    claim: born,
    bound: undefined,
    prime,
    volume: undefined,
    memory,
    filling: { resolution, ...more },
  };
}

function decide(claims: readonly ObservedClaim[], more: Partial<ObservedPopulations> = {}) {
  const given = "restore" in more ? more.restore : passive();
  return decidePopulations({
    name: "again",
    restore: given,
    api: RESTORES,
    problem: undefined,
    claims,
    now: NOW,
    ...more,
  });
}

/** What is remembered of the claim, and the types of everything that is done. */
function done(decision: ReturnType<typeof decide>) {
  const intents = decision.claims.flatMap((claim) => claim.intents);
  const types = intents.flatMap((intent) =>
    intent.type === "Populate" ? intent.intents.map(({ type }) => type) : [intent.type],
  );
  return { types, memory: memoryOf(decision.status, prime), work: decision.status?.work };
}
const answer = { snapshot: snapshot(), files: 3, bytes: 300, fidelity: "Full", losses: [] } as const;
const ready = ({ status }: ReturnType<typeof decide>) =>
  status?.conditions?.find(({ type }) => type === "Ready");

describe("decidePopulations(): what goes into a claim", () => {
  test("is written down before anything else", () => {
    const decision = decide([filling({}, {})]);
    expect(done(decision)).toMatchObject({ types: [], memory: { resolved: PINNED } });
    expect(decision).toMatchObject({ status: { phase: "Resolving", resolved: PINNED }, wakeAt: NOW });
  });

  test("is asked for in the repository", () => {
    const ask = { resolution: ok(ASK) };
    const before = decide([filling({}, { ...ask, asking: asking(working) })]);
    expect(done(before)).toMatchObject({ types: [], work: { "ask-1": { attempt: 1 } } });
    const after = decide([filling({}, { ...ask, asking: asking(catalog([snapshot()])) })]);
    expect(done(after).memory.resolved).toMatchObject({ snapshotID: "k1" });
  });

  test("is nothing, only where the repository said so and the policy allows it", () => {
    const empty = (startEmpty: Ask["startEmpty"]) => ({
      resolution: ok({ ...ASK, startEmpty }),
      asking: asking(catalog([])),
    });
    const allowed = decide([filling({}, empty("IfNew"))]);
    expect(done(allowed).memory).toMatchObject({ resolved: { noSnapshot: true } });
    const denied = decide([filling({}, empty("Never"))]);
    expect(denied.status).toMatchObject({ phase: "Failed", claims: [{ name: "born", phase: "Failed" }] });
    expect(done(denied).memory.resolved).toBeUndefined();
    expect(done(denied).memory.filled).toBeUndefined();
  });

  test.each([
    ["from the future", { startedAt: "2026-05-24T02:23:00Z" }],
    ["not whole", { incomplete: "3 files could not be read" }],
  ])("is not nothing while the repository holds snapshots that are %s, whatever the policy", (_, more) => {
    const resolution = ok({ ...ASK, startEmpty: "Always" } as const);
    const only = catalog([{ ...snapshot(), ...more }]);
    const decision = decide([filling({}, { resolution, asking: asking(only) })]);
    expect(done(decision).memory).toMatchObject({ failed: { reason: "SnapshotsUnusable" } });
    expect(done(decision).memory.resolved).toBeUndefined();
    expect(decision.status?.claims?.[0]?.message).toContain("k1");
  });

  test("is unknown while the repository is away: then the claim waits, whatever the policy", () => {
    const resolution = ok({ ...ASK, startEmpty: "Always" } as const);
    for (const state of [
      failed(UNREACHABLE),
      { phase: "Held", reason: "RepositoryNotReady", message: "m" },
    ] as const) {
      const decision = decide([filling({}, { resolution, asking: asking(state) })]);
      const { memory } = done(decision);
      expect([memory.resolved, memory.filled]).toEqual([undefined, undefined]);
      expect(decision.status?.claims?.[0]?.phase).not.toBe("Completed");
    }
  });

  const away = waits("RepositoryNotReady", "it is away.");
  /** By the API server's clock, which is not ours. */
  const LONG_AGO = { ...prime.metadata, creationTimestamp: "2026-05-01T00:00:00Z" };
  const heldBy = ok({ ...taskPlan("ask-1", { ...away, phase: "Held" }), away });

  test.each<[string, Partial<ObservedFilling>]>([
    ["that does not exist", { resolution: err(waits("BackupNotFound", "there is none.")) }],
    ["in a repository that does not exist", { resolution: ok(ASK), asking: err({ ...away, away: true }) }],
    ["in a repository that is away", { resolution: ok(ASK), asking: heldBy }],
  ])("%s is told of when the policy's time is over, and can still come", (_, missing) => {
    const made = { ...filling({}, missing), prime: { ...prime, metadata: LONG_AGO } };
    const first = decide([made]).status;
    expect(first).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    const of = passive(first);
    const now = NOW + 300_000;
    expect(decide([made], { restore: of, now: now - 1 }).status).toMatchObject({ phase: "Pending" });
    const late = decide([made], { restore: of, now });
    expect(late.status).toMatchObject({ phase: "Failed", claims: [{ phase: "Failed" }] });
    expect(ready(late)?.message).toMatch(/It was not there within 5m. The claim is filled as soon as it is/);
    expect(done(late).memory).toEqual({});
    expect(late.wakeAt).toBe(now + 30_000);
    const come = decide([filling({}, {})], { restore: passive(late.status) });
    expect(done(come).memory).toMatchObject({ resolved: PINNED });
    expect(come.status?.waiting).toBeUndefined();
  });

  test("in a storage that is tried again and again is told of all the same", () => {
    const asked = (state: Partial<ObservedFilling>) => [filling({}, { resolution: ok(ASK), ...state })];
    const first = decide(asked({ asking: heldBy })).status;
    const probed = decide(asked({ asking: asking(working) }), {
      restore: passive(first),
      now: NOW + 299_000,
    });
    expect(probed.status).toMatchObject({ phase: "Resolving", waiting: { since: AT } });
    const of = passive(probed.status);
    const late = decide(asked({ asking: heldBy }), { restore: of, now: NOW + 300_000 });
    expect(late.status).toMatchObject({ phase: "Failed", claims: [{ phase: "Failed" }] });
    const edited = { ...of, metadata: { ...of.metadata, generation: 9 } };
    expect(decide(asked({ asking: asking(working) }), { restore: edited }).status?.waiting).toBeUndefined();
  });

  test("whose snapshot is known is told of as well when its repository is away before anything was written", () => {
    const made = filling({ resolved: PINNED }, { run: heldBy });
    const first = decide([made]).status;
    expect(first).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    const late = decide([made], { restore: passive(first), now: NOW + 300_000 });
    expect(ready(late)?.message).toContain("It was not there within 5m.");
    expect(done(late).memory).toEqual({ resolved: PINNED });
  });

  test.each<[string, Problem & { readonly away?: boolean }, RunRecord]>([
    ["whose mover may not run yet", waits("CABundleMissing", "no."), FIRST_ATTEMPT],
    ["that is written", { ...away, away: true }, { ...FIRST_ATTEMPT, job: "uid-job", startedAt: AT }],
  ])("%s is not told of as missing, however long it takes", (_, problem, record) => {
    const waiting = { since: "2026-05-23T00:00:00Z", edition: specFingerprint(passive()) };
    const of = passive({ waiting, work: { [fillPurpose(prime)]: record } });
    const { status } = decide([filling({ resolved: PINNED }, { run: err(problem) })], { restore: of });
    expect(status).toMatchObject({ phase: "Pending", claims: [{ phase: "Pending" }] });
    expect(status?.waiting).toBeUndefined();
  });

  test("that no selector found is waited for without end, and told once", () => {
    const message = `Nobody selects it. ${"It is waited for. ".repeat(20)}`;
    const late = { resolution: err(blocked("VolumeNotSelected", message)) };
    const claims = ["a", "b", "c", "d", "e"].map((name) => {
      const claim = claimOf({ name, uid: `uid-${name}` });
      const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
      const itsPrime = claimOf({ ...primeMeta(claim, source), uid: `uid-prime-${name}` });
      return { ...filling({}, late), name, claim, prime: itsPrime };
    });
    const first = decide(claims, { now: NOW + 86_400_000 });
    expect(first.status).toMatchObject({ phase: "Pending" });
    expect(first.events).toMatchObject([{ type: "Warning", reason: "VolumeNotSelected" }]);
    for (const { news } of first.claims)
      expect(news).toMatchObject({ type: "Warning", reason: "VolumeNotSelected" });
    const second = decide(claims, { restore: passive(first.status), now: NOW + 86_400_001 });
    expect([...second.events, ...second.claims.flatMap(({ news }) => news ?? [])]).toEqual([]);
  });

  test("that is not clear fails for this claim alone", () => {
    const unclear = { resolution: err(refused("VolumeAmbiguous", "which one?")) };
    expect(done(decide([filling({}, unclear)])).memory).toMatchObject({
      failed: { reason: "VolumeAmbiguous" },
    });
  });
});

describe("decidePopulations(): filling", () => {
  const memory = { resolved: PINNED };
  const run = (state: TaskState, more: Parameters<typeof taskPlan>[2] = {}) =>
    filling(memory, { run: ok(taskPlan("fill", state, more)) });

  test("shows the run that writes", () => {
    const decision = decide([run(working)]);
    expect(decision.status).toMatchObject({
      phase: "Restoring",
      target: { pvcPrime: primeName(born) },
      claims: [{ name: "born", uid: "uid-born", phase: "Restoring", pvcPrime: primeName(born) }],
    });
  });

  test("is remembered as done before the volume is handed over", () => {
    const decision = decide([run(succeeded({ restore: answer }))]);
    expect(done(decision)).toMatchObject({ types: [], memory: { filled: true, resolved: PINNED } });
    expect(decision.wakeAt).toBe(NOW);
  });

  test("is not forgotten before the volume is the claim's", () => {
    const memory = { resolved: PINNED, filled: true };
    const unbound = { ...prime, status: { phase: "Pending" } };
    const decision = decide([{ ...run(working), prime: unbound, memory, filling: undefined }]);
    expect(decision.claims[0]?.readyState.reason).toBe("Binding");
    expect(done(decision).memory).toEqual(memory);
  });

  test("that the claim does not take is told after a minute, and once", () => {
    const volumeName = "pv-1";
    const bound = claimOf({ ...prime.metadata }, { volumeName });
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: claimOf({ name: volumeName }).metadata,
      spec: { claimRef: { uid: born.metadata.uid } },
    };
    const memory = done(decide([run(succeeded({ restore: answer }))])).memory;
    const left = { ...run(working), prime: bound, volume, memory, filling: undefined };
    const soon = decide([left], { now: NOW + 59_000 });
    expect(soon.claims[0]).toMatchObject({ readyState: { reason: "HandingOver" } });
    expect(soon.claims[0]?.news).toBeUndefined();
    const now = NOW + 62_000;
    const late = decide([left], { now });
    expect(late.status?.claims).toMatchObject([
      { phase: "Restoring", message: expect.stringMatching(/not taken it: the events of the claim say why/) },
    ]);
    expect(late.claims[0]?.news).toMatchObject({ type: "Warning", reason: "VolumeNotTaken" });
    expect(late.wakeAt).toBe(now + 60_000);
    const again = decide([left], { now: now + 60_000, restore: passive(late.status) });
    expect(again.claims[0]?.news).toBeUndefined();
    // Nobody is late while the volume is still to be handed over: the operator was away.
    const ours = { ...volume, spec: { claimRef: { uid: bound.metadata.uid } } };
    const annotations = { [PROVISIONED_BY]: "disk.example.com" };
    const metadata = { ...volume.metadata, name: `pvc-${bound.metadata.uid}`, annotations };
    const has = { ...bound, status: { phase: "Bound" } };
    const away = decide([{ ...left, prime: has, volume: { ...ours, metadata } }], { now });
    expect(done(away).types).toEqual(["HandOver"]);
    expect(away.claims[0]?.readyState.reason).toBe("HandingOver");
  });

  const failedOnce = { failed: { edition: specFingerprint(passive()), reason: "Unreachable" } };
  const stuck: ObservedClaim = {
    name: "born",
    claim: born,
    bound: undefined,
    prime,
    volume: undefined,
    memory: failedOnce,
  };

  test("that failed hands nothing over, and says why until an edit", () => {
    const decision = decide([run(failed(UNREACHABLE))]);
    expect(done(decision)).toMatchObject({ types: [], memory: failedOnce });
    expect(done(decision).memory.filled).toBeUndefined();
    const later = decide([stuck], { restore: passive(decision.status) });
    expect(later.status?.claims).toEqual(decision.status?.claims);
    expect(done(later)).toMatchObject({ types: [], memory: failedOnce });
    expect(later.events).toEqual([]);
  });

  test("that failed leaves nothing of its runs behind: they are let go, with what they were lent", () => {
    const leftovers = [{ type: "Remove", job: {} as Job }] as const;
    const decision = decide([{ ...stuck, leftovers }]);
    expect(decision.claims[0]?.intents).toEqual([{ type: "Run", decision: { intents: leftovers } }]);
    expect(done(decision).memory).toEqual(failedOnce);
  });

  test("that failed begins anew in an empty volume after an edit", () => {
    const edited = { ...passive(), metadata: { ...passive().metadata, generation: 2 } };
    expect(done(decide([stuck], { restore: edited }))).toMatchObject({ types: ["DeletePrime"], memory: {} });
  });

  const second = claimOf({ name: "second", uid: "uid-second" });
  const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
  const itsPrime = claimOf({ ...primeMeta(second, source), uid: "uid-second-prime" });
  const beside = (state: TaskState): ObservedClaim => ({
    ...filling({ resolved: { ...PINNED, snapshotID: "k2" } }, { run: ok(taskPlan("fill-second", state)) }),
    name: "second",
    claim: second,
    prime: itsPrime,
  });

  test("goes on for several claims beside each other, each with a memory and a record of its own", () => {
    const decision = decide([run(working), beside(working)]);
    expect(decision.status).toMatchObject({
      claims: [
        { name: "born", phase: "Restoring" },
        { name: "second", phase: "Restoring" },
      ],
      work: { fill: { attempt: 1 }, "fill-second": { attempt: 1 } },
    });
    expect(memoryOf(decision.status, prime).resolved?.snapshotID).toBe("k1");
    expect(memoryOf(decision.status, itsPrime).resolved?.snapshotID).toBe("k2");
    // One that fails leaves the other as it is.
    const after = decide([run(failed(UNREACHABLE)), beside(working)]);
    expect(after.status?.claims).toMatchObject([{ name: "born", phase: "Failed" }, { phase: "Restoring" }]);
    expect(after.status?.work).toMatchObject({ "fill-second": { attempt: 1 } });
  });

  test("waits while enough others are filled", () => {
    const waiting = { ...stuck, memory: {} };
    const decision = decide([waiting]);
    expect(decision.status?.claims).toMatchObject([
      { phase: "Pending", message: expect.stringContaining("first") },
    ]);
    expect(done(decision).types).toEqual([]);
  });

  test("of an earlier Restore of the same name is not gone on with", () => {
    const recreated = { ...passive(), metadata: { ...passive().metadata, uid: "uid-new" } };
    expect(done(decide([run(working)], { restore: recreated })).types).toEqual(["DeletePrime"]);
  });

  test("counts what did not come back", () => {
    const losses = [{ kind: "Owner", count: 7, examples: ["a"], reason: "not root" }] as const;
    const decision = decide([run(succeeded({ restore: { ...answer, losses } }))]);
    expect(decision.status).toMatchObject({ losses: [{ kind: "Owner", count: 7 }] });
  });

  const lossy = (files: number, ...losses: readonly Loss[]): TaskState =>
    succeeded({ restore: { ...answer, files, losses } });
  const owners = (count: number): Loss => ({ kind: "Owner", count, examples: ["a"], reason: "not root" });
  const modes = { kind: "Mode", count: 2, examples: [], reason: "not root" } as const;
  const denied = failed(UNREACHABLE);
  const handedOver = { ...run(working), filling: undefined, memory: { resolved: PINNED, filled: true } };
  const FILL = { name: attemptId(task("fill"), 1) };
  const FILL_SECOND = { name: attemptId(task("fill-second"), 1) };

  test.each<[string, TaskState, TaskState, object]>([
    [
      "one that ended beside one that is written",
      working,
      lossy(9, owners(7)),
      { job: FILL_SECOND, progress: { filesRestored: 9 }, losses: [{ kind: "Owner", count: 7 }] },
    ],
    [
      "one that is full beside one that failed, which says why",
      denied,
      lossy(9, owners(7)),
      { job: FILL, failure: { errorClass: "Unreachable" }, losses: [{ count: 7 }] },
    ],
    [
      "one that failed beside one that is full",
      lossy(9, owners(7)),
      denied,
      {
        job: FILL_SECOND,
        failure: { errorClass: "Unreachable" },
        logTail: "last line",
        losses: [{ count: 7 }],
      },
    ],
    [
      "two that end at once",
      lossy(9, owners(7), modes),
      lossy(5, owners(4)),
      {
        job: FILL,
        progress: { filesRestored: 9 },
        losses: [
          { kind: "Owner", count: 11 },
          { kind: "Mode", count: 2 },
        ],
      },
    ],
  ])("tells what came of a run in the one look that sees its end: %s", (_, a, b, wanted) => {
    const { status } = decide([run(a), beside(b)]);
    expect(status).toMatchObject(wanted);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "PermissionsDiffer" }));
  });

  test("adds what did not come back in one volume to what did not in those before", () => {
    const first = decide([run(lossy(9, owners(7))), beside(working)]);
    const between = decide([handedOver, beside(working)], { restore: passive(first.status) });
    expect(between.status?.losses).toEqual(first.status?.losses);
    const last = decide([beside(lossy(5, owners(4), modes))], { restore: passive(between.status) });
    expect(last.status?.losses).toMatchObject([
      { kind: "Owner", count: 11, examples: ["a", "a"] },
      { kind: "Mode", count: 2 },
    ]);
  });

  test("shows why a claim failed while others are written, and no longer than it stands", () => {
    const first = decide([run(denied), beside(working)]);
    const other = beside({ phase: "BackingOff", failure: WRONG_PASSWORD, until: AT });
    const later = decide([stuck, other], { restore: passive(first.status) });
    expect(later.status?.failure).toEqual(first.status?.failure);
    const edited = decide([run(working)], { restore: passive(later.status) });
    expect(edited.status).not.toHaveProperty("failure");
  });

  test("leaves the figures of the last run until another one has some", () => {
    const { status } = decide([run(lossy(9))]);
    const after = decide([handedOver], { restore: passive(status) });
    expect(after.status?.progress).toEqual(status?.progress);
    const next = decide([handedOver, beside(working)], { restore: passive(after.status) });
    expect(next.status).not.toHaveProperty("progress");
  });
});

describe("decidePopulations(): the Restore", () => {
  const plain = (claim: Claim): ObservedClaim => ({
    name: claim.metadata.name,
    claim,
    bound: undefined,
    prime: undefined,
    volume: undefined,
    memory: {},
  });
  const populated = plain(claimOf({ annotations: { [POPULATED]: "uid-born" } }, { volumeName: "pv-1" }));
  const other = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...claimOf({ name: "pv-9" }).metadata },
  };
  const bypassed = {
    ...plain(claimOf({ name: "other", uid: "uid-other" }, { volumeName: "pv-9" })),
    bound: other,
  };

  test("waits for claims, without complaint", () => {
    const decision = decide([]);
    expect(decision.status).toMatchObject({ phase: "Pending" });
    expect(ready(decision)).toMatchObject({ status: "True", reason: "Passive" });
  });

  test("is done when all claims are", () => {
    const decision = decide([populated]);
    expect(decision.status).toMatchObject({
      phase: "Completed",
      claims: [{ name: "born", phase: "Completed" }],
    });
    expect(ready(decision)).toMatchObject({ status: "True", reason: "Populated" });
  });

  test("says loudly that a claim was bypassed, until that is over", () => {
    const decision = decide([populated, bypassed]);
    expect(decision.status?.phase).toBe("Failed");
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "PopulatorBypassed", status: "True" }),
    );
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "PopulatorBypassed" }]);
    expect(decision.claims.find(({ bypassed: one }) => one)?.news).toMatchObject({ type: "Warning" });
    const after = decide([populated], { restore: passive(decision.status) });
    expect(after.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "PopulatorBypassed", status: "False" }),
    );
  });

  test.each<[string, Restore | undefined]>([
    ["is not there", undefined],
    ["is going", restore({ metadata: { deletionTimestamp: AT } })],
    ["has a target", restore()],
    ["cannot be used so", passive()],
  ])("fills no claim when it %s, and the claim hears why", (_, given) => {
    const problem = blocked("CannotBeFilled", "no.");
    const decision = decide([plain(born)], { restore: given, problem });
    expect(done(decision).types).toEqual([]);
    expect(decision.claims[0]?.news).toMatchObject({ type: "Warning", reason: "CannotBeFilled" });
  });

  test("shows at most sixteen claims, those that need something first", () => {
    const many = Array.from({ length: 30 }, (_, n) => {
      const uid = `uid-${n}`;
      return plain(claimOf({ name: `c${n}`, uid, annotations: { [POPULATED]: uid } }, { volumeName: "pv" }));
    });
    const { status } = decide([...many, bypassed]);
    expect(status?.claims).toHaveLength(16);
    expect(status?.claims?.[0]).toMatchObject({ name: "other", phase: "Failed" });
  });

  test("what nothing is said about twice is not told twice", () => {
    const first = decide([plain(born)], { problem: blocked("ClusterScopeNeeded", "no") });
    const second = decide([plain(born)], {
      restore: passive(first.status),
      problem: blocked("ClusterScopeNeeded", "no"),
    });
    expect(second.events).toEqual([]);
    expect(second.claims[0]?.news).toBeUndefined();
  });
});

test.each(["Cancelled", "Failed"] as const)(
  "a claim whose filling ended as %s is not full, and nobody is given it",
  (outcome) => {
    const state: TaskState = { phase: "Ended", outcome, logTail: [], settled: false };
    const plan = taskPlan(fillPurpose(prime), state, { record: { outcome } });
    const decision = decide([filling({ resolved: PINNED }, { run: ok(plan) })]);
    const { memory, types } = done(decision);
    expect(memory).toHaveProperty("failed");
    expect(memory).not.toHaveProperty("filled");
    expect(types).toEqual([]);
    expect(decision.status?.phase).toBe("Failed");
  },
);

import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { AT } from "../testing/samples.ts";
import { type Claim, MADE_FOR } from "../volumes/claim_request.ts";
import { standIn } from "../volumes/populator/first_step.ts";
import type { ResourceQuota } from "../volumes/populator/observed_population.ts";
import { POPULATED, primeMeta } from "../volumes/populator/population_marks.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { Through } from "./new_claim.ts";
import { goesBefore, isInUse, observePrimeUse, observeThrough } from "./observe_target.ts";
import { claimRequest, type Restore } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { claimOf, RESTORES, restore, primeOf as samplePrime } from "./testing/restore_samples.ts";

const signal = AbortSignal.timeout(60_000);
const target = restore().spec.target?.pvc;
if (!target) throw new Error("the sample has another target");
const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
const meta = primeMeta(standIn(claimRequest(restore(), target)), source);
const primeOf = (volumeName?: string) =>
  claimOf({ ...meta, uid: "uid-prime" }, volumeName === undefined ? {} : { volumeName });

const ofClass = (wanted: Restore, storageClassName: string | undefined): Restore =>
  storageClassName === undefined
    ? wanted
    : { ...wanted, spec: { ...wanted.spec, target: { pvc: { ...target, storageClassName } } } };

/** What there is, by kind. What is null may not be seen. */
const clientOf = (objects: Readonly<Record<string, object | null>>) =>
  new RecordingClient(({ resource }) => {
    const found = objects[resource.kind];
    const [code, reason] = found === null ? ([403, "Forbidden"] as const) : ([404, "NotFound"] as const);
    if (!found) throw new ApiError({ request: "get", code, status: { code, reason } });
    return found;
  });

describe("observeThrough()", () => {
  const through = (
    claim: Claim | undefined,
    objects: Readonly<Record<string, object | null>> = {},
    namespace?: string,
    status?: object,
    storageClassName?: string,
  ) => {
    const { PersistentVolumeClaim: prime } = objects;
    const claims = { get: () => (prime ? (prime as Claim) : undefined) };
    return observeThrough(
      { client: clientOf(objects), claims, namespace },
      ofClass(restore(status ? { status } : {}), storageClassName),
      claim,
      signal,
    );
  };
  const ours = { name: "restored", annotations: { [MADE_FOR]: "uid-again" } };
  const bound = (more: object = {}) => ({
    ...claimOf({ ...ours, ...more }, { volumeName: "pv-1" }),
    status: { phase: "Bound" },
  });

  const quota: ResourceQuota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "limits", uid: "q", resourceVersion: "1", creationTimestamp: AT },
  };

  test("counts no prime claim twice that the cache does not have yet", async () => {
    const claims = { get: () => undefined };
    const client = clientOf({ ResourceQuota: { items: [quota] }, PersistentVolumeClaim: primeOf("pv-1") });
    expect(await observeThrough({ client, claims }, restore(), undefined, signal)).toEqual({
      prime: primeOf("pv-1"),
      volume: undefined,
    });
  });

  test.each<[string, Through | undefined, ReturnType<typeof through>]>([
    ["a prime claim that is still to be made", {}, through(undefined)],
    ["nothing, where there is one namespace alone", undefined, through(undefined, {}, "billing")],
    ["nothing, where volumes cannot be read", undefined, through(undefined, { PersistentVolume: null })],
    ["nothing, where the claim has a volume of its own already", undefined, through(bound())],
    ["nothing, where the claim is about to get one", undefined, through(claimOf(ours))],
    [
      "what is gone, where the claim was made for its volume",
      {},
      through(claimOf(ours, { volumeName: "pv-1" }), {}, undefined, { target: { pvcPrime: meta.name } }),
    ],
    [
      "nothing, where the claim has its own volume, and is not bound to it yet",
      undefined,
      through(claimOf(ours, { volumeName: "pv-1" })),
    ],
    [
      "what is gone, where the claim has its data",
      {},
      through(bound({ uid: "u", annotations: { ...ours.annotations, [POPULATED]: "u" } })),
    ],
    [
      "the prime claim that is there",
      { prime: primeOf("pv-1"), volume: undefined },
      through(undefined, { PersistentVolumeClaim: primeOf("pv-1") }),
    ],
    [
      "quotas, while there is no prime claim",
      { storage: { quotas: [quota] } },
      through(undefined, { ResourceQuota: { items: [quota] } }),
    ],
    [
      "that the class of the new claim is not there",
      { storage: { quotas: [], missingClass: true } },
      through(undefined, { StorageClass: undefined as never }, undefined, undefined, "nope"),
    ],
    [
      "nothing wrong with a class that it may not see",
      {},
      through(undefined, { StorageClass: null }, undefined, undefined, "nope"),
    ],
    [
      "somebody's own claim that has the prime claim's name",
      { foreign: claimOf({ name: meta.name }, { volumeName: "pv-1" }) },
      through(undefined, { PersistentVolumeClaim: claimOf({ name: meta.name }, { volumeName: "pv-1" }) }),
    ],
  ])("finds %s", async (_, expected, found) => {
    expect(await found).toEqual(expected);
  });
});

describe("observePrimeUse()", () => {
  const use = (prime: Claim, objects: Readonly<Record<string, object | null>> = {}, status?: object) =>
    observePrimeUse(
      { client: clientOf(objects), api: RESTORES },
      restore(status ? { status } : {}),
      prime,
      signal,
    );
  const waits = { volumeBindingMode: "WaitForFirstConsumer" };

  test("only a volume that was made for it is written, also where none can be read", async () => {
    expect(await use(primeOf("pvc-uid-prime"), { PersistentVolume: null })).toEqual({ type: "Free" });
    const kept = { metadata: { name: "kept", annotations: {}, creationTimestamp: AT } };
    for (const seen of [kept, null, undefined]) {
      const found = await use(primeOf("kept"), seen === undefined ? {} : { PersistentVolume: seen });
      expect(found).toMatchObject({ type: "InUse", reason: "VolumeNotNew" });
      // That would have the prime claim deleted, and its volume with it.
      expect(found).not.toMatchObject({ message: expect.stringContaining("into.existing") });
    }
  });

  test("the volume is waited for, unless only a pod that uses it brings it about", async () => {
    expect(await use(primeOf())).toMatchObject({ type: "Waiting", reason: "Binding" });
    expect(await use(primeOf(), { StorageClass: {} })).toMatchObject({ reason: "Binding" });
    expect(await use(primeOf(), { StorageClass: waits })).toEqual({ type: "Free" });
  });

  test("a run that writes is not asked any more", async () => {
    const status = { work: { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } } };
    expect(await use(primeOf("kept"), {}, status)).toEqual({ type: "Free" });
  });
});

describe("isInUse()", () => {
  const prime = samplePrime();
  const told = {
    phase: "Restoring",
    work: { [RESTORE]: { ...FIRST_ATTEMPT, outcome: "Succeeded" } },
  } as const;
  const filled = restore({ status: told });
  const going = samplePrime({ deletionTimestamp: AT });
  const lost = { ...prime, status: { phase: "Lost" } };
  const elsewhere = restore({ spec: { target: { pvcRef: { name: "mine" } } } as never, status: told });
  test.each<[boolean, string, Restore, Claim]>([
    [true, "of a Restore that has not ended", restore(), prime],
    [true, "of a Restore that failed, and may be edited", restore({ status: { phase: "Failed" } }), prime],
    [false, "of a Restore that has completed", restore({ status: { phase: "Completed" } }), prime],
    [false, "of a Restore that goes", restore({ metadata: { deletionTimestamp: AT } }), prime],
    [false, "of another Restore", restore({ metadata: { uid: "uid-other" } }), prime],
    [false, "of a Restore without a target", restore({ spec: { target: undefined } as never }), prime],
    [false, "that was deleted before anything was written", restore(), going],
    [true, "that was deleted when it was filled", filled, going],
    [false, "that has lost its volume before anything was written", restore(), lost],
    [true, "that has lost its volume to the claim", filled, lost],
    [true, "of a Restore whose target was edited when it was filled", elsewhere, prime],
  ])("is %s for a prime claim %s", (expected, _, object, of) => {
    expect(isInUse(of, object)).toBe(expected);
  });
});

const pinned = { resolved: { snapshotID: "k1", pinnedAt: AT } };
const writing = { ...pinned, work: { restore: { ...FIRST_ATTEMPT, job: "uid-job" } } };
const at = (name: string, creationTimestamp: string, status?: object) =>
  restore({ metadata: { name, uid: `uid-${name}`, creationTimestamp }, ...(status ? { status } : {}) });
const mine = at("mine", "2026-05-02T00:00:00Z", pinned);
const before = (...others: readonly Restore[]) => goesBefore(mine, [mine, ...others])?.metadata.name;

test.each<[string, readonly Restore[], string | undefined]>([
  ["nobody, when there is no other", [], undefined],
  ["an older one that knows what to write", [at("old", "2026-05-01T00:00:00Z", pinned)], "old"],
  ["no older one that still looks for its source", [at("old", "2026-05-01T00:00:00Z")], undefined],
  ["no younger one", [at("young", "2026-05-03T00:00:00Z", pinned)], undefined],
  ["a younger one that writes already", [at("young", "2026-05-03T00:00:00Z", writing)], "young"],
  ["the smaller UID, of two of the same second", [at("a", "2026-05-02T00:00:00Z", pinned)], "a"],
])("before it goes %s", (_, others, expected) => {
  expect(before(...others)).toBe(expected);
});

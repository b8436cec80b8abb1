import { describe, expect, test } from "vitest";
import type { Claim } from "../claim_request.ts";
import { HIDDEN, type Volume } from "../staging/observed_staging.ts";
import { DRIVER, NOW, object, storageClass, volume } from "../staging/testing/staging_samples.ts";
import { decidePopulation } from "./decide_population.ts";
import type { CsiDriver, PopulationView, ResourceQuota } from "./observed_population.ts";
import {
  FILLED_FOR,
  isPrime,
  POLICY_KEPT,
  POPULATED,
  PRIME_HELD,
  primeMeta,
  primeName,
  primeSource,
  SELECTED_NODE,
} from "./population_marks.ts";
import { SOURCE } from "./testing/population_stage.ts";
import { BOUND_BY_CONTROLLER, bindingHold, needsConsumer, PROVISIONED_BY } from "./volume_of_prime.ts";

const driver = object<CsiDriver>("CSIDriver", { name: "disk.example.com" }, { spec: {} });
const storage = { storageClass: storageClass(), driver, quotas: [] };

function target(metadata: object = {}, spec: object = {}, status: object = { phase: "Pending" }): Claim {
  return object<Claim>(
    "PersistentVolumeClaim",
    { namespace: "shop", name: "born", uid: "uid-1", ...metadata },
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "8Gi" } },
        storageClassName: "fast",
        ...spec,
      },
      status,
    },
  );
}

function primeOf(claim: Claim, metadata: object = {}, phase = "Bound"): Claim {
  const meta = primeMeta(claim, SOURCE);
  return object<Claim>(
    "PersistentVolumeClaim",
    { ...meta, name: primeName(claim), uid: "uid-prime", ...metadata },
    { spec: { volumeName: "pv-1" }, status: { phase } },
  );
}

function volumeFor(uid: string, annotations: Record<string, string> = {}, policy = "Delete"): Volume {
  const made = volume(
    { claimRef: { namespace: "shop", name: "x", uid }, persistentVolumeReclaimPolicy: policy },
    "pv-1",
  );
  const marks = { [PROVISIONED_BY]: DRIVER, ...annotations };
  const creationTimestamp = "2026-01-01T00:00:01Z";
  return { ...made, metadata: { ...made.metadata, creationTimestamp, annotations: marks } };
}

/** A volume that was made at this time, in the names that provisioners give. */
function volumeOf(name: string, creationTimestamp: string): Volume {
  const made = volumeFor("uid-prime");
  return { ...made, metadata: { ...made.metadata, name, creationTimestamp } };
}

/** Such as one that was retained, and that somebody has freed. */
function olderVolume(uid: string, policy = "Retain", annotations: Record<string, string> = {}): Volume {
  const made = volumeFor(uid, annotations, policy);
  return { ...made, metadata: { ...made.metadata, creationTimestamp: "2025-12-31T23:59:59Z" } };
}

const born = target();
const prime = primeOf(born);

function decide(more: Partial<PopulationView> = {}) {
  return decidePopulation({
    claim: born,
    bound: undefined,
    prime: undefined,
    volume: undefined,
    source: SOURCE,
    wanted: true,
    filled: false,
    instead: "do so",
    now: NOW,
    ...more,
  });
}

const types = ({ intents }: ReturnType<typeof decide>) => intents.map(({ type }) => type);

describe("decidePopulation(): before anything is made", () => {
  test("the prime claim is as the claim, without its data source, and in our hands until it is settled", () => {
    const waiting = target(
      {
        annotations: { [SELECTED_NODE]: "node-1", other: "x" },
        labels: { app: "shop" },
      },
      { volumeAttributesClassName: "quick" },
    );
    const { intents } = decide({ claim: waiting, storage });
    expect(intents).toMatchObject([
      {
        type: "CreatePrime",
        draft: {
          metadata: {
            namespace: "shop",
            name: primeName(waiting),
            finalizers: [PRIME_HELD],
            annotations: { [SELECTED_NODE]: "node-1" },
          },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "8Gi" } },
            storageClassName: "fast",
            volumeAttributesClassName: "quick",
          },
        },
      },
    ]);
    const [intent] = intents;
    const draft = intent?.type === "CreatePrime" ? intent.draft : undefined;
    expect(draft?.spec).not.toHaveProperty("dataSourceRef");
    expect(draft?.metadata.labels).not.toHaveProperty("app");
  });

  const quota = (hard: string, used: string) =>
    object<ResourceQuota>(
      "ResourceQuota",
      { name: "small" },
      { status: { hard: { "requests.storage": hard }, used: { "requests.storage": used } } },
    );
  const refused = (reason: string) => ({ phase: "Refused", reason });

  test.each<[string, Partial<PopulationView>, object]>([
    ["a block device", { claim: target({}, { volumeMode: "Block" }), storage }, refused("BlockVolume")],
    [
      "nothing but reading",
      { claim: target({}, { accessModes: ["ReadOnlyMany"] }), storage },
      refused("ReadOnlyClaim"),
    ],
    [
      "a selector",
      { claim: target({}, { selector: { matchLabels: {} } }), storage },
      refused("SelectorUnsupported"),
    ],
    ["no class", { claim: target({}, { storageClassName: "" }), storage }, refused("StorageClassMissing")],
    [
      "a class that is not there",
      { storage: { ...storage, storageClass: undefined } },
      refused("StorageClassNotFound"),
    ],
    [
      "a provisioner that is no driver",
      { storage: { ...storage, driver: undefined } },
      refused("ProvisionerUnfit"),
    ],
    [
      "classes out of sight",
      { storage: { ...storage, storageClass: HIDDEN } },
      refused("ClusterScopeNeeded"),
    ],
    [
      "a quota without room",
      { storage: { ...storage, quotas: [quota("10Gi", "8Gi")] } },
      refused("QuotaExceeded"),
    ],
    [
      "a class that waits for a consumer",
      { storage: { ...storage, storageClass: storageClass({ volumeBindingMode: "WaitForFirstConsumer" }) } },
      { phase: "Waiting", reason: "WaitForFirstConsumer" },
    ],
  ])("nothing is made with %s", (_, more, state) => {
    const decision = decide(more);
    expect(decision).toMatchObject({ state, intents: [] });
  });

  test.each<[string, Partial<PopulationView>]>([
    ["a quota with room", { storage: { ...storage, quotas: [quota("16Gi", "8Gi")] } }],
    ["quotas out of sight", { storage: { ...storage, quotas: HIDDEN } }],
  ])("it goes on with %s", (_, more) => {
    expect(types(decide(more))).toEqual(["CreatePrime"]);
  });
});

describe("decidePopulation(): filling and handing over", () => {
  test("the prime claim is filled, whether or not it is bound", () => {
    const unbound = { ...prime, spec: {}, status: { phase: "Pending" } };
    for (const [one, volume] of [
      [unbound, undefined],
      [prime, volumeFor("uid-prime")],
    ] as const) {
      expect(decide({ prime: one, volume })).toEqual({
        state: { phase: "Filling", prime: one },
        intents: [],
      });
    }
  });

  const provisioned = volumeFor("uid-prime");
  const sameSecond = prime.metadata.creationTimestamp;
  const foreign: readonly [string, Volume][] = [
    ["that is older than the prime claim", olderVolume("uid-prime")],
    ["of the same second, whose name does not tell", volumeOf("pv-1", sameSecond)],
    ["of the same second, with too little of the UID in its name", volumeOf("pvc-uid", sameSecond)],
    [
      "of the same second that was made for another claim",
      volumeOf("pvc-5a7cf77f-2b51-4735-9a13-6021dd11d059", sameSecond),
    ],
    ["that nobody provisioned", { ...provisioned, metadata: { ...provisioned.metadata, annotations: {} } }],
    ["that was free before", volumeFor("uid-prime", { [BOUND_BY_CONTROLLER]: "yes" })],
  ];

  test.each(foreign)("a volume %s is neither filled nor handed over nor changed", (_, given) => {
    for (const filled of [false, true]) {
      expect(decide({ prime, volume: given, filled })).toMatchObject({
        state: {
          phase: "Refused",
          reason: "VolumeNotNew",
          message: expect.stringContaining(given.metadata.name),
        },
        intents: [],
      });
    }
  });

  test.each([
    ["pvc-8f0331d6-4923-4ca4-96f5-b9ca370983a9"],
    ["kept-8f0331d6-4923-4ca4-96f5-b9ca370983a9"],
    ["pvc-8f0331d649234ca4"],
  ])("a volume is new that has the prime claim's UID in its name, %s, however quickly it came", (name) => {
    const made = volumeOf(name, sameSecond);
    const uid = "8f0331d6-4923-4ca4-96f5-b9ca370983a9";
    const its = { ...made, spec: { ...made.spec, claimRef: { ...made.spec?.claimRef, uid } } };
    expect(decide({ prime: primeOf(born, { uid }), volume: its }).state.phase).toBe("Filling");
  });

  test.each([
    ["nobody may look at", HIDDEN, "VolumesHidden"],
    ["nobody has seen", undefined, "Binding"],
    ["is another claim's", volumeFor("uid-other"), "VolumeTaken"],
  ] as const)("a volume that %s is not filled", (_, given, reason) => {
    expect(decide({ prime, volume: given })).toMatchObject({ state: { reason }, intents: [] });
  });

  test("nothing is written before the prime claim has its volume, unless only a pod brings that about", () => {
    const waiting = { ...prime, spec: {} };
    const onNode = target({ annotations: { [SELECTED_NODE]: "node-1" } });
    const chosen = { ...primeOf(onNode), spec: {} };
    expect(bindingHold(born, waiting)).toMatchObject({ reason: "Binding" });
    expect(bindingHold(onNode, chosen)).toMatchObject({ reason: "Binding" });
    expect(bindingHold(born, prime)).toBeUndefined();
    expect(bindingHold(onNode, waiting)).toBeUndefined();
    expect(needsConsumer(onNode, waiting)).toBe(true);
    expect(needsConsumer(onNode, prime)).toBe(false);
    expect(needsConsumer(born, waiting)).toBe(false);
  });

  test("a prime claim of somebody else is left alone, whatever ends", () => {
    const other = primeOf(born, { labels: {} });
    expect(decide({ prime: other })).toMatchObject({ state: { reason: "ClaimExists" }, intents: [] });
    for (const more of [
      { wanted: false },
      { claim: target({ deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      { claim: target({ annotations: { [POPULATED]: "uid-1" } }, { volumeName: "pv-1" }) },
      { claim: target({}, { volumeName: "pv-9" }, { phase: "Bound" }), bound: volumeFor("uid-1") },
    ]) {
      expect(decide({ prime: other, volume: volumeFor("uid-prime", {}, "Retain"), ...more }).intents).toEqual(
        [],
      );
    }
  });

  test("a claim that only carries our marks is no prime claim", () => {
    expect(isPrime(prime)).toBe(true);
    expect(isPrime(primeOf(born, { name: "precious" }))).toBe(false);
    expect(primeSource(primeOf(born, { name: "precious" }), SOURCE.resource)).toBeUndefined();
    expect(primeSource(prime, SOURCE.resource)).toBe("shop/last");
  });

  test("only a full volume is handed over, and only from the prime claim", () => {
    const ours = volumeFor("uid-prime");
    expect(types(decide({ prime, volume: ours, filled: true }))).toEqual(["HandOver"]);
    expect(types(decide({ prime, volume: ours, filled: false }))).toEqual([]);
    const taken = decide({ prime, volume: volumeFor("uid-other"), filled: true });
    expect(taken).toMatchObject({ state: { reason: "VolumeTaken" }, intents: [] });
    const hidden = decide({ prime, volume: HIDDEN, filled: true });
    expect(hidden).toMatchObject({ state: { reason: "VolumesHidden" }, intents: [] });
    const unbound = decide({ prime: primeOf(born, {}, "Pending"), filled: true });
    expect(unbound).toMatchObject({ state: { reason: "Binding" }, intents: [] });
  });

  const marks = { [FILLED_FOR]: "uid-1", [POLICY_KEPT]: "Delete" };
  const handed = volumeFor("uid-1", marks, "Retain");

  test("what was handed over is waited for, also when nobody wants it any more", () => {
    const lost = primeOf(born, {}, "Lost");
    for (const wanted of [true, false]) {
      const decision = decide({ prime: lost, volume: handed, filled: true, wanted });
      expect(decision).toMatchObject({ state: { phase: "HandingOver" }, intents: [] });
      expect(decision.wakeAt).toBeGreaterThan(NOW);
    }
  });

  test("the policy comes back only when the claim has its volume, and then the claim says so", () => {
    const taking = target({}, { volumeName: "pv-1" });
    expect(types(decide({ claim: taking, prime, volume: handed, bound: handed, filled: true }))).toEqual([]);
    const has = target({}, { volumeName: "pv-1" }, { phase: "Bound" });
    const decision = decide({ claim: has, prime, volume: handed, bound: handed, filled: true });
    expect(decision.intents).toMatchObject([
      { type: "PutPolicyBack", policy: "Delete" },
      { type: "MarkPopulated" },
    ]);
    const back = volumeFor("uid-1", { [FILLED_FOR]: "uid-1" });
    expect(types(decide({ claim: has, prime, volume: back, bound: back, filled: true }))).toEqual([
      "MarkPopulated",
    ]);
  });

  const done = target({ annotations: { [POPULATED]: "uid-1" } }, { volumeName: "pv-1" }, { phase: "Bound" });

  test("then the prime claim goes, and nothing of the volume is touched", () => {
    const back = volumeFor("uid-1", { [FILLED_FOR]: "uid-1" });
    const after = { claim: done, bound: back, volume: back, filled: true };
    expect(types(decide({ ...after, prime }))).toEqual(["DeletePrime"]);
    const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const held = primeOf(born, { ...going, finalizers: [PRIME_HELD, "kubernetes.io/pvc-protection"] });
    expect(types(decide({ ...after, prime: held }))).toEqual([]);
    expect(types(decide({ ...after, prime: primeOf(born, going) }))).toEqual(["ReleasePrime"]);
    expect(decide(after)).toEqual({ state: { phase: "Populated" }, intents: [] });
  });

  test("the mark of another claim, copied with its manifest, says nothing", () => {
    const copied = target({ annotations: { [POPULATED]: "uid-0" } });
    expect(types(decide({ claim: copied, storage }))).toEqual(["CreatePrime"]);
  });
});

describe("decidePopulation(): the other ends", () => {
  const bound = target({}, { volumeName: "pv-9" }, { phase: "Bound" });

  test.each([
    ["for it", "uid-1", "HandingOver"],
    ["for another claim", "uid-other", "Bypassed"],
  ])("a volume that was filled %s", (_, filledFor, phase) => {
    const volume = volumeFor("uid-1", { [FILLED_FOR]: filledFor });
    expect(decide({ claim: bound, bound: volume, prime, volume }).state).toMatchObject({ phase });
  });

  test("a claim that got another volume was bypassed, loudly, and what was made for it goes", () => {
    const decision = decide({
      claim: bound,
      bound: volumeFor("uid-1"),
      prime,
      volume: volumeFor("uid-prime"),
    });
    expect(decision.state).toMatchObject({
      phase: "Bypassed",
      message: expect.stringContaining("NOT restored"),
    });
    expect(types(decision)).toEqual(["DeletePrime"]);
  });

  test("a volume that nobody may read is not taken for another", () => {
    expect(decide({ claim: bound, bound: HIDDEN })).toMatchObject({
      state: { reason: "VolumesHidden" },
      intents: [],
    });
  });

  test.each<[string, Partial<PopulationView>]>([
    ["the claim is gone", { claim: undefined }],
    ["the claim is going", { claim: target({ deletionTimestamp: "2026-01-01T00:00:00Z" }) }],
    ["the source is gone", { wanted: false }],
  ])("what was made goes when %s", (_, more) => {
    expect(types(decide({ prime, volume: volumeFor("uid-prime"), ...more }))).toEqual(["DeletePrime"]);
    expect(decide({ prime, volume: undefined, ...more }).state).toEqual({ phase: "Ending" });
  });

  test("a volume whose class retains goes along, but only while it is the prime claim's", () => {
    const retained = volumeFor("uid-prime", {}, "Retain");
    expect(types(decide({ claim: undefined, prime, volume: retained }))).toEqual([
      "MakeTemporary",
      "DeletePrime",
    ]);
    const others = volumeFor("uid-other", {}, "Retain");
    expect(types(decide({ claim: undefined, prime, volume: others }))).toEqual(["DeletePrime"]);
  });

  test("a volume that was there before the prime claim is kept, whatever ends", () => {
    const going = primeOf(born, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    for (const more of [{ claim: undefined }, { wanted: false }]) {
      expect(types(decide({ ...more, prime, volume: olderVolume("uid-prime") }))).toEqual(["DeletePrime"]);
      const brief = olderVolume("uid-prime", "Delete");
      expect(types(decide({ ...more, prime, volume: brief }))).toEqual(["MakeLasting", "DeletePrime"]);
      expect(types(decide({ ...more, prime: going, volume: brief }))).toEqual(["MakeLasting"]);
    }
  });

  test("the prime claim is not let go before its volume is settled", () => {
    const going = primeOf(born, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const retained = volumeFor("uid-prime", {}, "Retain");
    expect(types(decide({ claim: undefined, prime: going, volume: retained }))).toEqual(["MakeTemporary"]);
    expect(types(decide({ claim: undefined, prime: going, volume: volumeFor("uid-prime") }))).toEqual([
      "ReleasePrime",
    ]);
  });

  test.each([
    ["a claim which is gone", "uid-1"],
    ["the own claim of a Restore which is gone", "uid-of-its-own"],
  ])("a volume that was handed over to %s is reclaimed as its class says", (_, uid) => {
    const handed = volumeFor(uid, { [FILLED_FOR]: uid, [POLICY_KEPT]: "Delete" }, "Retain");
    const decision = decide({ claim: undefined, prime, volume: handed, filled: true });
    expect(decision.intents).toMatchObject([
      { type: "PutPolicyBack", policy: "Delete" },
      { type: "DeletePrime" },
    ]);
  });

  test("a prime claim that somebody deleted, or that lost its volume, is made anew", () => {
    const going = primeOf(born, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(decide({ prime: going, volume: volumeFor("uid-prime") })).toMatchObject({
      state: { reason: "StartingAgain" },
      intents: [{ type: "ReleasePrime" }],
    });
    expect(types(decide({ prime: primeOf(born, {}, "Lost") }))).toEqual(["DeletePrime"]);
  });
});

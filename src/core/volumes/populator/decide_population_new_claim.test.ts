import { describe, expect, test } from "vitest";
import { type Claim, MADE_FOR } from "../claim_request.ts";
import { HIDDEN, type Volume } from "../staging/observed_staging.ts";
import { NOW, object, volume } from "../staging/testing/staging_samples.ts";
import { decidePopulation } from "./decide_population.ts";
import { standIn } from "./first_step.ts";
import type { PopulationView, ResourceQuota } from "./observed_population.ts";
import { FILLED_FOR, isPrimeFor, POLICY_KEPT, POPULATED, PRIME_HELD, primeMeta } from "./population_marks.ts";
import { SOURCE } from "./testing/population_stage.ts";

const request = {
  namespace: "shop",
  name: "restored",
  capacity: "8Gi",
  labels: { app: "shop" },
  madeFor: "uid-restore",
};

const primeOf = (
  spec: object = { volumeName: "pvc-uid-prime", storageClassName: "fast" },
  more: object = {},
) =>
  object<Claim>(
    "PersistentVolumeClaim",
    { ...primeMeta(standIn(request), SOURCE), uid: "uid-prime", ...more },
    { spec, status: { phase: "Bound" } },
  );

function claimOf(metadata: object = {}, phase = "Pending", volumeName = "pvc-uid-prime"): Claim {
  return object<Claim>(
    "PersistentVolumeClaim",
    {
      namespace: "shop",
      name: "restored",
      uid: "uid-claim",
      annotations: { [MADE_FOR]: "uid-restore" },
      ...metadata,
    },
    { spec: { volumeName }, status: { phase } },
  );
}

function volumeOf(uid: string, annotations: Record<string, string> = {}): Volume {
  const made = volume({ claimRef: { namespace: "shop", name: "x", uid } }, "pvc-uid-prime");
  return { ...made, metadata: { ...made.metadata, annotations } };
}

const decide = (more: Partial<PopulationView> = {}) =>
  decidePopulation({
    request,
    source: SOURCE,
    claim: undefined,
    prime: primeOf(),
    volume: volumeOf("uid-prime"),
    wanted: true,
    filled: false,
    instead: "",
    now: NOW,
    ...more,
  });
const types = (more: Partial<PopulationView>) => decide(more).intents.map(({ type }) => type);

const tight = object<ResourceQuota>(
  "ResourceQuota",
  { name: "limits" },
  { status: { hard: { persistentvolumeclaims: "1" } } },
);

describe("decideNewClaim()", () => {
  test("begins with a prime claim of any class, held until it is settled, and without the claim's labels", () => {
    const { intents } = decide({ prime: undefined, volume: undefined });
    expect(intents).toMatchObject([
      {
        type: "CreatePrime",
        draft: {
          metadata: { namespace: "shop", finalizers: [PRIME_HELD] },
          spec: { resources: { requests: { storage: "8Gi" } } },
        },
      },
    ]);
    expect(intents[0]).not.toHaveProperty("draft.metadata.labels.app");
    expect(isPrimeFor(primeOf(), standIn(request))).toBe(true);
  });

  test("makes the claim for the volume that is filled, and for no other", () => {
    const { state, intents } = decide();
    expect(state.phase).toBe("Filling");
    expect(intents).toEqual([
      { type: "Reserve", request: { ...request, volumeName: "pvc-uid-prime", storageClassName: "fast" } },
    ]);
    expect(types({ claim: claimOf() })).toEqual([]);
  });

  test.each([
    ["there is no volume for it", primeOf({}), undefined],
    ["its volume is not known to be new", primeOf({ volumeName: "kept" }), volumeOf("uid-prime")],
  ])("makes no claim while %s", (_, prime, seen) => {
    expect(decide({ prime, volume: seen })).toMatchObject({ state: { phase: "Filling" }, intents: [] });
  });

  test("hands the volume over once it is filled, and not before", () => {
    const claim = claimOf();
    expect(types({ claim })).toEqual([]);
    expect(types({ claim, filled: true })).toEqual(["HandOver"]);
    expect(types({ filled: true })).toEqual(["Reserve"]);
  });

  test("puts the policy back when the claim is bound, and is done when it says so", () => {
    const given = volumeOf("uid-claim", { [FILLED_FOR]: "uid-claim", [POLICY_KEPT]: "Delete" });
    expect(decide({ claim: claimOf(), volume: given, filled: true })).toMatchObject({
      state: { phase: "HandingOver" },
      intents: [],
      wakeAt: expect.any(Number),
    });
    expect(types({ claim: claimOf({}, "Bound"), volume: given, filled: true })).toEqual([
      "PutPolicyBack",
      "MarkPopulated",
    ]);
    const populated = claimOf({ annotations: { [MADE_FOR]: "uid-restore", [POPULATED]: "uid-claim" } });
    expect(decide({ claim: populated, prime: undefined, filled: true }).state.phase).toBe("Populated");
  });

  test("hands it over anew to a claim that was deleted meanwhile", () => {
    const given = volumeOf("uid-gone", { [FILLED_FOR]: "uid-gone", [POLICY_KEPT]: "Delete" });
    const lost = { ...primeOf(), status: { phase: "Lost" } };
    expect(types({ prime: lost, volume: given, filled: true })).toEqual(["Reserve"]);
    expect(types({ claim: claimOf(), prime: lost, volume: given, filled: true })).toEqual(["HandOver"]);
  });

  test.each<[string, Partial<PopulationView>, string]>([
    ["a claim of somebody else's", { claim: claimOf({ annotations: {} }) }, "ClaimExists"],
    ["a claim that goes", { claim: claimOf({ deletionTimestamp: "2026-01-01T00:00:00Z" }) }, "ClaimExists"],
    ["another volume's claim", { claim: claimOf({}, "Pending", "pv-0") }, "VolumeLost"],
    ["a claim whose volume is gone", { claim: claimOf(), prime: undefined, volume: undefined }, "VolumeLost"],
    ["a filled volume that is gone", { prime: undefined, volume: undefined, filled: true }, "VolumeLost"],
    [
      "a filled volume that is gone, though its prime claim is not",
      { volume: undefined, filled: true },
      "VolumeLost",
    ],
    ["somebody's claim of the prime claim's name", { prime: undefined, foreign: claimOf() }, "ClaimExists"],
    [
      "a quota without room for two",
      { prime: undefined, volume: undefined, storage: { quotas: [tight] } },
      "QuotaExceeded",
    ],
    [
      "a class that is not there",
      { prime: undefined, volume: undefined, storage: { quotas: [], missingClass: true } },
      "StorageClassNotFound",
    ],
    ["a volume that is another's", { claim: claimOf(), volume: volumeOf("x"), filled: true }, "VolumeTaken"],
    ["volumes that it cannot see", { claim: claimOf(), volume: HIDDEN, filled: true }, "VolumesHidden"],
  ])("refuses %s, and does nothing", (_, more, reason) => {
    expect(decide(more)).toMatchObject({ state: { phase: "Refused", reason }, intents: [] });
  });

  test("says so when another size or class was asked for since, and goes on with what is filled", () => {
    const [made] = decide({ prime: undefined, volume: undefined }).intents;
    if (made?.type !== "CreatePrime") throw new Error("no prime claim is made");
    const prime = primeOf(undefined, made.draft.metadata);
    expect(decide({ prime }).state.phase).toBe("Filling");
    for (const edit of [{ capacity: "9Gi" }, { storageClassName: "slow" }]) {
      const edited = { prime, request: { ...request, ...edit } };
      expect(decide(edited)).toMatchObject({ state: { reason: "ClaimOutdated" }, intents: [] });
      expect(decide({ ...edited, claim: claimOf(), filled: true }).state.phase).toBe("HandingOver");
    }
    expect(decide({ prime: primeOf(), request: { ...request, capacity: "9Gi" } }).state.phase).toBe(
      "Filling",
    );
  });

  test("waits until a prime claim is gone that somebody deleted, unless its volume is filled", () => {
    const prime = primeOf(undefined, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(decide({ prime })).toMatchObject({ state: { reason: "StartingAgain" }, intents: [] });
    expect(types({ prime, claim: claimOf(), filled: true })).toEqual(["HandOver"]);
  });
});

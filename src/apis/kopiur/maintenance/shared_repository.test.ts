import { describe, expect, test } from "vitest";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type KubeObject, keyOf, type ObjectKey, type ObjectMeta } from "../../../kube/object.ts";
import type { KopiurCaches } from "../caches.ts";
import { type AnyRepository, isOfCluster, repositoryKey } from "../references.ts";
import { clusterRepository, readyNas, SETTINGS } from "../testing/samples.ts";
import { hasteProblem, sharedKeys, sharersOf, standsBack } from "./shared_repository.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";
import type { Turn } from "./turn.ts";

const EARLY = "2026-05-01T00:00:00Z";
const LATE = "2026-05-02T00:00:00Z";

const nas = (namespace: string, uniqueID?: string) =>
  readyNas({
    metadata: { namespace, uid: `uid-${namespace}` },
    ...(uniqueID === undefined ? {} : { status: { uniqueID } }),
  });
const ofCluster = clusterRepository({ status: { phase: "Ready", uniqueID: "id-1" } });

/** The Maintenance of a namespace's Repository. */
const maintaining = (namespace: string, creationTimestamp: string, more: Partial<ObjectMeta> = {}) =>
  sampleMaintenance({ metadata: { namespace, creationTimestamp, ...more } });
const ofClusterMaintained = sampleMaintenance({
  metadata: { namespace: "holdfast", name: "cluster-shared", creationTimestamp: LATE },
  spec: { repository: { kind: "ClusterRepository", name: "shared" } },
});

const placeOf = ({ metadata, spec }: Maintenance) => repositoryKey(spec.repository, metadata.namespace ?? "");

function cachesOf(repositories: readonly AnyRepository[], maintenances: readonly Maintenance[] = []) {
  const ofObjects = (objects: readonly KubeObject[]) => ({
    get: (key: ObjectKey) => objects.find((one) => keyOf(one) === key),
    values: () => objects,
  });
  return {
    repositories: ofObjects(repositories.filter((one) => !isOfCluster(one))),
    clusterRepositories: ofObjects(repositories.filter(isOfCluster)),
    namespaces: ofObjects([]),
    maintenances: {
      indexed: (_: string, key: string) => maintenances.filter((one) => placeOf(one) === key),
    },
  } as unknown as KopiurCaches;
}

/** Of all these Maintenances, the keys of those that stand back, and what they say. */
function behind(repositories: readonly AnyRepository[], maintenances: readonly Maintenance[]) {
  const caches = cachesOf(repositories, maintenances);
  const told = maintenances.flatMap((one) => {
    const own = repositories.find((repository) => keyOf(repository) === placeOf(one));
    const problem = standsBack({ caches, settings: SETTINGS }, one, own ? sharersOf(caches, own) : []);
    return problem ? [[keyOf(one), problem] as const] : [];
  });
  return new Map(told);
}

describe("standsBack()", () => {
  test("of several for one stored repository only the oldest does not, and the others name it", () => {
    const [first, second, third] = [
      maintaining("shop", EARLY),
      maintaining("billing", LATE),
      maintaining("attic", LATE),
    ];
    const all = [nas("shop"), nas("billing"), nas("attic")];
    const told = behind(all, [second, third, first]);
    expect([...told.keys()].toSorted()).toEqual(["attic/nas", "billing/nas"]);
    expect(told.get(keyOf(second))).toMatchObject({
      reason: "SharedRepository",
      class: "terminal",
      message: expect.stringMatching(
        /Repository shop\/nas stands for .* Maintenance shop\/nas maintains that/,
      ),
    });
  });

  test("of those that came at the same moment one does not", () => {
    const told = behind(
      [nas("shop"), nas("billing")],
      [maintaining("shop", LATE), maintaining("billing", LATE)],
    );
    expect([...told.keys()]).toEqual(["shop/nas"]);
  });

  test("that of a ClusterRepository never does for a namespace's", () => {
    const told = behind([nas("shop"), ofCluster], [maintaining("shop", EARLY), ofClusterMaintained]);
    expect([...told.keys()]).toEqual(["shop/nas"]);
  });

  test.each([
    ["another stored repository", nas("shop", "id-2"), maintaining("shop", EARLY)],
    [
      "a repository that is being deleted",
      readyNas({ metadata: { namespace: "shop", deletionTimestamp: LATE } }),
      maintaining("shop", EARLY),
    ],
    [
      "one that is being deleted itself",
      nas("shop"),
      maintaining("shop", EARLY, { deletionTimestamp: LATE }),
    ],
    [
      "one that may not maintain the repository",
      nas("shop"),
      sampleMaintenance({
        metadata: { namespace: "attic", creationTimestamp: EARLY },
        spec: { repository: { kind: "Repository", name: "nas", namespace: "shop" } },
      }),
    ],
  ])("not for %s", (_, repository, maintenance) => {
    const told = behind([repository, nas("billing")], [maintenance, maintaining("billing", LATE)]);
    expect(told.get(keyOf({ namespace: "billing", name: "nas" }))).toBeUndefined();
  });
});

test("a repository whose ID nobody knows yet is no other's", () => {
  const [fresh, other] = [nas("shop", ""), nas("billing", "")];
  expect(sharersOf(cachesOf([fresh, other]), fresh)).toEqual([]);
});

test("a change concerns those that share the repository, before it and after", () => {
  const object = nas("shop", "id-2");
  const caches = cachesOf([object, nas("billing"), nas("attic", "id-2"), nas("else", "id-3")]);
  const key = keyOf(object);
  expect(sharedKeys(caches, { type: "added", key, object })).toEqual([key, "attic/nas"]);
  expect(sharedKeys(caches, { type: "updated", key, object, previous: nas("shop") })).toEqual([
    key,
    "billing/nas",
    "attic/nas",
  ]);
  expect(sharedKeys(caches, { type: "removed", key, previous: nas("shop") })).toEqual([key, "billing/nas"]);
});

test("only what gives space back at once is refused where the repository is shared", () => {
  const hasty: Turn = { mode: "Full", step: "Maintain", cause: "asked", immediate: true };
  expect(hasteProblem(hasty, [ofCluster])).toMatchObject({
    reason: "NotAlone",
    message: expect.stringContaining("ClusterRepository shared stands for the same stored repository"),
  });
  expect(hasteProblem(hasty, [])).toBeUndefined();
  expect(hasteProblem({ ...hasty, step: "Check" }, [ofCluster])).toBeUndefined();
  expect(hasteProblem({ mode: "Full", step: "Maintain", cause: "asked" }, [ofCluster])).toBeUndefined();
});

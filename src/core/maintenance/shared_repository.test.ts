import { describe, expect, test } from "vitest";
import { keyOf, type ObjectMeta } from "../../kube/object.ts";
import type { Repository } from "../repository/repository.ts";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import type { Maintenance } from "./maintenance.ts";
import type { MaintenanceRun } from "./maintenance_run.ts";
import { immediateProblem, maintainedElsewhere, sharedKeys, sharersOf } from "./shared_repository.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";

const EARLY = "2026-05-01T00:00:00Z";
const LATE = "2026-05-02T00:00:00Z";

const nas = (namespace: string, uniqueID?: string) =>
  readyNas({
    metadata: { namespace, uid: `uid-${namespace}` },
    ...(uniqueID === undefined ? {} : { status: { uniqueID } }),
  });
const ofCluster = clusterRepository({ status: { phase: "Ready", uniqueID: "id-1" } });

/** What maintains a namespace's repository. */
const maintaining = (namespace: string, creationTimestamp: string, more: Partial<ObjectMeta> = {}) =>
  sampleMaintenance({ metadata: { namespace, creationTimestamp, ...more } });
const ofClusterMaintained = sampleMaintenance({
  metadata: { namespace: "holdfast", name: "cluster-shared", creationTimestamp: LATE },
});

/** Of all these, each of the repository of its place, the keys of those that stand back, and what they say. */
function behind(repositories: readonly Repository[], maintenances: readonly Maintenance[]) {
  const all = maintenances.flatMap((object) => {
    const repository = repositories.find(({ metadata }) =>
      object === ofClusterMaintained ? !metadata.namespace : keyOf(metadata) === keyOf(object),
    );
    return repository ? [{ object, repository }] : [];
  });
  const told = all.flatMap((own) => {
    const sharers = sharersOf(repositories, own.repository);
    const others = sharers.flatMap((one) => all.filter(({ repository }) => repository === one));
    const problem = maintainedElsewhere(own, others);
    return problem ? [[keyOf(own.object), problem] as const] : [];
  });
  return new Map(told);
}

describe("maintainedElsewhere()", () => {
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
      message: expect.stringMatching(/Repository shop\/nas stands for .* Upkeep shop\/nas maintains that/),
    });
  });

  test("of those that came at the same moment one does not", () => {
    const told = behind(
      [nas("shop"), nas("billing")],
      [maintaining("shop", LATE), maintaining("billing", LATE)],
    );
    expect([...told.keys()]).toEqual(["shop/nas"]);
  });

  test("that of a repository of the whole cluster never does for a namespace's", () => {
    const told = behind([nas("shop"), ofCluster], [maintaining("shop", EARLY), ofClusterMaintained]);
    expect([...told.keys()]).toEqual(["shop/nas"]);
  });

  test.each([
    ["another stored repository", nas("shop", "id-2"), maintaining("shop", EARLY)],
    [
      "one that is being deleted itself",
      nas("shop"),
      maintaining("shop", EARLY, { deletionTimestamp: LATE }),
    ],
  ])("not for %s", (_, repository, maintenance) => {
    const told = behind([repository, nas("billing")], [maintenance, maintaining("billing", LATE)]);
    expect(told.get(keyOf({ namespace: "billing", name: "nas" }))).toBeUndefined();
  });
});

test("a repository whose ID nobody knows yet is no other's", () => {
  const [fresh, other] = [nas("shop", ""), nas("billing", "")];
  expect(sharersOf([fresh, other], fresh)).toEqual([]);
});

test("a change concerns those that share the repository, before it and after", () => {
  const object = nas("shop", "id-2");
  const all = [object, nas("billing"), nas("attic", "id-2"), nas("else", "id-3")];
  const key = keyOf(object);
  expect(sharedKeys(all, { type: "added", key, object })).toEqual([key, "attic/nas"]);
  expect(sharedKeys(all, { type: "updated", key, object, previous: nas("shop") })).toEqual([
    key,
    "billing/nas",
    "attic/nas",
  ]);
  expect(sharedKeys(all, { type: "removed", key, previous: nas("shop") })).toEqual([key, "billing/nas"]);
});

test("only what gives space back at once is refused where the repository is shared", () => {
  const hasty: MaintenanceRun = { mode: "Full", step: "Maintain", cause: "asked", immediate: true };
  expect(immediateProblem(hasty, [ofCluster])).toMatchObject({
    reason: "NotAlone",
    message: expect.stringContaining("ClusterRepository shared stands for the same stored repository"),
  });
  expect(immediateProblem(hasty, [])).toBeUndefined();
  expect(immediateProblem({ ...hasty, step: "Check" }, [ofCluster])).toBeUndefined();
  expect(immediateProblem({ mode: "Full", step: "Maintain", cause: "asked" }, [ofCluster])).toBeUndefined();
});

import { expect, test } from "vitest";
import { SETTINGS } from "../../../core/testing/samples.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { KopiurCaches } from "../caches.ts";
import type { AnyRepository } from "../references.ts";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import { maintainersOf } from "./maintainers_of.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";

/** Of all these Maintenances, the namespaces of those that may maintain the repository, and of those that may not. */
function sorted(repository: AnyRepository, all: readonly Maintenance[]) {
  const ofObjects = (objects: readonly KubeObject[]) => ({
    get: (key: ObjectKey) => objects.find((one) => keyOf(one) === key),
    indexed: () => objects,
  });
  const caches = {
    repositories: ofObjects([repository]),
    clusterRepositories: ofObjects([repository]),
    namespaces: ofObjects([]),
    maintenances: ofObjects(all),
  } as unknown as KopiurCaches;
  const { entitled, strangers } = maintainersOf({ caches, settings: SETTINGS }, keyOf(repository));
  const places = (some: readonly Maintenance[]) => some.map(({ metadata }) => metadata.namespace);
  return { entitled: places(entitled), strangers: places(strangers) };
}

const from = (namespace: string, repository: Maintenance["spec"]["repository"]) =>
  sampleMaintenance({ metadata: { namespace }, spec: { repository } });

test("a ClusterRepository is maintained from the operator's namespace, and not from one that may use it", () => {
  const ref = { kind: "ClusterRepository", name: "shared" } as const;
  const shared = clusterRepository({ spec: { allowedNamespaces: { all: true } } });
  expect(sorted(shared, [from("shop", ref), from("holdfast", ref)])).toEqual({
    entitled: ["holdfast"],
    strangers: ["shop"],
  });
});

test("a Repository is maintained from its own namespace, and not from one that may not use it", () => {
  const ref = { kind: "Repository", name: "nas", namespace: "billing" } as const;
  expect(sorted(readyNas(), [from("shop", ref), from("billing", ref)])).toEqual({
    entitled: ["billing"],
    strangers: ["shop"],
  });
});

test("a repository that is being deleted is maintained by nobody", () => {
  const going = readyNas({ metadata: { deletionTimestamp: "2026-05-24T00:00:00Z" } });
  const ref = { kind: "Repository", name: "nas" } as const;
  expect(sorted(going, [from("billing", ref)])).toEqual({ entitled: [], strangers: ["billing"] });
});

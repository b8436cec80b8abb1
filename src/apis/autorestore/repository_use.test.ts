import { expect, test } from "vitest";
import type { PlannedRepository } from "../../core/backup/plan.ts";
import { ANNOTATIONS } from "../../kinds/autorestore/annotations.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { AutorestoreCaches } from "./caches.ts";
import { allowedNow, useRepository } from "./repository_use.ts";
import { claimed, meta, sampleConfig, sampleRepository } from "./testing/samples.ts";

const cacheOf = (objects: readonly KubeObject[]) => {
  const known = new Map<string, KubeObject>(objects.map((object) => [keyOf(object), object]));
  return { get: (key: string) => known.get(key) };
};
const NAS = keyOf({ namespace: "home", name: "nas" });
const DATA = keyOf({ namespace: "away", name: "data" });
const PLANNED = { namespace: "home", name: "nas" };
const NOTED = { ...PLANNED, uid: "uid-nas", uniqueID: "id-1" };
const selecting = (namespace: string) =>
  sampleConfig({ selectors: [{ namespaces: [namespace], stopPods: true, waitForHealthy: false }] });

interface Place {
  readonly config?: KubeObject;
  readonly claims?: readonly KubeObject[];
  /** What the PVC's namespace says. */
  readonly allowed?: string;
  readonly planned?: PlannedRepository;
}

function use({ config = selecting("away"), claims, allowed = "home", planned }: Place) {
  const status = { phase: "Ready", uniqueID: "id-1" };
  const away = { [ANNOTATIONS.allowedConfigs]: allowed };
  const caches = {
    repositories: cacheOf([{ ...sampleRepository(), status } as KubeObject]),
    configs: cacheOf([config]),
    claims: cacheOf(claims ?? [claimed("data", { namespace: "away" })]),
    namespaces: cacheOf([
      {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { ...meta("away", { annotations: away }), namespace: undefined },
      } as unknown as KubeObject,
    ]),
  } as unknown as AutorestoreCaches;
  const { ready } = useRepository(caches, NAS, DATA, planned);
  // What is refused now is not noted as allowed.
  if (!planned) expect(allowedNow(caches, NAS, DATA)).toEqual(ready.ok ? NOTED : undefined);
  return ready.ok ? "ready" : ready.error.reason;
}

test.each<[string, Place, string]>([
  ["serves a PVC that its BackupConfig has claimed", {}, "ready"],
  ["refuses one that is not claimed", { claims: [] }, "RepositoryForbidden"],
  [
    "refuses one whose marks somebody wrote, as no selector selects it",
    { config: selecting("other") },
    "RepositoryForbidden",
  ],
  [
    "refuses one of a namespace that does not let the BackupConfig in",
    { allowed: "other" },
    "RepositoryForbidden",
  ],
  [
    "deletes what it allowed once, though the PVC is gone",
    { claims: [], planned: { ...PLANNED, uid: "uid-nas", uniqueID: "id-1" } },
    "ready",
  ],
  [
    "refuses a plan for another object of its name",
    { claims: [], planned: { ...PLANNED, uid: "uid-old", uniqueID: "id-1" } },
    "RepositoryForbidden",
  ],
  [
    "refuses a plan for other data",
    { claims: [], planned: { ...PLANNED, uid: "uid-nas", uniqueID: "id-2" } },
    "RepositoryForbidden",
  ],
  ["refuses a plan that does not say which", { claims: [], planned: PLANNED }, "RepositoryForbidden"],
])("a repository of another namespace %s", (_, place, expected) => {
  expect(use(place)).toBe(expected);
});

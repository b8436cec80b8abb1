import { CustomResourceDefinitions } from "../../kube/builtin.ts";
import { done, type Outcome } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { jsonEqual } from "../../lib/json.ts";
import { asCrd, CRDS, type CrdCondition, type StoredCrd } from "../api/crds.ts";
import { CRD_CLEANUP } from "../api/particulars.ts";
import { kindsOfCrd } from "../kinds/crd_kinds.ts";
import type { Change, Stored } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

/** Accepts the names of new CRDs, so that their kinds are served, and removes the objects of deleted ones. */
export function crdLifecycle(ports: ControllerPorts): Runnable {
  const { store } = ports;
  return storeController(ports, {
    name: "custom resource definitions",
    initial: () => store.list(CRDS).objects.map(({ metadata }) => metadata.name),
    keysOf: function* ({ key, type }: Change) {
      if (key.resource === CRDS) yield key.name;
      // The last object of a kind that goes may have held up its CRD.
      else if (type === "DELETED" && key.resource.includes(".") && deleting(key.resource)) yield key.resource;
    },
    reconcile: (name, signal) => reconcile(ports, name, signal),
  });

  function deleting(name: string): boolean {
    const crd = store.get({ resource: CRDS, namespace: "", name });
    return crd?.metadata.deletionTimestamp !== undefined;
  }
}

async function reconcile(ports: ControllerPorts, name: string, signal: AbortSignal): Promise<Outcome> {
  const { store, client, clock } = ports;
  const stored = store.get({ resource: CRDS, namespace: "", name });
  if (!stored) return done;
  const crd = asCrd(stored);
  if (crd.metadata.deletionTimestamp) return removeObjects(ports, crd, signal);
  const status = establishedStatus(crd, others(ports, crd), timestamp(clock.now()));
  if (jsonEqual(status, crd.status)) return done;
  const established = { ...stored, status };
  await client.update<KubeObject>(CustomResourceDefinitions, established, { subresource: "status", signal });
  return done;
}

/** Other CRDs of the group whose names are taken. */
function others({ store }: ControllerPorts, { metadata, spec }: StoredCrd): readonly StoredCrd[] {
  return store
    .list(CRDS)
    .objects.map(asCrd)
    .filter((other) => other.spec.group === spec.group && other.metadata.name !== metadata.name)
    .filter((other) =>
      other.status?.conditions?.some(({ type, status }) => type === "NamesAccepted" && status === "True"),
    );
}

/** The status that a CRD comes to beside the others of its group. */
export function establishedStatus(
  crd: StoredCrd,
  others: readonly StoredCrd[],
  now: string,
): StoredCrd["status"] {
  const { names, versions } = crd.spec;
  const taken = new Set(others.flatMap(({ spec }) => claimsOf(spec.names).map(({ claim }) => claim)));
  const clash = claimsOf(names).find(({ claim }) => taken.has(claim));
  const conditions = [
    clash === undefined
      ? condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")
      : condition("NamesAccepted", "False", clash.reason, `${JSON.stringify(clash.name)} is already in use`),
    clash === undefined
      ? condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")
      : condition("Established", "False", "NotAccepted", "not all names are accepted"),
  ].map((next) => {
    const before = crd.status?.conditions?.find(({ type }) => type === next.type);
    // A kind that was served once stays served.
    if (next.type === "Established" && before?.status === "True") return before;
    const same = before?.status === next.status;
    return { ...next, lastTransitionTime: same ? before.lastTransitionTime : now };
  });
  const storage = versions.filter((version) => version.storage).map(({ name }) => name);
  const storedVersions = [...new Set([...(crd.status?.storedVersions ?? []), ...storage])];
  return {
    conditions,
    acceptedNames: clash === undefined ? names : (crd.status?.acceptedNames ?? {}),
    storedVersions,
  };
}

function condition(type: string, status: string, reason: string, message: string): CrdCondition {
  return { type, status, lastTransitionTime: "", reason, message };
}

/** Names that no other CRD of the group may have: kinds and lists among themselves, and the rest. */
function claimsOf({ plural, singular, shortNames = [], kind, listKind }: StoredCrd["spec"]["names"]) {
  const resource = (name: string, reason: string) => ({ name, reason, claim: `resource ${name}` });
  const type = (name: string, reason: string) => ({ name, reason, claim: `kind ${name}` });
  return [
    resource(plural, "PluralConflict"),
    resource(singular, "SingularConflict"),
    ...shortNames.map((name) => resource(name, "ShortNamesConflict")),
    type(kind, "KindConflict"),
    type(listKind, "ListKindConflict"),
  ];
}

async function removeObjects(ports: ControllerPorts, crd: StoredCrd, signal: AbortSignal): Promise<Outcome> {
  const { store, client } = ports;
  const { metadata } = crd;
  if (!metadata.finalizers?.includes(CRD_CLEANUP)) return done;
  const [kind] = kindsOfCrd(crd);
  const left: readonly Stored[] = kind ? store.list(resourceName(kind.resource)).objects : [];
  if (kind && left.length > 0) {
    for (const { metadata } of left.filter(({ metadata }) => !metadata.deletionTimestamp)) {
      await client.delete(kind.resource, metadata, { signal });
    }
    return done;
  }
  const finalizers = metadata.finalizers.filter((name) => name !== CRD_CLEANUP);
  const patch = { metadata: { finalizers, uid: metadata.uid } };
  await client.patch<KubeObject>(CustomResourceDefinitions, metadata, { type: "merge", patch }, { signal });
  return done;
}

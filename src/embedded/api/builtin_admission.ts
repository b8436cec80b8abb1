import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { compareQuantities } from "../kinds/quantity.ts";
import type { Store, Stored } from "../store/store.ts";
import { withMetadata } from "./object_changes.ts";
import { forbidden } from "./refusal.ts";
import type { Place } from "./target.ts";

// What the admission plugins of a cluster do about volumes and claims.

const PROTECTED: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
  PersistentVolume: "kubernetes.io/pv-protection",
};

/** Holds a new volume or claim until nobody uses it, and gives a claim its class. */
export function admitNew(kind: KindInfo, object: Stored, store: Pick<Store, "list">): Stored {
  const finalizer = kind.custom ? undefined : PROTECTED[kind.resource.kind];
  if (finalizer === undefined) return object;
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
  const held = withMetadata(object, { finalizers });
  return kind.resource.kind === "PersistentVolumeClaim" ? withStorageClass(held, store) : held;
}

const CLASSES = "storageclasses.storage.k8s.io";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** A claim that names no class, not even the empty one, gets the newest of the default classes. */
function withStorageClass(claim: Stored, store: Pick<Store, "list">): Stored {
  const spec = isRecord(claim.spec) ? claim.spec : {};
  if (spec.storageClassName !== undefined) return claim;
  const [chosen] = store
    .list(CLASSES)
    .objects.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true")
    .sort(byAge);
  return chosen ? { ...claim, spec: { ...spec, storageClassName: chosen.metadata.name } } : claim;
}

/** Refuses to let a claim grow where its class does not allow it. */
export function admitChanged(
  { kind, name }: Place,
  object: Stored,
  old: Stored,
  store: Pick<Store, "get">,
): void {
  if (kind.custom || kind.resource.kind !== "PersistentVolumeClaim") return;
  if (compareQuantities(requestedSize(object), requestedSize(old)) <= 0) return;
  const { storageClassName } = isRecord(old.spec) ? old.spec : {};
  if (!isRecord(old.status) || old.status.phase !== "Bound") {
    throw forbidden(kind.resource, name, "Only bound persistent volume claims can be expanded");
  }
  const storageClass = store.get({ resource: CLASSES, namespace: "", name: String(storageClassName ?? "") });
  if (storageClass?.allowVolumeExpansion === true) return;
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw forbidden(kind.resource, name, why);
}

function requestedSize({ spec }: Stored): unknown {
  const resources = isRecord(spec) && isRecord(spec.resources) ? spec.resources : {};
  return isRecord(resources.requests) ? resources.requests.storage : undefined;
}

function byAge(a: Stored, b: Stored): number {
  const [left, right] = [a.metadata, b.metadata];
  return right.creationTimestamp.localeCompare(left.creationTimestamp) || left.name.localeCompare(right.name);
}

/** Every namespace has this one, or is about to. */
const DEFAULT_ACCOUNT = "default";

/** Refuses a pod whose service account is missing. */
export function checkServiceAccount(
  { custom, resource }: KindInfo,
  { metadata, spec }: Stored,
  store: Pick<Store, "get">,
): void {
  if (custom || resource.kind !== "Pod") return;
  const { serviceAccountName } = isRecord(spec) ? spec : {};
  const account = String(serviceAccountName || DEFAULT_ACCOUNT);
  const { namespace = "", name, generateName } = metadata;
  if (account === DEFAULT_ACCOUNT) return;
  if (store.get({ resource: "serviceaccounts", namespace, name: account })) return;
  // A name that the server has just made up means nothing to anybody.
  const known = generateName && name.startsWith(generateName) ? generateName : name;
  const why = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
  throw forbidden(resource, known, why);
}

import { type Change, lastSeen } from "../../kube/cache/cache.ts";
import { type KubeObject, keyOf, type ObjectKey, type OwnerReference } from "../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../kube/resource.ts";
import { fingerprint } from "../../lib/hash.ts";
import type { RunRequest } from "./run_request.ts";

/** On a run's Job, pod, ConfigMap and Secret: the run's ID. */
export const RUN_LABEL = "holdfast.dev/run";
/** On a run's Job and pod: the owner whose work it is. Whatever has it is ours to watch. */
export const OWNER_LABEL = "holdfast.dev/run-owner";
/** On a run's Job and pod: the repository that it works on. */
export const POOL_LABEL = "holdfast.dev/repository";
/** On the Job and pod of a run whose owner has several seats at a repository: which of them. */
export const SEAT_LABEL = "holdfast.dev/seat";
/** On a run's Job and pod, as `apiVersion kind name`: an owner of a pod's Job is not named in the pod otherwise. */
export const OWNER_ANNOTATION = "holdfast.dev/run-owner";
/** On a Job whose mover was told to end by us, and not by anything else. */
export const CANCELLED_ANNOTATION = "holdfast.dev/cancelled";

/** On the Job and pod of a run's mover: the kind of its work. */
export const OPERATION_ANNOTATION = "holdfast.dev/operation";

/** On whatever the operator makes for movers. */
export const MANAGED_BY = { "app.kubernetes.io/managed-by": "holdfast" } as const;

/** The value of OWNER_LABEL: the UID of the owner. */
export function ownerLabel(owner: Pick<OwnerReference, "uid">): string {
  return owner.uid.length <= 63 ? owner.uid : fingerprint(owner.uid, 32);
}

/** What is ours of the labels of a Job and a pod. */
export function runLabels(
  request: Pick<RunRequest, "id" | "owner" | "pool">,
): Readonly<Record<string, string>> {
  return {
    ...(request.pool === undefined ? {} : { [POOL_LABEL]: request.pool }),
    ...MANAGED_BY,
    [RUN_LABEL]: request.id,
    [OWNER_LABEL]: ownerLabel(request.owner),
  };
}

export function runAnnotations({ owner }: Pick<RunRequest, "owner">): Readonly<Record<string, string>> {
  return { [OWNER_ANNOTATION]: `${owner.apiVersion} ${owner.kind} ${owner.name}` };
}

/** What a run's mover does; undefined where it is none, as the Job of a hook. */
export function operationOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[OPERATION_ANNOTATION];
}

/** The run that a Job or pod belongs to. */
export function runOf({ metadata }: KubeObject): string {
  return metadata.labels?.[RUN_LABEL] ?? "";
}

/** What a run's Job or pod is for. */
export function ownerIn({
  metadata,
}: KubeObject): Partial<Pick<OwnerReference, "apiVersion" | "kind" | "name">> {
  const [apiVersion, kind, name] = (metadata.annotations?.[OWNER_ANNOTATION] ?? "").split(" ");
  return { ...(apiVersion ? { apiVersion } : {}), ...(kind ? { kind } : {}), ...(name ? { name } : {}) };
}

/** The object of this kind that a run's Job or pod is for. */
export function runOwner(owner: Resource, object: KubeObject): ObjectKey | undefined {
  const { metadata } = object;
  const { apiVersion, kind, name } = ownerIn(object);
  if (apiVersion !== apiVersionOf(owner) || kind !== owner.kind || !name) return undefined;
  return keyOf(owner.namespaced ? { namespace: metadata.namespace, name } : { name });
}

/** Maps a change of a run's Job or pod to the object of this kind that it is for. */
export function toRunOwner(owner: Resource): (change: Change<KubeObject>) => readonly ObjectKey[] {
  return (change) => {
    const key = runOwner(owner, lastSeen(change));
    return key === undefined ? [] : [key];
  };
}

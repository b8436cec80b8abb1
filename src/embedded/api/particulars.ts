import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { withMetadata } from "./object_changes.ts";
import type { Place } from "./target.ts";

// What the API server does for some built-in kinds and no others.

/** Kinds, beside the custom ones, that are updated only by whoever names the version that they saw. */
const CONDITIONAL_GROUPS = ["coordination.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io"];

/** True when an update must name the resourceVersion that it replaces. */
export function needsVersion({ custom, resource }: KindInfo): boolean {
  return custom || CONDITIONAL_GROUPS.includes(resource.group) || resource.kind === "CSIDriver";
}

/** True when an update of what does not exist creates it. */
export function createdByUpdate({ custom, resource }: KindInfo): boolean {
  return !custom && (resource.kind === "Lease" || resource.kind === "Event");
}

const RETURNED = [
  "Pod",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "ServiceAccount",
  "StorageClass",
  "CSIDriver",
];

/** True when the answer to a deletion is the object, and not only a word of success. */
export function returnsDeleted({ custom, resource }: KindInfo): boolean {
  return !custom && RETURNED.includes(resource.kind);
}

/** Jobs keep their pods when nothing is said of them, as the first clients expected. */
export function orphansByDefault({ custom, resource }: KindInfo): boolean {
  return !custom && resource.kind === "Job";
}

/** Namespaces that cannot be deleted. */
export const PERMANENT_NAMESPACES: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** Finalizers of the object itself; a namespace also has some in its spec. */
export function holdersOf(object: Stored): readonly unknown[] {
  const spec = object.kind === "Namespace" && isRecord(object.spec) ? object.spec.finalizers : [];
  return [...(object.metadata.finalizers ?? []), ...(Array.isArray(spec) ? spec : [])];
}

/** Holds a CRD until its objects are gone. */
export const CRD_CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/**
 * How namespaces and CRDs wait for the end of what is in them; undefined for every other kind. `marked` has a
 * deletionTimestamp.
 */
export function terminating(kind: KindInfo, marked: Stored): Stored | undefined {
  if (kind.custom) return undefined;
  const { deletionGracePeriodSeconds: _, ...metadata } = marked.metadata;
  const status = isRecord(marked.status) ? marked.status : {};
  if (kind.resource.kind === "Namespace") {
    return { ...marked, metadata, status: { ...status, phase: "Terminating" } };
  }
  if (kind.resource.kind !== "CustomResourceDefinition") return undefined;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), CRD_CLEANUP])];
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const condition = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: metadata.deletionTimestamp,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  return {
    ...marked,
    metadata: { ...metadata, finalizers },
    status: { ...status, conditions: [...conditions, condition] },
  };
}

/** A volume says since when it is in its phase, unless whoever moves it there says so. */
export function withPhaseTime(kind: KindInfo, stored: Stored, next: Stored, now: string): Stored {
  if (kind.custom || kind.resource.kind !== "PersistentVolume") return next;
  const [before, after] = [stored.status, next.status].map((status) => (isRecord(status) ? status : {}));
  if (before?.phase === after?.phase || before?.lastPhaseTransitionTime !== after?.lastPhaseTransitionTime)
    return next;
  return { ...next, status: { ...after, lastPhaseTransitionTime: now } };
}

/** What an update through this endpoint may change: the rest comes from the stored object. */
export function confine({ kind, subresource }: Place, stored: Stored, wanted: Stored): Stored {
  const { metadata } = wanted;
  if (subresource === "finalize") return { ...stored, spec: wanted.spec, metadata };
  if (subresource === "status") {
    const { status: _, ...rest } = stored;
    const status = wanted.status === undefined ? {} : { status: wanted.status };
    const { managedFields } = metadata;
    if (!kind.custom) return { ...rest, ...status, metadata };
    return withMetadata({ ...rest, ...status }, { managedFields });
  }
  if (!kind.status) return wanted;
  const { status: _, ...rest } = wanted;
  const spec = kind.resource.kind === "Namespace" && !kind.custom ? { spec: stored.spec } : {};
  return { ...rest, ...spec, ...(stored.status !== undefined && { status: stored.status }) };
}

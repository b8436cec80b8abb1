import type { KubeObject } from "../../kube/object.ts";
import { annotationOf } from "../reconcile/annotations.ts";

/** Lets an object go without its snapshots. */
export const SKIP_CLEANUP = "skip-snapshot-cleanup";

/** Somebody wants the backup to end. */
export function isCancelled(object: KubeObject): boolean {
  return annotationOf(object, "cancel") === "true";
}

/** Somebody wants the backup to stay, whatever retention says. */
export function isHeld(object: KubeObject): boolean {
  return annotationOf(object, "hold") === "true";
}

/** Somebody wants the backup to go without its snapshots. */
export function skipsCleanup(object: KubeObject): boolean {
  return annotationOf(object, SKIP_CLEANUP) === "true";
}

import { GROUP } from "../../../../kinds/cozystack/group.ts";
import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../../kube/object.ts";
import type { Condition } from "../../../../kube/write/conditions.ts";
import type { DriverIntent, Step } from "../driver.ts";

/** On objects of the native API: the job that they work for, by its UID. */
export const MADE_FOR = `${GROUP}/job-uid`;
/** On objects of the native API: the kind and the key of that job, for whoever follows them. */
export const MADE_FOR_JOB = `${GROUP}/job`;

export const madeFor = (kind: string, object: KubeObject) => ({
  [MADE_FOR]: object.metadata.uid,
  [MADE_FOR_JOB]: `${kind}/${keyOf(object)}`,
});

/** What is known of the objects of the native API. */
export interface NativeObjects {
  backup(key: ObjectKey): Backup | undefined;
  restore(key: ObjectKey): Restore | undefined;
  /** The Restores in a namespace that keep workloads down for a RestoreJob. */
  keepingDown(namespace: string): readonly Restore[];
}

/** An object of the native API on its way there. */
export type DriverDraft = Extract<DriverIntent, { type: "Ensure" }>["draft"];

export function failed(reason: string, message: string): Step {
  return { type: "Failed", reason, message };
}

interface Loss {
  readonly kind: string;
  readonly count: number;
  readonly reason: string;
}

/** What could not be stored, or brought back, in a sentence. Nothing where all was. */
export function lossesText(what: string, losses: readonly Loss[]): string | undefined {
  if (losses.length === 0) return undefined;
  return `${what}: ${losses.map(({ kind, count, reason }) => `${count} × ${kind} (${reason})`).join(", ")}.`;
}

/** What an object of the native API says of itself. */
export function whyOf({
  status,
}: {
  readonly status?: { readonly conditions?: readonly Condition[] };
}): string {
  return status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
}

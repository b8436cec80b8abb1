import {
  type Accepted,
  acceptedIn,
  type Trigger,
  triggerIn,
} from "../../../core/reconcile/annotated_request.ts";
import { ACCEPTED, type TRIGGERS, triggerNames } from "../../../kinds/autorestore/annotations.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { distinctName, objectName } from "../../../lib/names.ts";

export type What = keyof typeof TRIGGERS;

const NOW = ["true", "now"];
const LATEST = [...NOW, "latest"];

/** What an object's annotations ask for, under either prefix. */
export function triggerOf(object: KubeObject, what: What): Trigger | undefined {
  return triggerIn(object, triggerNames(what));
}

/** What was accepted, and may not be made yet. */
export function acceptedOf(object: KubeObject, what: What): Accepted | undefined {
  return acceptedIn(object, ACCEPTED[what], what);
}

/** The name of a backup that a person asks for. */
export function manualName(
  { value, stamp }: Pick<Accepted, "value" | "stamp">,
  { pvc, target, only }: { readonly pvc: string; readonly target: string; readonly only: boolean },
): string {
  if (NOW.includes(value.toLowerCase()))
    return only ? `manual-${pvc}-${stamp}` : `manual-${pvc}-${stamp}-${target}`;
  return only ? value : nameFor(value, pvc, target);
}

/** What one name becomes for several PVCs or targets. A dash in the target's could be one of the PVC's. */
function nameFor(name: string, pvc: string, target: string): string {
  return target.includes("-") ? distinctName(name, pvc, target) : `${name}-${pvc}-${target}`;
}

/** What a restore that a person asks for restores. */
export type Asked =
  | { readonly type: "Latest" }
  | { readonly type: "Backup"; readonly name: string }
  | { readonly type: "Snapshot"; readonly id: string };

export interface RestoreQuestion {
  readonly pvc: string;
  /** The names of the targets, the best one first. */
  readonly targets: readonly string[];
  /** Whether there is a ResticBackup of this name that may be meant. */
  isBackup(name: string): boolean;
}

/**
 * A ResticBackup goes before a snapshot's ID. The name that made several backups means the one of the best target; once
 * none of these had a fingerprint. Undefined where nothing can be meant.
 */
export function askedRestore(value: string, { pvc, targets, isBackup }: RestoreQuestion): Asked | undefined {
  const folded = value.toLowerCase();
  if (LATEST.includes(folded)) return { type: "Latest" };
  const several = targets.flatMap((target) => [nameFor(value, pvc, target), `${value}-${pvc}-${target}`]);
  const name = [value, ...[value, ...several].map((one) => objectName(one))].find(isBackup);
  if (name !== undefined) return { type: "Backup", name };
  if (/^[0-9a-f]{8,64}$/.test(folded)) return { type: "Snapshot", id: folded };
  return IS_NAME.test(value) && value.length <= MAX_OBJECT_NAME ? { type: "Backup", name: value } : undefined;
}

/** What the name of a ResticBackup can be. */
const IS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_OBJECT_NAME = 253;

import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, LossKind } from "../../wire/snapshot.ts";
import { withoutItem } from "./output_line.ts";
import type { AttributeCount } from "./snapshot_record.ts";

const EXAMPLES = 5;

/** The error of a restore that would not bring back attributes. */
export function attributesRefused(what: string, refused: readonly AttributeCount[]): EngineError {
  const kinds = refused.map(({ kind, count }) => `${kind} attributes of ${count} files`).join(", ");
  return new EngineError("PrivilegesNeeded", `${what}: the mover may not set ${kinds}`);
}

const LOSS_KINDS = {
  user: "ExtendedAttribute",
  trusted: "ExtendedAttribute",
  acl: "Acl",
  capability: "FileCapability",
} as const;

/** The same as a loss. */
export function attributeLoss({ kind, count }: AttributeCount): Loss {
  return { kind: LOSS_KINDS[kind], count, examples: [], reason: "the mover may not set it" };
}

/** The first that speaks of a kind counts: others would count the same files again. */
export function mergedLosses(...lists: readonly (readonly Loss[])[]): readonly Loss[] {
  const byKind = new Map<LossKind, Loss>();
  for (const loss of lists.flat()) if (!byKind.has(loss.kind)) byKind.set(loss.kind, loss);
  return [...byKind.values()];
}

/** What restic says of an item that it could not restore as it was. */
export interface Failure {
  readonly item: string;
  readonly why: string;
}

/** What a failure costs when the content is there; undefined when it is not. */
export function lossKind({ item, why }: Failure): LossKind | undefined {
  const reason = withoutItem(why, item);
  if (/lchown/.test(reason)) return "Owner";
  if (/security\.capability/.test(reason)) return "FileCapability";
  if (/posix_acl/.test(reason)) return "Acl";
  if (/xattr/i.test(reason)) return "ExtendedAttribute";
  if (/mknod/.test(reason)) return "Device";
  return undefined;
}

/** What these failures cost. */
export function failureLosses(failures: readonly Failure[]): readonly Loss[] {
  const byKind = Map.groupBy(failures, (failure) => lossKind(failure) ?? "Content");
  return [...byKind].map(([kind, items]) => ({
    kind,
    count: items.length,
    examples: items.slice(0, EXAMPLES).map(({ item }) => item),
    reason: "the target's file system or the mover's rights do not allow it",
  }));
}

import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import { ignoreGone } from "../../kube/api_error.ts";
import type { ObjectName } from "../../kube/object.ts";
import type { Cluster } from "../frame/command.ts";

/** Of a recipe, as far as it is resolved. */
export type RecipeIdentity = NonNullable<NonNullable<BackupConfig["status"]>["resolved"]>;

/** A recipe, as far as its Backups are known by it. */
export interface Recipe {
  readonly name: string;
  readonly namespace: string;
  /** Undefined for one that is gone, or has never been resolved. */
  readonly resolved?: RecipeIdentity | undefined;
  /** Its claims are selected by labels, so that there may be others than those that are known. */
  readonly open?: boolean;
  /** There is no object of that name. */
  readonly gone?: boolean;
  /** When a source counts as far smaller than before, and the Backup of which somebody accepted that. */
  readonly shrink?: {
    readonly maxShrinkPercent?: number | undefined;
    readonly accepted?: string | undefined;
  };
}

/** The Backups that ran by a recipe or hold data of it, the newest first; of those that were found, a claim's alone. */
export function backupsOf(backups: readonly Backup[], recipe: Recipe, claim?: string): readonly Backup[] {
  return backups
    .filter((backup) => ranBy(backup, recipe) || wasFoundFor(backup, recipe.resolved, claim))
    .toSorted((a, b) => Date.parse(startOf(b)) - Date.parse(startOf(a)));
}

/** The snapshots in a Backup of a recipe, of the volume that a word names or of all. */
export function snapshotsOf(backup: Backup, { resolved }: Recipe, claim?: string): readonly SnapshotStatus[] {
  const found = foundFor(backup, resolved, claim);
  if (found.length > 0) return found;
  const { snapshots = [] } = backup.status ?? {};
  return snapshots.filter(({ pvc, identity: { sourcePath } }) => isNamed({ pvc, sourcePath }, claim));
}

/** When the data was captured, as far as that is known. */
export function startOf({ status, metadata }: Backup): string {
  return status?.timing?.startTime ?? metadata.creationTimestamp;
}

/** The recipe of that name and the Backups in its namespace. */
export async function recipeNamed(
  { client }: Cluster,
  { namespace = "", name }: ObjectName,
  signal: AbortSignal,
): Promise<{ readonly recipe: Recipe; readonly backups: readonly Backup[] }> {
  const [config, { items }] = await Promise.all([
    // Its Backups outlive it.
    client.get(backupConfigResource, { namespace, name }, { signal }).catch(ignoreGone),
    client.list(backupResource, { namespace, signal, omitManagedFields: true }),
  ]);
  return { recipe: config ? recipeOf(config) : { namespace, name, gone: true }, backups: items };
}

/** A BackupConfig that is there. */
export function recipeOf({ metadata, spec, status }: BackupConfig): Recipe {
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    resolved: status?.resolved,
    open: spec.sources.some(({ pvcSelector }) => pvcSelector !== undefined),
    shrink: {
      maxShrinkPercent: spec.retention?.maxShrinkPercent,
      accepted: metadata.annotations?.[ANNOTATIONS.acknowledgeShrink],
    },
  };
}

function ranBy({ spec, status, metadata }: Backup, { name, namespace }: Recipe): boolean {
  return (
    status?.phase === "Succeeded" &&
    spec.configRef?.name === name &&
    (spec.configRef.namespace ?? metadata.namespace) === namespace
  );
}

/** Whether a Backup was found for a claim, or any claim of the recipe. */
export function wasFoundFor(backup: Backup, resolved: RecipeIdentity | undefined, claim?: string): boolean {
  return foundFor(backup, resolved, claim).length > 0;
}

/**
 * The snapshots that were found for a claim, or any claim of the recipe. After the loss of all objects that shows by
 * the identity alone: what was found names no claim.
 */
export function foundFor(
  { status }: Backup,
  resolved: RecipeIdentity | undefined,
  claim?: string,
): readonly SnapshotStatus[] {
  const { repository, identity: own } = resolved ?? {};
  const uniqueID = repository?.uniqueID;
  if (status?.phase !== "Discovered") return [];
  if (uniqueID === undefined || status.resolved?.repository?.uniqueID !== uniqueID) return [];
  const sources = sourcesOf(resolved, claim);
  return (status.snapshots ?? []).filter(
    ({ identity }) =>
      own?.username === identity.username &&
      own.hostname === identity.hostname &&
      sources.some(({ sourcePath }) => sourcePath === identity.sourcePath),
  );
}

/** The volumes of a recipe, or those that a word names. */
export function sourcesOf(
  resolved: RecipeIdentity | undefined,
  claim?: string,
): readonly { readonly pvc: string; readonly sourcePath: string }[] {
  return (resolved?.identity?.sources ?? []).filter((source) => isNamed(source, claim));
}

/** Whether a word names this volume: by its claim, with or without the namespace, or its path. No word names any. */
export function isNamed(
  { pvc, sourcePath }: { readonly pvc?: string | undefined; readonly sourcePath: string },
  word: string | undefined,
): boolean {
  return word === undefined || pvc?.split("/")[1] === word || pvc === word || sourcePath === word;
}

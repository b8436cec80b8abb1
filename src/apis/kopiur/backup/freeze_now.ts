import { FIRST_ATTEMPT, renewed } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import { BY_NAMESPACE, BY_RECIPE, type KopiurCaches } from "../caches.ts";
import { edition } from "../editions.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { recordOf } from "../records.ts";
import { useRepository } from "../repository_use.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { configKey, type Frozen, freeze } from "./frozen.ts";
import { owesHooks } from "./hooks_view.ts";
import { observeCleaning } from "./observe_copies.ts";
import { ownerBefore } from "./owner_before.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf } from "./staging_memory.ts";

/** The recipe as it is now. */
export function freezeNow(ports: KopiurPorts, backup: Backup): Result<Frozen, Problem> {
  const { caches } = ports;
  const config = caches.configs.get(configKey(backup));
  const claims = new Map<string, KubeObject>();
  for (const claim of config ? claimsFor(caches, config) : []) claims.set(keyOf(claim), claim);
  const { namespace = "" } = backup.metadata;
  const repository =
    config && useRepository(ports, config.spec.repository, { namespace, witnesses: [config] }).ready;
  const owner = ownerBefore(caches.backups.indexed(BY_RECIPE, configKey(backup)));
  return freeze({ backup, config, repository, claims, owner });
}

/** What a recipe names, or all that it may select from. */
function claimsFor({ claims }: KopiurCaches, config: BackupConfig): readonly KubeObject[] {
  const { namespace = "" } = config.metadata;
  if (hasSelector(config)) return claims.indexed(BY_NAMESPACE, namespace);
  return config.spec.sources.flatMap(
    ({ pvc }) => claims.get(keyOf({ namespace, name: pvc?.name ?? "" })) ?? [],
  );
}

/**
 * The recipe as it is now, for a Backup that could not be done by what it was: it was corrected since, or the Backup was
 * edited after it had failed. Undefined where that is not so, and where something was begun: that ends as it began.
 */
export async function freezeAgain(
  ports: KopiurPorts,
  backup: Backup,
  before: Frozen,
  signal: AbortSignal,
): Promise<Frozen | undefined> {
  if (!isUntouched(backup) || !isCorrected(ports, backup, before)) return undefined;
  const now = freezeNow(ports, backup);
  if (!now.ok) return undefined;
  const clean = !memoryOf(backup.status) || (await observeCleaning(ports, backup, before, signal)).done;
  return clean ? now.value : undefined;
}

/** Nothing was let go for it that could have read or left something, and it has not ended. */
function isUntouched(backup: Backup): boolean {
  const record = recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT;
  const { job, startedAt, leftovers, unseen } = record;
  const begun = [job, startedAt, leftovers, unseen].some((one) => one !== undefined);
  return !begun && !owesHooks(backup) && renewed(record, edition(backup)).outcome === undefined;
}

function isCorrected(
  { caches }: Pick<KopiurPorts, "caches">,
  backup: Backup,
  { configUID, configGeneration }: Frozen,
): boolean {
  const { uid, generation } = caches.configs.get(configKey(backup))?.metadata ?? {};
  const edited = uid !== configUID || generation !== configGeneration;
  const refused = memoryOf(backup.status)?.refusal !== undefined && edited;
  // What has no outcome for its edition had one for an earlier one.
  return refused || recordOf(backup.status, SNAPSHOT)?.outcome === "Failed";
}

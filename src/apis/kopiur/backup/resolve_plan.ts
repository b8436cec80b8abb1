import { ownerBefore } from "../../../core/backup/mover_owner.ts";
import { replan } from "../../../core/backup/replan.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { writable } from "../../../core/repository/read_only.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import { BY_NAMESPACE, BY_RECIPE, type KopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { backupObject, type ConfigPlan, configKey, makePlan, ownerOf } from "./plan.ts";

/** The plan of a Backup, as it would be made now. */
export function resolvePlan(ports: KopiurPorts, backup: Backup): Result<ConfigPlan, Problem> {
  const { caches } = ports;
  const config = caches.configs.get(configKey(backup));
  const claims = new Map<string, KubeObject>();
  for (const claim of config ? claimsFor(caches, config) : []) claims.set(keyOf(claim), claim);
  const { namespace = "" } = backup.metadata;
  const use = config && useRepository(ports, config.spec.repository, { namespace, witnesses: [config] });
  const repository = use && writable(use.ready, "backup");
  const owner = ownerBefore(caches.backups.indexed(BY_RECIPE, configKey(backup)).map(backupObject));
  return makePlan({ backup, config, repository, claims, owner });
}

/** What a BackupConfig names, or all that it may select from. */
function claimsFor({ claims }: KopiurCaches, config: BackupConfig): readonly KubeObject[] {
  const { namespace = "" } = config.metadata;
  if (hasSelector(config)) return claims.indexed(BY_NAMESPACE, namespace);
  return config.spec.sources.flatMap(
    ({ pvc }) => claims.get(keyOf({ namespace, name: pvc?.name ?? "" })) ?? [],
  );
}

/** The plan anew, where the one that a Backup has could not be carried out and is corrected since. */
export function resolveAgain(
  ports: KopiurPorts,
  backup: Backup,
  plan: ConfigPlan,
  signal: AbortSignal,
): Promise<ConfigPlan | undefined> {
  const { uid, generation } = ports.caches.configs.get(configKey(backup))?.metadata ?? {};
  const edited = uid !== plan.configUID || generation !== plan.configGeneration;
  const make = () => resolvePlan(ports, backup);
  return replan(ports, { owner: ownerOf(backup), plan, edited, make }, signal);
}

import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { keyOf } from "../../../kube/object.ts";
import { type Problem, waits } from "../problem.ts";

/** Why the recipe of a schedule cannot be run now, its repository included; nothing where it can. */
export function recipeProblem(
  { metadata, spec }: BackupSchedule,
  config: BackupConfig | undefined,
): Problem | undefined {
  const key = keyOf({ namespace: metadata.namespace, name: spec.configRef.name });
  if (!config || config.metadata.deletionTimestamp) {
    return waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`);
  }
  const { status } = config;
  // An edit that nobody has looked at yet is for its Backups to wait for.
  if (status?.phase === "Ready" || status?.phase === "Degraded") return undefined;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return waits("ConfigNotReady", `BackupConfig ${key} cannot be run${why ? `: ${why}` : " yet."}`);
}

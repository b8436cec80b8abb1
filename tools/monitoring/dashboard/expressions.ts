const MINE = 'namespace=~"$namespace"';

/** A metric of each object of the chosen namespaces. Replicas tell the same. */
export function each(metric: string, labels = "namespace, name"): string {
  return `max by (${labels}) (${metric}{${MINE}})`;
}

/** Objects of these kinds that are in one of these phases: both are patterns. */
export function phase(kinds: string, phases: string): string {
  return `max by (kind, namespace, name, phase) (kopiur_resource_phase{${MINE}, kind=~"${kinds}", phase=~"${phases}"})`;
}

/** How many Backups of each BackupConfig have failed since one succeeded. */
export const FAILURES = each("kopiur_backup_consecutive_failures");

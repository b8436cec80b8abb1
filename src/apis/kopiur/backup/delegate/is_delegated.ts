import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";

/**
 * Whether the recipe of a Backup is in another namespace: then a Backup beside the recipe does the work. What was begun
 * says so first, since it has to be brought to its end.
 */
export function isDelegated({ metadata, spec, status }: Backup): boolean {
  if (status?.backupRef) return true;
  if (status?.resolved) return false;
  const { namespace = metadata.namespace } = spec.configRef ?? {};
  return namespace !== metadata.namespace;
}

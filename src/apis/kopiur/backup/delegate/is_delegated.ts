import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";

/** Whether the recipe of a Backup is in another namespace: then a Backup beside the recipe does the work. */
export function isDelegated({ metadata, spec }: Backup): boolean {
  const { namespace = metadata.namespace } = spec.configRef ?? {};
  return namespace !== metadata.namespace;
}

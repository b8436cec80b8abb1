import type { Change } from "../../../core/admission/check.ts";
import { ownershipOf } from "../../../core/restore/restore.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";

/** A Restore with the defaults that depend on its other fields made visible. */
export function completeRestore({ object }: Change<Restore>): Restore {
  const { source, options, policy } = object.spec;
  // What a BackupConfig's Restore does without a snapshot depends on what else the repository holds.
  const missing = source.fromConfig ? {} : { onMissingSnapshot: "Fail" as const };
  return {
    ...object,
    spec: {
      ...object.spec,
      options: { ...options, ownership: ownershipOf(options) },
      policy: { ...missing, ...policy },
    },
  };
}

import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { Change } from "./check.ts";

/** A Restore with the defaults that depend on its other fields made visible. */
export function completeRestore({ object }: Change<Restore>): Restore {
  const { source, options, policy } = object.spec;
  const ownership = options.ownership ?? (options.ignorePermissionErrors ? "BestEffort" : "Exact");
  const onMissingSnapshot = policy.onMissingSnapshot ?? (source.fromConfig ? "Continue" : "Fail");
  return {
    ...object,
    spec: { ...object.spec, options: { ...options, ownership }, policy: { ...policy, onMissingSnapshot } },
  };
}

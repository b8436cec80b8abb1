import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { restoreCrossings } from "../admission/crossings.ts";
import { BY_RECIPE } from "../caches.ts";
import { crossingProblem } from "../crossing_problem.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Sources } from "./resolution.ts";

/** The objects that a Restore's source names, as far as they are there. */
export type SourceObjects = Pick<Sources, "restore" | "backup" | "config" | "made" | "forbidden">;

/** Looks up what a Restore's source names, and whether it may be used from the Restore's namespace. */
export function sourceObjects(
  ports: Pick<KopiurPorts, "caches" | "lookup" | "settings">,
  restore: Restore,
): SourceObjects {
  const { caches } = ports;
  const { namespace } = restore.metadata;
  const { backupRef, fromConfig } = restore.spec.source;
  const recipe = keyOf({ namespace, name: "", ...fromConfig });
  return {
    restore,
    backup: backupRef && caches.backups.get(keyOf({ namespace, ...backupRef })),
    config: fromConfig && caches.configs.get(recipe),
    made: fromConfig && caches.backups.indexed(BY_RECIPE, recipe),
    forbidden: crossingProblem(ports, restore, restoreCrossings),
  };
}

import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { parseKey } from "../../../kube/object.ts";
import type { KopiurPorts } from "../ports.ts";
import { type Problem, waits } from "../problem.ts";
import { originKey } from "../reach/derived_recipe.ts";
import { consentToReach } from "../reach/observe_reach.ts";
import { crossingForbidden } from "../rules/crossing.ts";
import { problemOf } from "../rules/violation.ts";
import { isGiven } from "./delegate/consent.ts";
import { reachedFrom } from "./delegate/delegate_of.ts";

/**
 * Why a Backup that repeats a recipe of another namespace is not begun any more: its own namespace allows that no longer.
 * It was asked when the Backup was made, but one may wait long for its turn. `config`: absent where it is gone.
 */
export function withdrawnReach(
  ports: Pick<KopiurPorts, "lookup">,
  backup: Backup,
  config: BackupConfig | undefined,
): Problem | undefined {
  const origin = config && originKey(config);
  const from = origin === undefined ? reachedFrom(backup) : parseKey(origin).namespace;
  if (from === undefined) return undefined;
  const { namespace = "" } = backup.metadata;
  const consent = consentToReach(ports, { from, namespace });
  if (isGiven(consent)) return undefined;
  if (consent === "unknown") return waits("NamespaceUnknown", `Namespace ${namespace} is not known yet.`);
  return problemOf(
    crossingForbidden({ kind: "PersistentVolumeClaim", namespace, field: "spec.sources" }, from),
  );
}

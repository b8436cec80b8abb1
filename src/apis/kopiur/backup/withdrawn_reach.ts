import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { parseKey } from "../../../kube/object.ts";
import { crossingForbidden } from "../admission/consent_rules.ts";
import { isGiven, reachedFrom } from "../children/child.ts";
import { originKey } from "../multi_namespace/derived_config.ts";
import { consentToRun } from "../multi_namespace/observe_namespaces.ts";
import type { KopiurPorts } from "../ports.ts";

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
  const consent = consentToRun(ports, { from, namespace });
  if (isGiven(consent)) return undefined;
  if (consent === "unknown") return waits("NamespaceUnknown", `Namespace ${namespace} is not known yet.`);
  return problemOf(
    crossingForbidden({ kind: "PersistentVolumeClaim", namespace, field: "spec.sources" }, from),
  );
}

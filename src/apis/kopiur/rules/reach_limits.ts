import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { isReaching, reachOf } from "./reach.ts";
import type { Violation } from "./violation.ts";

/** As many namespaces as the status of a Backup has room for. */
export const MOST_NAMESPACES = 32;

/** What a recipe for claims of several namespaces cannot ask for. `watched`: the only namespace that is; default all. */
export function reachLimits(
  config: Pick<BackupConfig, "metadata" | "spec">,
  watched?: string,
): readonly Violation[] {
  const { metadata, spec } = config;
  if (!isReaching(config)) return [];
  const namespaces = [...reachOf(config).keys()];
  const index = spec.sources.findIndex(({ pvcSelector }) =>
    pvcSelector?.namespaceSelector?.matchNames.some((name) => name !== metadata.namespace),
  );
  const field = `spec.sources[${index}].pvcSelector.namespaceSelector.matchNames`;
  const violations: Violation[] = [];
  if (watched !== undefined) {
    violations.push({
      reason: "CrossNamespaceUnsupported",
      field,
      what: `claims of other namespaces than ${watched} cannot be sources`,
      why: "this operator looks at that namespace alone",
      fix: "Leave the other namespaces out, or install the operator for the whole cluster",
    });
  }
  if (namespaces.length > MOST_NAMESPACES) {
    violations.push({
      reason: "TooManyNamespaces",
      field,
      what: `the recipe is about claims of ${namespaces.length} namespaces`,
      why: `one Backup tells of at most ${MOST_NAMESPACES}`,
      fix: "Divide the namespaces among several BackupConfigs",
    });
  }
  if (namespaces.length > 1 && spec.groupBy !== "None" && spec.copyMethod !== "Direct") {
    violations.push({
      reason: "GroupAcrossNamespaces",
      field: "spec.groupBy",
      what: "claims of several namespaces cannot be captured at one moment",
      why: "a VolumeGroupSnapshot is of claims in one namespace",
      fix: "Set groupBy to None, or write a BackupConfig for each namespace",
    });
  }
  return violations;
}

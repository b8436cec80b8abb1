import type { Violation } from "../../../core/reconcile/violation.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { SourceSpec } from "../../../kinds/kopiur/parts.ts";

type Config = Pick<BackupConfig, "metadata" | "spec">;

/** Whether a BackupConfig is about claims of other namespaces than its own. */
export function isMultiNamespace({ metadata, spec }: Config): boolean {
  return spec.sources.some((source) =>
    namespacesOf(source, metadata.namespace ?? "").some((one) => one !== metadata.namespace),
  );
}

/** The namespaces whose claims a BackupConfig is about, and what it says of each as a BackupConfig of that namespace would. */
export function sourcesByNamespace({ metadata, spec }: Config): ReadonlyMap<string, readonly SourceSpec[]> {
  const reach = new Map<string, readonly SourceSpec[]>();
  for (const source of spec.sources) {
    for (const namespace of namespacesOf(source, metadata.namespace ?? "")) {
      reach.set(namespace, [...(reach.get(namespace) ?? []), insideOf(source)]);
    }
  }
  return new Map([...reach].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function namespacesOf({ pvcSelector }: SourceSpec, own: string): readonly string[] {
  return pvcSelector?.namespaceSelector?.matchNames ?? [own];
}

function insideOf({ pvcSelector, ...source }: SourceSpec): SourceSpec {
  if (!pvcSelector) return source;
  const { namespaceSelector: _, ...selector } = pvcSelector;
  return { ...source, pvcSelector: selector };
}

/** As many namespaces as the status of a Backup has room for. */
export const MOST_NAMESPACES = 32;

/** What a BackupConfig for claims of several namespaces cannot ask for. `watched`: the only namespace that is; default all. */
export function namespaceLimits(config: Config, watched?: string): readonly Violation[] {
  const { metadata, spec } = config;
  if (!isMultiNamespace(config)) return [];
  const namespaces = [...sourcesByNamespace(config).keys()];
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
      what: `the BackupConfig is about claims of ${namespaces.length} namespaces`,
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

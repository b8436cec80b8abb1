import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { SourceSpec } from "../../../kinds/kopiur/parts.ts";

type Recipe = Pick<BackupConfig, "metadata" | "spec">;

/** Whether a recipe is about claims of other namespaces than its own. */
export function isReaching({ metadata, spec }: Recipe): boolean {
  return spec.sources.some((source) =>
    namespacesOf(source, metadata.namespace ?? "").some((one) => one !== metadata.namespace),
  );
}

/** The namespaces whose claims a recipe is about, and what it says of each as a recipe of that namespace would. */
export function reachOf({ metadata, spec }: Recipe): ReadonlyMap<string, readonly SourceSpec[]> {
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

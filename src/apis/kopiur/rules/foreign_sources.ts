import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Violation } from "./violation.ts";

/** A selector that reaches for claims of other namespaces, whoever allows it. */
export function foreignSources({
  metadata,
  spec,
}: Pick<BackupConfig, "metadata" | "spec">): Violation | undefined {
  const own = metadata.namespace ?? "";
  return spec.sources.flatMap(({ pvcSelector }, index): readonly Violation[] => {
    const other = pvcSelector?.namespaceSelector?.matchNames.find((name) => name !== own);
    if (other === undefined) return [];
    return [
      {
        reason: "CrossNamespaceUnsupported",
        field: `spec.sources[${index}].pvcSelector.namespaceSelector.matchNames`,
        what: `claims of namespace ${other} cannot be sources of a recipe in namespace ${own}`,
        why: "movers run beside the claims that they read, and this recipe would decide what runs there",
        fix: `Write a BackupConfig in namespace ${other}: its allowedNamespaces let a Backup of namespace ${own} run it`,
      },
    ];
  })[0];
}

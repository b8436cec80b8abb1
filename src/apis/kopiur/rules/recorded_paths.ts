import { sourcePath } from "../../../core/policy/identity.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";

/** A path that a recipe records, and where it says so. */
export interface RecordedPath {
  readonly path: string;
  readonly field: string;
}

/** The paths of the claims that a recipe names. Those of selectors are only known once it has been resolved. */
export function namedPaths({ metadata, spec }: BackupConfig): readonly RecordedPath[] {
  const namespace = metadata.namespace ?? "";
  return spec.sources.flatMap(({ pvc, sourcePathOverride, sourcePathStrategy }, index) => {
    if (!pvc) return [];
    const path = sourcePathOverride ?? sourcePath({ namespace, name: pvc.name }, sourcePathStrategy);
    return [{ path, field: `spec.sources[${index}]` }];
  });
}

export function hasSelector({ spec }: BackupConfig): boolean {
  return spec.sources.some(({ pvcSelector }) => pvcSelector !== undefined);
}

/** Every path that a recipe is known to record. */
export function knownPaths(config: BackupConfig): ReadonlySet<string> {
  const resolved = hasSelector(config) ? (config.status?.resolved?.identity?.sources ?? []) : [];
  return new Set([
    ...namedPaths(config).map(({ path }) => path),
    ...resolved.map(({ sourcePath: path }) => path),
  ]);
}

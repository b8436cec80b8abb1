import { sourcePath } from "../../../core/policy/identity.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource, SourceSpec } from "../../../kinds/kopiur/parts.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";

/** A path that a recipe records, and where it says so. */
export interface RecordedPath {
  readonly path: string;
  readonly field: string;
}

/** The path that a claim is recorded under by what a recipe says of it. */
export function pathOf(
  { sourcePathOverride, sourcePathStrategy }: SourceSpec,
  claim: { readonly namespace: string; readonly name: string },
): string {
  return sourcePathOverride ?? sourcePath(claim, sourcePathStrategy);
}

/** The paths of the claims that a recipe names. Those of selectors are only known once it has been resolved. */
export function namedPaths({ metadata, spec }: BackupConfig): readonly RecordedPath[] {
  const namespace = metadata.namespace ?? "";
  return spec.sources.flatMap((source, index) => {
    if (!source.pvc) return [];
    const path = pathOf(source, { namespace, name: source.pvc.name });
    return [{ path, field: `spec.sources[${index}]` }];
  });
}

/** Whether a recipe can still mean the path that a claim was resolved to, where it says anything of that claim. */
export function canStillMean({ spec }: BackupConfig, { pvc, sourcePath: path }: ResolvedSource): boolean {
  const { namespace = "", name } = parseKey(pvc as ObjectKey);
  const about = spec.sources.filter((source) => !source.pvc || source.pvc.name === name);
  return about.length === 0 || about.some((source) => pathOf(source, { namespace, name }) === path);
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

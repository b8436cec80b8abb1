import { sourcePath } from "../../../core/policy/identity.ts";
import type { IdentityUser } from "../../../core/rules/identity_collision.ts";
import type { RecordedPath } from "../../../core/rules/recorded_paths.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource, SourceSpec } from "../../../kinds/kopiur/parts.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";

/** The path that a claim is recorded under by what a BackupConfig says of it. */
export function pathOf(
  { sourcePathOverride, sourcePathStrategy }: SourceSpec,
  claim: { readonly namespace: string; readonly name: string },
): string {
  return sourcePathOverride ?? sourcePath(claim, sourcePathStrategy);
}

/** The paths of the claims that a BackupConfig names. Those of selectors are only known once it has been resolved. */
export function namedPaths({ metadata, spec }: BackupConfig): readonly RecordedPath[] {
  const namespace = metadata.namespace ?? "";
  return spec.sources.flatMap((source, index) => {
    if (!source.pvc) return [];
    const path = pathOf(source, { namespace, name: source.pvc.name });
    return [{ path, field: `spec.sources[${index}]` }];
  });
}

/** Whether a BackupConfig can still mean the path that a claim was resolved to, where it says anything of that claim. */
export function canStillMean({ spec }: BackupConfig, { pvc, sourcePath: path }: ResolvedSource): boolean {
  const { namespace = "", name } = parseKey(pvc as ObjectKey);
  const about = spec.sources.filter((source) => !source.pvc || source.pvc.name === name);
  return about.length === 0 || about.some((source) => pathOf(source, { namespace, name }) === path);
}

export function hasSelector({ spec }: BackupConfig): boolean {
  return spec.sources.some(({ pvcSelector }) => pvcSelector !== undefined);
}

/** Every path that a BackupConfig is known to record; those that a selector found without a field. */
export function knownPaths(config: BackupConfig): ReturnType<IdentityUser["paths"]> {
  const resolved = hasSelector(config) ? (config.status?.resolved?.identity?.sources ?? []) : [];
  return [...namedPaths(config), ...resolved.map(({ sourcePath: path }) => ({ path }))];
}

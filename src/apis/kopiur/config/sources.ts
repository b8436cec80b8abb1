import { blocked, type Problem, refused } from "../../../core/reconcile/problem.ts";
import { isSelectable } from "../../../core/volumes/selectable_claims.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import type { ResolvedSource, SourceSpec } from "../../../kinds/kopiur/parts.ts";
import { selects } from "../../../kube/label_selector.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { pathOf } from "../rules/recorded_paths.ts";

/** As many as the status of a Backup has room for. */
const MAX_SOURCES = 16;

export interface SourcesRequest {
  readonly config: Pick<BackupConfig, "metadata" | "spec">;
  readonly backend: RepositorySpec["backend"];
  /** All claims of the BackupConfig's namespace; those that it names need not be among them. */
  readonly claims: Iterable<KubeObject>;
}

/** The claims that a BackupConfig is about, each once, and the path that each is recorded under. */
export function sourcesOf({
  config,
  backend,
  claims,
}: SourcesRequest): Result<readonly ResolvedSource[], Problem> {
  const store = backend.filesystem?.pvc.name;
  const sources = sourcesAmong(
    config,
    [...claims].filter((claim) => isSelectable(claim, store)),
  );
  const namespace = config.metadata.namespace ?? "";
  const problem = noneOf(sources, namespace) ?? tooMany(sources) ?? sharedPath(sources);
  return problem ? err(problem) : ok(sources);
}

/** The claims that a BackupConfig names, and those that it selects among these; each with its path. */
export function sourcesAmong(
  { metadata, spec }: SourcesRequest["config"],
  claims: readonly KubeObject[],
): readonly ResolvedSource[] {
  const namespace = metadata.namespace ?? "";
  const candidates = claims.toSorted(byName);
  const found = new Map<string, string>();
  for (const source of spec.sources) {
    for (const name of namesOf(source, candidates)) {
      if (!found.has(name)) found.set(name, pathOf(source, { namespace, name }));
    }
  }
  return [...found].map(([name, path]) => ({ pvc: keyOf({ namespace, name }), sourcePath: path }));
}

function namesOf({ pvc, pvcSelector }: SourceSpec, candidates: readonly KubeObject[]): readonly string[] {
  if (pvc) return [pvc.name];
  const { labelSelector = {} } = pvcSelector ?? {};
  return candidates
    .filter(({ metadata }) => selects(labelSelector, metadata.labels ?? {}))
    .map(({ metadata }) => metadata.name);
}

const byName = (a: KubeObject, b: KubeObject) => (a.metadata.name < b.metadata.name ? -1 : 1);

function noneOf(sources: readonly ResolvedSource[], namespace: string): Problem | undefined {
  if (sources.length > 0) return undefined;
  return blocked(
    "NoSources",
    `No claim of namespace ${namespace} matches the selectors, so that there is nothing to back up. Label the claims, or correct spec.sources.`,
  );
}

function tooMany({ length }: readonly ResolvedSource[]): Problem | undefined {
  if (length <= MAX_SOURCES) return undefined;
  return blocked(
    "TooManySources",
    `The BackupConfig is about ${length} claims, and one Backup holds at most ${MAX_SOURCES}. Narrow the selectors, or divide the claims among several BackupConfigs.`,
  );
}

function sharedPath(sources: readonly ResolvedSource[]): Problem | undefined {
  const owners = new Map<string, string>();
  for (const { pvc, sourcePath: path } of sources) {
    const other = owners.get(path);
    if (other !== undefined) {
      return refused(
        "IdentityCollision",
        `${other} and ${pvc} would both be recorded as ${path}, and their snapshots could not be told apart. Set another sourcePathOverride.`,
      );
    }
    owners.set(path, pvc);
  }
  return undefined;
}

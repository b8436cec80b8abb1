import { isPrime } from "../../../core/volumes/populator/population_marks.ts";
import { STAGED_FOR } from "../../../core/volumes/staging/staged_marks.ts";
import { RUN_LABEL } from "../../../core/work/run_labels.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import type { ResolvedSource, SourceSpec } from "../../../kinds/kopiur/parts.ts";
import { selects } from "../../../kube/label_selector.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { blocked, type Problem, refused } from "../problem.ts";
import { pathOf } from "../rules/recorded_paths.ts";

/** As many as the status of a Backup has room for. */
const MAX_SOURCES = 16;

export interface SourcesRequest {
  readonly config: Pick<BackupConfig, "metadata" | "spec">;
  readonly backend: RepositorySpec["backend"];
  /** All claims of the recipe's namespace; those that it names need not be among them. */
  readonly claims: Iterable<KubeObject>;
}

/** The claims that a recipe is about, each once, and the path that each is recorded under. */
export function sourcesOf({
  config,
  backend,
  claims,
}: SourcesRequest): Result<readonly ResolvedSource[], Problem> {
  const sources = sourcesAmong(config, [...claims].filter(isSelectable(backend)));
  const namespace = config.metadata.namespace ?? "";
  const problem = noneOf(sources, namespace) ?? tooMany(sources) ?? sharedPath(sources);
  return problem ? err(problem) : ok(sources);
}

/** The claims that a recipe names, and those that it selects among these; each with its path. */
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

/** Made for a run or a restore, such as a copy to read from, a cache or a prime claim, and gone after it. */
export function isTemporary(claim: KubeObject): boolean {
  const { labels = {} } = claim.metadata;
  return labels[STAGED_FOR] !== undefined || labels[RUN_LABEL] !== undefined || isPrime(claim);
}

/** Neither what is made for a while nor the repository itself is a source, unless somebody names it. */
function isSelectable(backend: RepositorySpec["backend"]): (claim: KubeObject) => boolean {
  const store = "filesystem" in backend ? backend.filesystem?.pvc?.name : undefined;
  return (claim: KubeObject) =>
    claim.metadata.name !== store && !claim.metadata.deletionTimestamp && !isTemporary(claim);
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
    `The recipe is about ${length} claims, and one Backup holds at most ${MAX_SOURCES}. Narrow the selectors, or divide the claims among several BackupConfigs.`,
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

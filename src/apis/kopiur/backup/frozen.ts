import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedBackup, ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { sourcesOf } from "../config/sources.ts";
import { type Problem, waits } from "../problem.ts";
import { type ReadyRepository, resolvedRepository } from "../references.ts";
import { unknownCompressor } from "../rules/recipe_limits.ts";
import { hasOneUser } from "../rules/repository_user.ts";
import { problemOf } from "../rules/violation.ts";
import { hasHooks } from "./hooks_series.ts";
import { roomProblem } from "./status_room.ts";

/** The recipe as it was when the run began: whatever is edited or deleted meanwhile, the run goes on with this. */
export type Frozen = Omit<ResolvedBackup, "recipe"> &
  Required<Pick<ResolvedBackup, "repository" | "engine" | "sources" | "deletionPolicy" | "identity">> & {
    readonly recipe: FrozenRecipe;
  };

/** What of a recipe a run goes by, beside what the status shows. */
export type FrozenRecipe = Pick<BackupConfigSpec, "policy" | "mover" | "failurePolicy" | "hooks"> &
  Partial<Pick<BackupConfigSpec, (typeof CAPTURE)[number]>>;

/** How volumes are captured. */
const CAPTURE = [
  "copyMethod",
  "groupBy",
  "staging",
  "volumeSnapshotClassName",
  "volumeGroupSnapshotClassName",
] as const;

/** What the status holds, once it holds it all. It was written here, so its shape is not checked again. */
export function frozenOf(status: BackupStatus | undefined): Frozen | undefined {
  const resolved = status?.resolved;
  const { recipe, identity, repository, engine } = resolved ?? {};
  return recipe && identity && repository && engine ? (resolved as unknown as Frozen) : undefined;
}

/** How often and how long a Backup is tried. What it says itself may be edited, and wins. */
export function failurePolicyOf({ spec }: Backup, { recipe }: Frozen): BackupConfigSpec["failurePolicy"] {
  return { ...recipe.failurePolicy, ...spec.failurePolicy };
}

/** Whether a run may come to refer to an earlier snapshot, instead of making the same again. */
export function mayRefer({ recipe }: Frozen): boolean {
  return recipe.policy.ignore?.ignoreIdenticalSnapshots ?? false;
}

/** The recipe that a Backup names. */
export function configKey({ metadata, spec }: Backup): ObjectKey {
  return keyOf({ namespace: metadata.namespace, name: "", ...spec.configRef });
}

export interface FreezeRequest {
  readonly backup: Backup;
  readonly config: BackupConfig | undefined;
  /** Absent as long as there is no recipe. */
  readonly repository: Result<ReadyRepository, Problem> | undefined;
  /** The claims that the recipe names or may select, as far as there are. */
  readonly claims: ReadonlyMap<string, KubeObject>;
  /** What its Backups have stored so far belonged to this user alone. */
  readonly owner?: Owner | undefined;
}

/** The recipe of a Backup as it is now, ready to be kept; or what it waits for. */
export function freeze(request: FreezeRequest): Result<Frozen, Problem> {
  const { backup, config, repository, claims, owner } = request;
  const key = configKey(backup);
  if (!config || !repository || config.metadata.deletionTimestamp) {
    return err(
      waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`),
    );
  }
  const { spec, status, metadata } = config;
  const identity = status?.resolved?.identity;
  if (status?.phase !== "Ready" || status.observedGeneration !== metadata.generation || !identity) {
    const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
    return err(waits("ConfigNotReady", `BackupConfig ${key} cannot be run${why ? `: ${why}` : " yet."}`));
  }
  if (!repository.ok) return repository;
  const { engine } = repository.value.spec;
  const unknown = unknownCompressor(backup.spec.parameters?.compressionOverride, engine, OVERRIDE);
  if (unknown) return err(problemOf(unknown));
  const { username, hostname } = identity;
  const sources = sourcesOf({ config, backend: repository.value.spec.backend, claims: claims.values() });
  if (!sources.ok) return sources;
  const missing = sources.value.find(
    ({ pvc }) => !claims.get(pvc) || claims.get(pvc)?.metadata.deletionTimestamp,
  );
  if (missing) {
    return err(
      waits(
        "SourceNotFound",
        `PersistentVolumeClaim ${missing.pvc} does not exist or is being deleted. Create it, or correct the sources.`,
      ),
    );
  }
  const failurePolicy = { ...spec.failurePolicy, ...backup.spec.failurePolicy };
  const recipe = { ...frozenRecipe(spec), failurePolicy };
  const crowded = roomProblem({ sources: sources.value, identity: { username, hostname }, recipe });
  if (crowded) return err(crowded);
  return ok({
    repository: resolvedRepository(repository.value),
    engine,
    configUID: metadata.uid,
    ...(metadata.generation === undefined ? {} : { configGeneration: metadata.generation }),
    copyMethod: spec.copyMethod,
    deletionPolicy: backup.spec.deletionPolicy ?? spec.defaultDeletionPolicy,
    sources: sources.value.map((source) => identified(source, claims.get(source.pvc))),
    identity: { username, hostname },
    ...(owner && !hasOneUser(repository.value) ? { owner } : {}),
    recipe,
  });
}

/** A claim is known by its UID: another one of its name may be empty, or hold something else. */
function identified(source: ResolvedSource, claim: KubeObject | undefined): ResolvedSource {
  return claim ? { ...source, uid: claim.metadata.uid } : source;
}

/** The same, for a Backup that has succeeded: which claims they were is of no use then, and makes room for the snapshots. */
export function withoutUIDs(frozen: Frozen): Frozen {
  return { ...frozen, sources: frozen.sources.map(({ uid: _, ...source }) => source) };
}

const OVERRIDE = "spec.parameters.compressionOverride";

/** What every run of a recipe keeps of it. */
export function frozenRecipe(spec: BackupConfigSpec): FrozenRecipe {
  const { policy, failurePolicy, mover, hooks } = spec;
  return {
    policy,
    failurePolicy,
    ...(mover ? { mover } : {}),
    ...(hasHooks(hooks) ? { hooks } : {}),
    ...Object.fromEntries(CAPTURE.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]]))),
  };
}

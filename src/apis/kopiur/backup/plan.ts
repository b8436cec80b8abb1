import type { BackupObject, BackupOwner, BackupState, SnapshotEntry } from "../../../core/backup/backup.ts";
import { hasHooks } from "../../../core/backup/hooks_series.ts";
import type { BackupPlan, PlanSettings } from "../../../core/backup/plan.ts";
import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { hasOneUser } from "../../../core/repository/repository_user.ts";
import { unknownCompressor } from "../../../core/rules/engine_limits.ts";
import type { AccessMode, Claim } from "../../../core/volumes/claim_request.ts";
import { type Backup, type BackupStatus, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedRepository, ResolvedSource, SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { sourcesOf } from "../config/sources.ts";
import { type ReadyRepository, resolvedRepository } from "../references.ts";
import { originOf } from "./backup_labels.ts";
import { roomProblem } from "./status_room.ts";

/** How volumes are captured. */
const CAPTURE = [
  "copyMethod",
  "groupBy",
  "staging",
  "volumeSnapshotClassName",
  "volumeGroupSnapshotClassName",
] as const;

/** What the status holds, once it holds it all. It was written here, so its shape is not checked again. */
export function planOf(status: BackupStatus | undefined): ConfigPlan | undefined {
  const { resolved } = status ?? {};
  const { settings, identity, repository, engine } = resolved ?? {};
  if (!settings || !identity || !repository || !engine) return undefined;
  return resolved as unknown as ConfigPlan;
}

/** A plan, and the BackupConfig that it was made of. */
export interface ConfigPlan extends BackupPlan {
  readonly repository: ResolvedRepository;
  readonly configUID?: string;
  readonly configGeneration?: number;
}

/** A Backup as the core knows it. */
export function backupObject({ status, ...backup }: Backup): BackupObject {
  if (!status) return backup;
  const { snapshot, snapshots, resolved: _, ...state } = status;
  const plan = planOf(status);
  return {
    ...backup,
    status: {
      ...state,
      ...(snapshot ? { snapshot: entryOf(snapshot) } : {}),
      ...(snapshots ? { snapshots: snapshots.map(entryOf) } : {}),
      ...(plan ? { plan } : {}),
    },
  };
}

/** Whose runs a Backup's are. */
export function ownerOf(backup: Backup): BackupOwner {
  return { resource: backupResource, object: backupObject(backup) };
}

function entryOf({ kopiaSnapshotID: id, ...entry }: SnapshotStatus): SnapshotEntry {
  return { id, ...entry };
}

/** The status of a Backup, as this API has it. */
export function backupStatus(
  backup: Backup,
  { snapshot, snapshots, plan, ...state }: BackupState,
): BackupStatus {
  // The plan is what was handed to the core, whatever that reads of it.
  const { settings, ...resolved } = (plan ?? {}) as Partial<ConfigPlan>;
  return {
    ...state,
    origin: originOf(backup),
    ...(snapshot ? { snapshot: snapshotStatus(snapshot) } : {}),
    ...(snapshots ? { snapshots: snapshots.map(snapshotStatus) } : {}),
    ...(settings ? { resolved: { ...resolved, settings: { ...settings } } } : {}),
  };
}

function snapshotStatus({ id: kopiaSnapshotID, ...entry }: SnapshotEntry): SnapshotStatus {
  return { kopiaSnapshotID, ...entry };
}

/** The BackupConfig that a Backup names. */
export function configKey({ metadata, spec }: Backup): ObjectKey {
  return keyOf({ namespace: metadata.namespace, name: "", ...spec.configRef });
}

export interface PlanRequest {
  readonly backup: Backup;
  readonly config: BackupConfig | undefined;
  /** Absent as long as there is no BackupConfig. */
  readonly repository: Result<ReadyRepository, Problem> | undefined;
  /** The claims that it names or may select, as far as there are. */
  readonly claims: ReadonlyMap<string, KubeObject>;
  /** What its Backups have stored so far belonged to this user alone. */
  readonly owner?: Owner | undefined;
}

/** The plan of a Backup, by its BackupConfig as that is now; or what it waits for. */
export function makePlan(request: PlanRequest): Result<ConfigPlan, Problem> {
  const { backup, config, repository, claims, owner } = request;
  const key = configKey(backup);
  if (!config || !repository || config.metadata.deletionTimestamp) {
    return err(
      waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`),
    );
  }
  // What the BackupConfig only repeats is said in the repository's own words.
  if (!repository.ok && repository.error.class === "structural") return repository;
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
  const settings = { ...settingsOfConfig(spec), failurePolicy };
  const crowded = roomProblem({ sources: sources.value, identity: { username, hostname }, recipe: settings });
  if (crowded) return err(crowded);
  return ok({
    repository: resolvedRepository(repository.value),
    engine,
    configUID: metadata.uid,
    ...(metadata.generation === undefined ? {} : { configGeneration: metadata.generation }),
    copyMethod: spec.copyMethod,
    deletionPolicy: backup.spec.deletionPolicy ?? spec.defaultDeletionPolicy,
    sources: described(
      sources.value.map((source) => identified(source, claims.get(source.pvc))),
      claims,
      (some) =>
        roomProblem({ sources: some, identity: { username, hostname }, recipe: settings }) === undefined,
    ),
    identity: { username, hostname },
    ...(owner && !hasOneUser(repository.value) ? { owner } : {}),
    settings,
  });
}

/** A claim is known by its UID: another one of its name may be empty, or hold something else. */
function identified(source: ResolvedSource, claim: KubeObject | undefined): ResolvedSource {
  return claim ? { ...source, uid: claim.metadata.uid } : source;
}

/** The same, with what the claims are like, for new ones after their loss; where there is room for it. */
function described(
  sources: readonly ResolvedSource[],
  claims: ReadonlyMap<string, KubeObject>,
  fits: (sources: readonly ResolvedSource[]) => boolean,
): readonly ResolvedSource[] {
  const known = sources.map((source) => {
    const { resources, storageClassName, accessModes } =
      (claims.get(source.pvc) as Claim | undefined)?.spec ?? {};
    const capacity = resources?.requests?.storage;
    const claim = {
      ...(capacity === undefined ? {} : { capacity: String(capacity) }),
      ...(storageClassName ? { storageClassName } : {}),
      ...(accessModes ? { accessModes: accessModes as AccessMode[] } : {}),
    };
    return Object.keys(claim).length > 0 ? { ...source, claim } : source;
  });
  return fits(known) ? known : sources;
}

const OVERRIDE = "spec.parameters.compressionOverride";

/** What every run of a BackupConfig keeps of it. */
export function settingsOfConfig(spec: BackupConfigSpec): PlanSettings {
  const { policy, failurePolicy, mover, hooks } = spec;
  return {
    policy,
    failurePolicy,
    ...(mover ? { mover } : {}),
    ...(hasHooks(hooks) ? { hooks } : {}),
    ...Object.fromEntries(CAPTURE.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]]))),
  };
}

import { blocked, type Problem, refused, waits } from "../../../core/reconcile/problem.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import { cut } from "../../../core/reconcile/task_words.ts";
import { lackOf } from "../../../core/restore/deletion_doubt.ts";
import {
  MOST_SAID,
  pickVolume,
  type Resolution,
  type RestoreSource,
  type ShrinkRule,
  type VolumeRemedies,
  volumeNames,
} from "../../../core/restore/resolution.ts";
import type { Pinned, RepositoryRef as PlacedRef } from "../../../core/restore/restore.ts";
import { acceptedBackup } from "../../../core/retention/prune_pause.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { restoreCrossings } from "../admission/crossings.ts";
import { shrunkVolumes } from "../backup/shrunk_volumes.ts";
import { BY_RECIPE } from "../caches.ts";
import { crossingProblem } from "../crossing_problem.ts";
import { isMultiNamespace } from "../multi_namespace/namespaces_of.ts";
import type { KopiurPorts } from "../ports.ts";
import { type RepositoryRef, repositoryKey } from "../references.ts";
import { canStillMean } from "../rules/recorded_paths.ts";

/** The objects that a Restore's source names, as far as they are there. */
export interface SourceObjects {
  readonly restore: Restore;
  readonly backup?: Backup | undefined;
  readonly config?: BackupConfig | undefined;
  /** Those that were made by that BackupConfig. */
  readonly made?: readonly Backup[] | undefined;
  /** Why the source may not be used from the Restore's namespace. */
  readonly forbidden?: Problem | undefined;
}

/** Looks up what a Restore's source names, and whether it may be used from the Restore's namespace. */
export function sourceObjects(
  ports: Pick<KopiurPorts, "caches" | "lookup" | "settings">,
  restore: Restore,
): SourceObjects {
  const { caches } = ports;
  const { namespace } = restore.metadata;
  const { backupRef, fromConfig } = restore.spec.source;
  const config = keyOf({ namespace, name: "", ...fromConfig });
  return {
    restore,
    backup: backupRef && caches.backups.get(keyOf({ namespace, ...backupRef })),
    config: fromConfig && caches.configs.get(config),
    made: fromConfig && caches.backups.indexed(BY_RECIPE, config),
    forbidden: crossingProblem(ports, restore, restoreCrossings),
  };
}

export interface Sources extends SourceObjects {
  /** What was decided before. */
  readonly pinned?: Pinned | undefined;
  /** The name of the claim that gets the data. */
  readonly target?: string | undefined;
  readonly now: number;
}

/** Where the data for a claim comes from. */
export function sourceOf(sources: Sources): RestoreSource {
  return { resolution: resolveSource(sources), isUnderWay: isUnderWay(sources.backup) };
}

/** A Backup that is being made, or waits for its turn, ends by itself, within deadlines of its own. */
function isUnderWay(backup: Backup | undefined): boolean {
  if (!backup) return false;
  const { phase = "Pending", conditions = [] } = backup.status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  return phase === "Running" || (phase === "Pending" && ready?.reason === REASONS.queued);
}

/** Finds out where the data comes from; or what that waits for. */
export function resolveSource(sources: Sources): Result<Resolution, Problem> {
  const { restore, pinned, forbidden } = sources;
  if (pinned?.pinnedAt) return ok({ type: "Pinned", pinned });
  if (forbidden) return err(forbidden);
  const { backupRef, fromConfig, identity } = restore.spec.source;
  const { namespace } = restore.metadata;
  if (backupRef) return fromBackup(sources);
  if (fromConfig) return fromConfigured(sources);
  const repository = restore.spec.repository;
  if (!repository) {
    const message = "source.identity needs spec.repository. Name the repository there.";
    return err(refused("RepositoryMissing", message));
  }
  const { username, hostname, sourcePath, snapshotID, asOf, offset } = identity;
  const place = placed(repository, namespace);
  if (snapshotID === undefined) {
    const whose = { username, hostname, path: sourcePath };
    const startEmpty = restore.spec.policy.onMissingSnapshot === "Continue" ? "Always" : "Never";
    return ok({ type: "Ask", repository: place, identity: whose, point: { asOf, offset }, startEmpty });
  }
  return ok(pin(sources, { repository: place, identity: { username, hostname, sourcePath }, snapshotID }));
}

function fromBackup(sources: Sources): Result<Resolution, Problem> {
  const { restore, backup, target } = sources;
  const ref = restore.spec.source.backupRef ?? { name: "" };
  const key = keyOf({ namespace: restore.metadata.namespace, ...ref });
  if (!backup)
    return err(
      waits("BackupNotFound", `Backup ${key} does not exist. Create it, or correct source.backupRef.`),
    );
  const { status } = backup;
  const phase = status?.phase ?? "Pending";
  if (status?.backupRef) {
    const { namespace, name } = status.backupRef;
    const message = `Backup ${key} was made beside its BackupConfig, as Backup ${namespace}/${name}. Name that one in source.backupRef, with its namespace: whether it may be read from here is asked there.`;
    return err(refused("BackupElsewhere", message));
  }
  if (status?.backupRefs) {
    const names = status.backupRefs.flatMap(({ namespace, name }) => (name ? [`${namespace}/${name}`] : []));
    const message = `Backup ${key} was made by one Backup in each namespace: ${names.join(", ")}. Name the one of the claim in source.backupRef, with its namespace: whether it may be read from here is asked there.`;
    return err(refused("BackupElsewhere", message));
  }
  if (backup.metadata.deletionTimestamp || phase === "Failed" || phase === "Deleting") {
    return err(
      refused("BackupUnusable", `Backup ${key} is ${phase}: there is nothing to restore. Name another one.`),
    );
  }
  if (phase !== "Succeeded" && phase !== "Discovered") {
    return err(
      waits("BackupNotFinished", `Backup ${key} is ${phase}; the restore begins when it has succeeded.`),
    );
  }
  const found = pickVolume(volumesOf(status?.snapshots), { ...ref, target }, REMEDIES);
  if (!found.ok) return found;
  const {
    kopiaSnapshotID: snapshotID,
    identity,
    root,
    fidelity,
    runID,
    owner,
    sizeBytes,
    incomplete,
  } = found.value.entry;
  const lacks = lackOf({ incomplete, failedFiles: status?.stats?.filesFailed });
  const { repository } = status?.resolved ?? {};
  const snapshotTime = status?.timing?.startTime;
  return ok(
    pin(sources, {
      backupRef: {
        name: ref.name,
        ...(backup.metadata.namespace ? { namespace: backup.metadata.namespace } : {}),
      },
      ...(repository ? { repository } : {}),
      identity,
      snapshotID,
      ...(root ? { root } : {}),
      ...(fidelity ? { fidelity } : {}),
      ...(runID ? { runID } : {}),
      ...(owner ? { owner } : {}),
      ...(snapshotTime ? { snapshotTime } : {}),
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
      ...(lacks === undefined ? {} : { lacks: cut(lacks, MOST_SAID) }),
    }),
  );
}

function fromConfigured({ restore, config, made, target }: Sources): Result<Resolution, Problem> {
  const ref = restore.spec.source.fromConfig ?? { name: "", offset: 0 };
  const key = keyOf({ namespace: restore.metadata.namespace, ...ref });
  if (!config)
    return err(
      waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct source.fromConfig.`),
    );
  if (isMultiNamespace(config)) {
    const message = `BackupConfig ${key} is about claims of several namespaces, and is repeated in each, see its status.namespaces. Name the BackupConfig of the claim's namespace in source.fromConfig.`;
    return err(refused("ConfigElsewhere", message));
  }
  const identity = config.status?.resolved?.identity;
  if (!identity) return err(waits("ConfigNotReady", `BackupConfig ${key} has no identity yet.`));
  if (!isUpToDate(config)) {
    const message = `BackupConfig ${key} was edited, and has not been resolved since: the identity and the repository of its snapshots are not known together. It goes on when the BackupConfig is ready; see its conditions.`;
    return err(waits("ConfigNotReady", message));
  }
  const volumes = (identity.sources ?? []).map(({ pvc, sourcePath: path }) => ({ pvc, path }));
  // The claims of a selector come and go: the only one that it finds now need not be the one that is meant.
  const open = config.spec.sources.some(({ pvcSelector }) => pvcSelector !== undefined);
  const found = pickVolume(volumes, { ...ref, target, open }, REMEDIES);
  if (!found.ok && open && restore.spec.target === undefined) {
    const wanted = ref.pvc ?? ref.sourcePath ?? target;
    const message = `BackupConfig ${key} selects its claims by labels, and does not select ${wanted} (yet): it is waited for, and no other's data is taken. Label the claim, or name one that is selected with pvc or sourcePath in source: ${volumeNames(volumes)}.`;
    return err(blocked("VolumeNotSelected", message));
  }
  if (!found.ok) return found;
  const { username, hostname } = identity;
  return ok({
    type: "Ask",
    repository: placed(config.spec.repository, config.metadata.namespace),
    identity: { username, hostname, path: found.value.path },
    point: { asOf: ref.asOf, offset: ref.offset },
    startEmpty: STARTS_EMPTY[restore.spec.policy.onMissingSnapshot ?? "Default"],
    backedUpBefore: wasBackedUp(config, made, found.value.pvc),
    shrink: shrinkRule(config, made, found.value.pvc),
  });
}

/** As retention measures it, which is paused while a source is so small: see the BackupConfig's PruningPaused. */
function shrinkRule(
  config: BackupConfig,
  made: readonly Backup[] = [],
  claim: string | undefined = undefined,
): ShrinkRule {
  const { maxShrinkPercent = DEFAULT_SHRINK } = config.spec.retention ?? {};
  const name = acceptedBackup(config);
  const accepted = made.find(({ metadata }) => metadata.name === name);
  const { snapshots = [], timing } = accepted?.status ?? {};
  const measuredFrom = name === undefined ? {} : { measuredFrom: startOf(timing?.startTime) };
  return {
    maxShrinkPercent,
    accepted: snapshots[0]?.runID,
    ...measuredFrom,
    known: measuredRuns(config, made, claim),
  };
}

/** When that was accepted, nobody knows any more once its Backup is gone. */
function startOf(startTime: string | undefined): number {
  return startTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(startTime);
}

/** The runs of Backups that know how large the volume was. There may be more of them than a repository's list holds. */
function measuredRuns(
  config: BackupConfig,
  made: readonly Backup[],
  claim: string | undefined,
): NonNullable<ShrinkRule["known"]> {
  const shrunk = shrunkVolumes(config, made);
  return new Map(
    made.flatMap(({ metadata, status }) =>
      (status?.snapshots ?? []).flatMap(({ pvc, runID, sizeBytes }) =>
        pvc !== undefined && pvc === claim && runID !== undefined && sizeBytes !== undefined
          ? [[runID, shrunk.get(metadata.uid)?.get(pvc)] as const]
          : [],
      ),
    ),
  );
}

/** Where nothing is pruned, and so nobody has said more. */
const DEFAULT_SHRINK = 50;

const STARTS_EMPTY = { Fail: "Never", Continue: "Always", Default: "IfNew" } as const;

/**
 * Whether the BackupConfig has backed the volume up, wherever to and under whatever path. Where the newest of its Backups
 * is gone, nobody can tell which volumes it held.
 */
function wasBackedUp(
  { status }: BackupConfig,
  made: readonly Backup[] = [],
  claim: string | undefined,
): boolean {
  const { lastSuccessfulBackup: newest } = status ?? {};
  const successes = made.filter((backup) => backup.status?.phase === "Succeeded");
  const isHeld = successes.some((backup) => backup.status?.snapshots?.some(({ pvc }) => pvc === claim));
  const isGone = newest !== undefined && !successes.some(({ metadata }) => metadata.name === newest.name);
  return isHeld || isGone;
}

/**
 * Whether the identity that a BackupConfig was resolved to is the one that it means now, in the repository that it names now.
 * One whose claims are gone keeps both, and is restored from.
 */
function isUpToDate(config: BackupConfig): boolean {
  const { metadata, spec, status } = config;
  const { repository, identity } = status?.resolved ?? {};
  if (!repository || !identity || status?.observedGeneration !== metadata.generation) return false;
  const { username = identity.username, hostname = identity.hostname } = spec.identity ?? {};
  const { namespace = "" } = metadata;
  return (
    username === identity.username &&
    hostname === identity.hostname &&
    (identity.sources ?? []).every((source) => canStillMean(config, source)) &&
    repositoryKey(repository, namespace) === repositoryKey(spec.repository, namespace)
  );
}

/** The reference, as it is read from anywhere: a repository of the whole cluster is in no namespace. */
function placed(ref: RepositoryRef, from = ""): PlacedRef {
  const { kind, name, namespace = from } = ref;
  return kind === "Repository" ? { kind, name, namespace } : { kind, name };
}

function pin({ now }: Sources, pinned: Pinned): Extract<Resolution, { readonly type: "Pinned" }> {
  return { type: "Pinned", pinned: { ...pinned, pinnedAt: timestamp(now) } };
}

/** The entries of a Backup's status, as volumes. */
function volumesOf(entries: NonNullable<Backup["status"]>["snapshots"] = []) {
  return entries.map((entry) => ({
    ...(entry.pvc ? { pvc: entry.pvc } : {}),
    path: entry.identity.sourcePath,
    entry,
  }));
}

const REMEDIES: VolumeRemedies = {
  unknown:
    "Correct pvc or sourcePath in source; or name what the repository holds with source.identity, or a Backup of it with source.backupRef.",
  ambiguous: "Name one in source with pvc or sourcePath.",
};

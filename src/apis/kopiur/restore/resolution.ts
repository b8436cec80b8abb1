import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { ResolvedRestore } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Identity } from "../../../wire/identity.ts";
import { onlyOwner } from "../../../wire/only_owner.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { blocked, type Problem, refused, waits } from "../problem.ts";
import { type RepositoryRef, repositoryKey } from "../references.ts";
import { isReaching } from "../rules/reach.ts";
import { canStillMean } from "../rules/recorded_paths.ts";
import type { PointInTime } from "./pick_snapshot.ts";
import { pickVolume, volumeNames, volumesOf } from "./pick_volume.ts";

/** What is restored, once that is decided: it does not change any more. */
export type Pinned = ResolvedRestore;

/** Where a Restore's data comes from. */
export type Resolution =
  | { readonly type: "Pinned"; readonly pinned: Pinned }
  /** Only the repository knows which snapshot it is. */
  | {
      readonly type: "Ask";
      readonly repository: RepositoryRef;
      readonly identity: Identity;
      readonly point: PointInTime;
    };

export interface Sources {
  readonly restore: Restore;
  /** The objects that the source names, as far as they are there. */
  readonly backup?: Backup | undefined;
  readonly config?: BackupConfig | undefined;
  /** Those that were made by that recipe. */
  readonly made?: readonly Backup[] | undefined;
  /** Why the source may not be used from the Restore's namespace. */
  readonly forbidden?: Problem | undefined;
  /** What was decided before. */
  readonly pinned?: Pinned | undefined;
  /** The name of the claim that gets the data. */
  readonly target?: string | undefined;
  readonly now: number;
}

/** Finds out where the data comes from; or what that waits for. */
export function resolveSource(sources: Sources): Result<Resolution, Problem> {
  const { restore, pinned, forbidden } = sources;
  if (pinned?.pinnedAt) return ok({ type: "Pinned", pinned });
  if (forbidden) return err(forbidden);
  const { backupRef, fromConfig, identity } = restore.spec.source;
  const { namespace } = restore.metadata;
  if (backupRef) return fromBackup(sources);
  if (fromConfig) return fromRecipe(sources);
  const repository = restore.spec.repository;
  if (!repository)
    return err(
      refused("RepositoryMissing", "source.identity needs spec.repository. Name the repository there."),
    );
  const { username, hostname, sourcePath, snapshotID, asOf, offset } = identity;
  const whose = { username, hostname, path: sourcePath };
  if (snapshotID === undefined)
    return ok({ type: "Ask", repository, identity: whose, point: { asOf, offset } });
  const place = placed(repository, namespace);
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
    return err(
      refused(
        "BackupElsewhere",
        `Backup ${key} was made beside its recipe, as Backup ${namespace}/${name}. Name that one in source.backupRef, with its namespace: whether it may be read from here is asked there.`,
      ),
    );
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
  const found = pickVolume(volumesOf(status?.snapshots ?? []), { ...ref, target });
  if (!found.ok) return found;
  const { kopiaSnapshotID: snapshotID, identity, root, fidelity, runID, owner } = found.value.entry;
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
    }),
  );
}

function fromRecipe({ restore, config, target }: Sources): Result<Resolution, Problem> {
  const ref = restore.spec.source.fromConfig ?? { name: "", offset: 0 };
  const key = keyOf({ namespace: restore.metadata.namespace, ...ref });
  if (!config)
    return err(
      waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct source.fromConfig.`),
    );
  if (isReaching(config)) {
    const message = `BackupConfig ${key} is about claims of several namespaces, and is repeated in each, see its status.namespaces. Name the BackupConfig of the claim's namespace in source.fromConfig.`;
    return err(refused("RecipeElsewhere", message));
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
  const found = pickVolume(volumes, { ...ref, target, open });
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
  });
}

/**
 * Whether the identity that a recipe was resolved to is the one that it means now, in the repository that it names now.
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
function placed(ref: RepositoryRef, from = ""): RepositoryRef {
  const { kind, name, namespace = from } = ref;
  return kind === "Repository" ? { kind, name, namespace } : { kind, name };
}

/** The repository's answer, as it is pinned; without a snapshot it is a definite "there is none". */
export function pinAnswer(
  sources: Sources,
  asked: Extract<Resolution, { readonly type: "Ask" }>,
  snapshot: Snapshot | undefined,
): Pinned {
  const { username, hostname, path: sourcePath } = asked.identity;
  const base = {
    repository: placed(asked.repository, sources.restore.metadata.namespace),
    identity: { username, hostname, sourcePath },
  };
  if (!snapshot) return pin(sources, { ...base, noSnapshot: true }).pinned;
  const { id: snapshotID, root, fidelity, run, owners, startedAt } = snapshot;
  return pin(sources, {
    ...base,
    snapshotID,
    ...(root ? { root } : {}),
    fidelity,
    ...(run ? { runID: run } : {}),
    ...onlyOwner(owners),
    snapshotTime: timestamp(Date.parse(startedAt)),
  }).pinned;
}

function pin({ now }: Sources, pinned: Pinned): Extract<Resolution, { readonly type: "Pinned" }> {
  return { type: "Pinned", pinned: { ...pinned, pinnedAt: timestamp(now) } };
}

export function targetName({ spec }: Restore): string | undefined {
  return spec.target?.pvc?.name ?? spec.target?.pvcRef?.name;
}

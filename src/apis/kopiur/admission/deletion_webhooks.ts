import { deletionWebhook } from "../../../core/admission/deletion_webhook.ts";
import { storedObjection } from "../../../core/admission/stored_on.ts";
import { isHeld } from "../../../core/backup/backup_annotations.ts";
import { claimOfRepository } from "../../../core/repository/volume_problem.ts";
import { isWriting } from "../../../core/restore/restore_stage.ts";
import { isIncomplete } from "../../../core/restore/target_incomplete.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { GROUP } from "../../../kinds/kopiur/group.ts";
import type { Author } from "../../../kube/admission/access_review.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import type { Lookup } from "./lookup.ts";

export interface DeletionWebhooksOptions {
  readonly lookup: Pick<Lookup, "namespace">;
  readonly caches: Pick<KopiurCaches, "repositories" | "clusterRepositories" | "backups">;
  readonly operatorNamespace: string;
  readonly isOperator: (author: Author) => boolean;
  /** Only this namespace is guarded. Default: all. */
  readonly namespace?: string | undefined;
}

/**
 * What must not be deleted by mistake: a claim that holds a repository, and a Backup that somebody holds. And what leaves
 * something behind: a Restore that has written a part of its data over somebody's.
 */
export function deletionWebhooks(options: DeletionWebhooksOptions): readonly Webhook[] {
  const { lookup, caches, operatorNamespace, isOperator, namespace: watched } = options;
  const shared = {
    api: "kopiur",
    group: GROUP,
    watched,
    isOperator,
    namespace: (name: string) => lookup.namespace(name),
  };
  const repositories = (): readonly AnyRepository[] => [
    ...caches.repositories.values(),
    ...(caches.clusterRepositories?.values() ?? []),
  ];
  const snapshotsIn = (repository: AnyRepository) =>
    caches.backups
      .indexed(BY_REPOSITORY, keyOf(repository))
      .reduce((sum, { status }) => sum + (status?.snapshots?.length ?? 0), 0);
  return [
    deletionWebhook<Claim>({
      ...shared,
      resource: PersistentVolumeClaims,
      objection: (claim) => claimObjection(claim, repositories(), { operatorNamespace, known: snapshotsIn }),
    }),
    deletionWebhook<Backup>({
      ...shared,
      resource: backupResource,
      matchConditions: [
        {
          name: "held",
          expression: `has(oldObject.metadata.annotations) && '${ANNOTATIONS.hold}' in oldObject.metadata.annotations`,
        },
      ],
      objection: heldObjection,
    }),
    deletionWebhook<Restore>({
      ...shared,
      resource: restoreResource,
      matchConditions: [
        {
          name: "in-place",
          expression: "has(oldObject.spec.target) && has(oldObject.spec.target.pvcRef)",
        },
      ],
      warning: halfWrittenWarning,
    }),
  ];
}

export interface ClaimFacts {
  readonly operatorNamespace: string;
  /** How many snapshots of a repository Backups stand for. */
  known(repository: AnyRepository): number;
}

/** Why a claim must not be deleted: a repository that is in use lies on it. */
export function claimObjection(
  claim: KubeObject,
  repositories: readonly AnyRepository[],
  { operatorNamespace, known }: ClaimFacts,
): string | undefined {
  const stored = repositories.flatMap((repository) => {
    const name = claimOfRepository(repository);
    if (name === undefined || repository.status?.uniqueID === undefined) return [];
    const namespace = isOfCluster(repository) ? operatorNamespace : repository.metadata.namespace;
    // What was counted when the repository was last asked may be from before the first backup.
    const counted = Math.max(repository.status.storageStats?.snapshotCount ?? 0, known(repository));
    const snapshots = counted > 0 ? counted : undefined;
    return [{ repository, claim: keyOf({ namespace, name }), snapshots }];
  });
  return storedObjection(claim, stored);
}

/** Why a Backup must not be deleted: somebody holds it. */
export function heldObjection(backup: KubeObject): string | undefined {
  if (!isHeld(backup)) return undefined;
  return `Backup ${keyOf(backup)} is held by the annotation ${ANNOTATIONS.hold}. If its snapshots may go, run holdfast unhold backup/${backup.metadata.name} -n ${backup.metadata.namespace} first, then delete it.`;
}

/** What a Restore leaves behind that has not completed. */
export function halfWrittenWarning(restore: Restore): string | undefined {
  const { metadata, spec, status } = restore;
  const claim = spec.target?.pvcRef?.name;
  if (claim === undefined || !(isIncomplete(status) || isWriting(restore))) return undefined;
  const back = spec.target?.pvcRef?.scaleDownWorkloads
    ? " What was scaled down for it comes back onto that volume."
    : "";
  return `PVC ${metadata.namespace}/${claim} holds a part of the old and a part of the restored data: no backup of it is made before a restore into it completes.${back} Restore into the PVC again. To go back with holdfast restore --undo needs Restore ${metadata.name}.`;
}

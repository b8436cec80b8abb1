import { deletionWebhook } from "../../../core/admission/deletion_webhook.ts";
import { type Guard, type Guarded, type GuardPorts, guardWebhooks } from "../../../core/admission/guard.ts";
import type { KnownMarks } from "../../../core/admission/misspelt.ts";
import { removalObjection, storedObjection } from "../../../core/admission/stored_on.ts";
import { isHeld } from "../../../core/backup/backup_annotations.ts";
import { DELETION_REASON } from "../../../core/reconcile/annotations.ts";
import { ACCEPTED, ANNOTATIONS, triggerNames } from "../../../kinds/autorestore/annotations.ts";
import {
  backupConfigResource,
  backupConfigSchema,
} from "../../../kinds/autorestore/generated/backup_config.ts";
import {
  type ResticBackup,
  resticBackupResource,
  resticBackupSchema,
} from "../../../kinds/autorestore/generated/restic_backup.ts";
import {
  type ResticRepository,
  resticRepositoryResource,
  resticRepositorySchema,
} from "../../../kinds/autorestore/generated/restic_repository.ts";
import {
  resticRestoreResource,
  resticRestoreSchema,
} from "../../../kinds/autorestore/generated/restic_restore.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { repositoryKeyOf } from "../caches.ts";
import { TRIGGER } from "../config/drafts.ts";
import { storeOf } from "../repository/repository_url.ts";
import { checkBackup } from "./check_backup.ts";
import { checkConfig } from "./check_config.ts";
import { checkRepository } from "./check_repository.ts";
import { checkRestore } from "./check_restore.ts";
import type { Lookup } from "./lookup.ts";

export interface AutorestoreWebhooksOptions extends Omit<GuardPorts<Lookup>, "api" | "consent" | "marks"> {
  readonly repositories: { values(): Iterable<ResticRepository> };
  readonly backups: { values(): Iterable<ResticBackup> };
}

const API = "autorestore";

/** The labels and annotations of this API. */
const MARKS: KnownMarks = {
  prefix: `${GROUP}/`,
  names: [
    ...Object.values(ANNOTATIONS),
    ...Object.values(ACCEPTED),
    ...Object.values(LABELS),
    ...triggerNames("backup"),
    ...triggerNames("restore"),
    `${GROUP}/${DELETION_REASON}`,
    TRIGGER,
  ],
  switches: [
    ANNOTATIONS.hold,
    ANNOTATIONS.cancel,
    ANNOTATIONS.skipSnapshotCleanup,
    ANNOTATIONS.acknowledgeShrink,
    ANNOTATIONS.acknowledgeRemoval,
  ],
};

/** How each kind of this API is guarded, and what must not be deleted by mistake. */
export function autorestoreWebhooks(options: AutorestoreWebhooksOptions): readonly Webhook[] {
  const { lookup, namespace: watched, isOperator, repositories, backups } = options;
  const namespace = (name: string) => lookup.namespace(name);
  // References lead into other namespaces only where a BackupConfig has claimed the PVC: the controllers see to that.
  const consent = { kinds: {}, repositoryList: "a BackupConfig beside the ResticRepository", namespace };
  const ports = { ...options, api: API, consent, marks: MARKS };
  const guard = <T extends Guarded>(kind: Guard<T, Lookup>) => guardWebhooks(kind, ports);
  const deletions = { api: API, group: GROUP, watched, isOperator, namespace };
  return [
    ...guard({ resource: backupConfigResource, schema: backupConfigSchema, check: checkConfig }),
    ...guard({ resource: resticRepositoryResource, schema: resticRepositorySchema, check: checkRepository }),
    ...guard({ resource: resticBackupResource, schema: resticBackupSchema, check: checkBackup }),
    ...guard({ resource: resticRestoreResource, schema: resticRestoreSchema, check: checkRestore }),
    deletionWebhook<KubeObject>({
      ...deletions,
      resource: PersistentVolumeClaims,
      objection: (claim) => storedObjection(claim, [...repositories.values()].flatMap(storedOn)),
    }),
    deletionWebhook<ResticRepository>({
      ...deletions,
      resource: resticRepositoryResource,
      matchConditions: [{ name: "on-a-volume", expression: "has(oldObject.spec.volume)" }],
      objection: (repository) => {
        const [stored] = storedOn(repository);
        const snapshots = Math.max(stored?.snapshots ?? 0, snapshotsIn(repository, backups.values()));
        return stored && removalObjection({ ...stored, snapshots }, resticRepositoryResource.plural);
      },
    }),
    deletionWebhook<ResticBackup>({
      ...deletions,
      resource: resticBackupResource,
      matchConditions: [
        {
          name: "held",
          expression: `has(oldObject.metadata.annotations) && '${ANNOTATIONS.hold}' in oldObject.metadata.annotations`,
        },
      ],
      objection: heldObjection,
    }),
  ];
}

/** The repository itself may have been asked before the first of them. */
function snapshotsIn(repository: ResticRepository, backups: Iterable<ResticBackup>): number {
  const key = keyOf(repository);
  return [...backups].filter(
    (one) =>
      one.status?.snapshotID !== undefined && !one.metadata.deletionTimestamp && repositoryKeyOf(one) === key,
  ).length;
}

function storedOn(repository: ResticRepository) {
  const { status } = repository;
  const claim = storeOf(repository);
  if (!claim || status?.uniqueID === undefined) return [];
  return [{ repository, claim: keyOf(claim), snapshots: status.stats?.snapshotCount }];
}

function heldObjection(backup: ResticBackup): string | undefined {
  if (!isHeld(backup)) return undefined;
  return `ResticBackup ${keyOf(backup)} is held by the annotation ${ANNOTATIONS.hold}. If its snapshot may go, remove the annotation first, then delete it.`;
}

import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { KEEPS_DOWN } from "../../../../core/workloads/scaling/scaling_marks.ts";
import { type Volume, volumeResource } from "../../../../kinds/cozystack/generated/volume.ts";
import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../../kube/builtin.ts";
import { type Cache, type Change, lastSeen } from "../../../../kube/cache/cache.ts";
import type { Informers } from "../../../../kube/cache/informers.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../../kube/object.ts";
import type { Driver } from "../driver.ts";
import type { DriverWakes } from "../driver_controllers.ts";
import { decideRestores } from "./decide_restores.ts";
import { decideRemoval, decideVolumes, nativeBackupName } from "./decide_volumes.ts";
import { MADE_FOR, MADE_FOR_JOB, type NativeObjects } from "./native_objects.ts";

const IN_NAMESPACE = "namespace";

/** Besides what others keep of them: how large PVCs are, and of which class. */
const KEPT = { spec: { resources: true, accessModes: true, storageClassName: true } } as const;

export interface VolumeDriver {
  readonly driver: Driver<Volume>;
  /** Lets the controllers follow the objects that do the work. */
  follow(controllers: DriverWakes): void;
}

/** Backs up the volumes of applications, through Backups and Restores of the native API. */
export function volumeDriver(informers: Pick<Informers, "cache">): VolumeDriver {
  const claims: Cache<Claim> = informers.cache({
    resource: PersistentVolumeClaims,
    keep: KEPT,
    indexes: { [IN_NAMESPACE]: ({ metadata }: Claim) => [metadata.namespace ?? ""] },
  });
  const backups: Cache<Backup> = informers.cache({ resource: backupResource });
  const restores: Cache<Restore> = informers.cache({ resource: restoreResource });
  const native: NativeObjects = {
    backup: (key) => backups.get(key),
    restore: (key) => restores.get(key),
    keepingDown: (namespace) =>
      [...restores.values()].filter(
        ({ metadata }) =>
          metadata.namespace === namespace && metadata.annotations?.[KEEPS_DOWN] && isForRestoreJob(metadata),
      ),
  };
  const claimsIn = (namespace: string) => claims.indexed(IN_NAMESPACE, namespace);
  return {
    driver: {
      name: "volume",
      strategies: [volumeResource],
      restoresElsewhere: true,
      backup: async (work) => decideVolumes({ work, claims: claimsIn(work.namespace), native }),
      restore: async (work) => decideRestores({ work, claims: claimsIn(work.targetNamespace), native }),
      remove: async (work) => decideRemoval(work, native),
      abandon: async (job) => {
        const { namespace } = job.metadata;
        const object = native.backup(keyOf({ namespace, name: nativeBackupName(job) }));
        if (!object) return { intents: [] };
        const hasFailed = object.status?.phase === "Failed";
        // One that succeeded after its job had failed may be the last of an application: people decide.
        if (job.status?.completedAt !== undefined && !hasFailed) return { intents: [] };
        const mark = hasFailed ? "BackupJobDeleted" : undefined;
        return { intents: [{ type: "Delete", resource: backupResource, object, mark }] };
      },
      leftIn: (namespace, job) =>
        [...restores.values()]
          .filter(({ metadata }) => metadata.namespace === namespace && isMadeFor(metadata, job))
          .map((object) => ({ type: "Delete", resource: restoreResource, object })),
    },
    follow: ({ backupJobs, restoreJobs, backups: owners }) => {
      const from = (kind: string) => (change: Change<KubeObject>) => jobOf(kind, lastSeen(change));
      backupJobs.watch(backups, { keys: from("BackupJob") });
      restoreJobs.watch(restores, { keys: from("RestoreJob") });
      // A Backup has the name of its BackupJob.
      owners.watch(backups, { keys: from("BackupJob") });
    },
  };
}

function isMadeFor({ annotations }: KubeObject["metadata"], { metadata }: KubeObject): boolean {
  return annotations?.[MADE_FOR] === metadata.uid;
}

function isForRestoreJob({ annotations }: KubeObject["metadata"]): boolean {
  return annotations?.[MADE_FOR_JOB]?.startsWith("RestoreJob/") ?? false;
}

function jobOf(kind: string, { metadata }: KubeObject): readonly ObjectKey[] {
  const [of, namespace, name] = metadata.annotations?.[MADE_FOR_JOB]?.split("/") ?? [];
  return of === kind && name !== undefined ? [keyOf({ namespace, name })] : [];
}

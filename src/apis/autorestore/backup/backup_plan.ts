import type { BackupRequest, BackupState } from "../../../core/backup/backup.ts";
import type { BackupPlan } from "../../../core/backup/plan.ts";
import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import type { Ready, Repository } from "../../../core/repository/repository.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/autorestore/finalizers.ts";
import {
  type ResticBackup,
  resticBackupResource,
} from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { identityOf } from "../identity.ts";
import { coreBackup } from "./backup_status.ts";

/** A backup is tried again twice, and takes a day at most. */
const TRIES = { backoffLimit: 2, activeDeadlineSeconds: 86_400 };

/** What was resolved when the backup began. */
export function planOf({ status }: ResticBackup): BackupPlan | undefined {
  return (status?.state as BackupState | undefined)?.plan;
}

export interface PlanObjects {
  readonly ready: Result<Ready<Repository>, Problem>;
  /** The ResticRepository itself. */
  readonly repository: ResticRepository | undefined;
  readonly claim: KubeObject | undefined;
}

/** What the backup is to do; or what it waits for. */
export function resolvePlan(
  backup: ResticBackup,
  { ready, repository, claim }: PlanObjects,
): Result<BackupPlan, Problem> {
  const { namespace = "" } = backup.metadata;
  const { name } = backup.spec.pvcRef;
  if (!ready.ok) return ready;
  if (!claim || claim.metadata.deletionTimestamp) {
    return err(
      waits(
        "ClaimNotFound",
        `PersistentVolumeClaim ${namespace}/${name} does not exist. Create it, or delete this ResticBackup.`,
      ),
    );
  }
  const { path, ...identity } = identityOf(namespace, name);
  const { metadata, status } = ready.value;
  const flags = repository?.spec.additionalFlags;
  return ok({
    repository: {
      name: metadata.name,
      namespace: metadata.namespace ?? "",
      uid: metadata.uid,
      uniqueID: status.uniqueID,
    },
    engine: "restic",
    copyMethod: "Direct",
    deletionPolicy: "Delete",
    sources: [{ pvc: `${namespace}/${name}`, sourcePath: path, uid: claim.metadata.uid }],
    identity,
    settings: {
      policy: { unreadableFiles: "Fail", ...(flags?.length ? { extraArgs: flags } : {}) },
      failurePolicy: TRIES,
    },
  });
}

/** A tag with a value, such as app=web, or without. */
function tagsOf(tags: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tags.map((tag) => {
      const [key = "", ...value] = tag.split("=");
      return [key, value.length > 0 ? value.join("=") : "true"];
    }),
  );
}

/** What a ResticBackup asks of the engine room. */
export function requestOf(backup: ResticBackup, plan: BackupPlan): BackupRequest {
  const { tags } = backup.spec;
  return {
    owner: { resource: resticBackupResource, object: coreBackup(backup) },
    plan,
    ...(tags ? { tags: tagsOf(tags) } : {}),
    failurePolicy: TRIES,
    tenant: backup.spec.pvcRef.name,
    hold: { finalizer: SNAPSHOT_CLEANUP, labels: {} },
  };
}

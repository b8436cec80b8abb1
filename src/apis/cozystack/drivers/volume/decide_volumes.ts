import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { type RestoreJob, restoreJobResource } from "../../../../kinds/cozystack/generated/restore_job.ts";
import type { Volume } from "../../../../kinds/cozystack/generated/volume.ts";
import { GROUP } from "../../../../kinds/cozystack/group.ts";
import { backupResource, type Backup as NativeBackup } from "../../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../kinds/kopiur/generated/backup_config.ts";
import { type Restore, restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import type { KubeObject, ObjectKey } from "../../../../kube/object.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { Condition } from "../../../../kube/write/conditions.ts";
import { ownerReference } from "../../../../kube/write/owners.ts";
import { fingerprint, sha256 } from "../../../../lib/hash.ts";
import { objectName } from "../../../../lib/names.ts";
import { someOf } from "../../../../lib/some_of.ts";
import { withGroup } from "../../core/resolve_class.ts";
import type { BackupWork, DriverIntent, RemovalWork, RestoreWork, Step } from "../driver.ts";
import { rendered } from "../template_data.ts";
import { claimsOfApplication } from "./claims_of_application.ts";
import {
  copyName,
  METADATA,
  readRecords,
  recordOf,
  recordsText,
  type VolumeRecord,
} from "./volume_record.ts";

/** The most volumes that one Backup of the native API holds. */
const MOST_VOLUMES = 16;
/** The longest value of a Backup's driverMetadata. */
const LONGEST_RECORDS = 4096;

/** On objects of the native API: the job that they work for, by its UID. */
export const MADE_FOR = `${GROUP}/job-uid`;
/** On objects of the native API: the kind and the key of that job, for whoever follows them. */
export const MADE_FOR_JOB = `${GROUP}/job`;

const madeFor = (kind: string, object: KubeObject) => ({
  [MADE_FOR]: object.metadata.uid,
  [MADE_FOR_JOB]: `${kind}/${keyOf(object)}`,
});

/** What is known of the objects of the native API. */
export interface NativeObjects {
  backup(key: ObjectKey): NativeBackup | undefined;
  restore(key: ObjectKey): Restore | undefined;
}

/** The name of the Backup of the native API that does the work of a BackupJob. */
export function nativeBackupName({ metadata }: KubeObject): string {
  return objectName(metadata.name, fingerprint(metadata.uid, 6));
}

export interface ObservedVolumes {
  readonly work: BackupWork<Volume>;
  /** The PVCs of the namespace. */
  readonly claims: readonly Claim[];
  readonly native: NativeObjects;
}

/** What a backup of volumes needs next: a Backup of the native API, and the BackupConfig that it goes by. */
export function decideVolumes({ work, claims, native }: ObservedVolumes): Step {
  const { object, namespace } = work;
  const name = nativeBackupName(object);
  const made = native.backup(keyOf({ namespace, name }));
  if (made && made.metadata.annotations?.[MADE_FOR] !== object.metadata.uid) {
    return failed("NameTaken", `Backup ${name} of the native API belongs to something else. Delete it.`);
  }
  return made ? followed(work, made) : begun(work, claims, name);
}

function begun(work: BackupWork<Volume>, claims: readonly Claim[], name: string): Step {
  const { object, namespace, application, applicationRef, strategy, state } = work;
  const { volumes } = strategy.spec;
  // Without any rule, an application is taken for a release of its name.
  const rules = rendered(
    volumes?.matchLabels || volumes?.release ? volumes : { release: applicationRef.name },
    work,
    "backup",
    "spec.volumes",
  );
  if (!rules.ok)
    return failed("TemplateFailed", `${rules.error}. Correct the Volume ${strategy.metadata.name}.`);
  const found = application ? claimsOfApplication(application, claims, rules.value) : [];
  const text = `${applicationRef.kind} ${applicationRef.name}`;
  if (found.length === 0) {
    return failed(
      "NoVolumes",
      `${text} has no PVC: none names it as owner, is mounted by it, or has the labels of the strategy. Set spec.volumes of the Volume ${strategy.metadata.name}.`,
    );
  }
  if (found.length > MOST_VOLUMES) {
    return failed(
      "TooManyVolumes",
      `${text} has ${found.length} PVCs; a Backup holds at most ${MOST_VOLUMES}.`,
    );
  }
  const records = recordsText(found.map((claim) => recordOf(claim, applicationRef.name)));
  if (records.length > LONGEST_RECORDS) {
    return failed(
      "TooManyVolumes",
      `What a restore has to know of the ${found.length} PVCs of ${text} is ${records.length} characters long; a Backup holds at most ${LONGEST_RECORDS}. Give them shorter names, or fewer labels.`,
    );
  }
  const intents: readonly DriverIntent[] = [
    { type: "Apply", resource: backupConfigResource, draft: configDraft(work, found) },
    {
      type: "Ensure",
      resource: backupResource,
      draft: {
        metadata: { name, namespace, annotations: madeFor("BackupJob", object) },
        spec: { configRef: { name: configName(work) }, deletionPolicy: strategy.spec.deletionPolicy },
      } as object as DriverDraft,
    },
  ];
  const names = someOf(
    found.map(({ metadata }) => metadata.name),
    5,
  );
  return { type: "Running", message: `Backing up ${names}.`, state: { ...state, volumes: records }, intents };
}

type DriverDraft = Extract<DriverIntent, { type: "Ensure" }>["draft"];

/** One BackupConfig for each application and strategy: so its snapshots build on each other. */
export function configName({ applicationRef, strategy }: BackupWork<Volume>): string {
  const { apiGroup, kind, name } = applicationRef;
  const mark = fingerprint([apiGroup, kind, name, strategy.metadata.name].join("/"), 6);
  return objectName(kind.toLowerCase(), name, mark);
}

function configDraft(work: BackupWork<Volume>, claims: readonly Claim[]): DriverDraft {
  const { namespace, strategy } = work;
  const { repository, copyMethod, groupBy, mover, deletionPolicy } = strategy.spec;
  const { volumeSnapshotClassName, volumeGroupSnapshotClassName } = strategy.spec;
  return {
    metadata: { name: configName(work), namespace },
    spec: {
      repository: { kind: repository.kind, name: repository.name },
      sources: claims.map(({ metadata }) => ({ pvc: { name: metadata.name } })),
      copyMethod,
      groupBy: claims.length > 1 ? groupBy : "None",
      defaultDeletionPolicy: deletionPolicy,
      ...(volumeSnapshotClassName ? { volumeSnapshotClassName } : {}),
      ...(volumeGroupSnapshotClassName ? { volumeGroupSnapshotClassName } : {}),
      ...(mover ? { mover } : {}),
    },
  } as object as DriverDraft;
}

function followed(work: BackupWork<Volume>, made: NativeBackup): Step {
  const { namespace, state, strategy } = work;
  const { phase, snapshots = [], stats, timing } = made.status ?? {};
  const { name } = made.metadata;
  if (phase === "Failed")
    return failed("BackupFailed", `Backup ${name} of the native API failed: ${whyOf(made)}`);
  if (phase !== "Succeeded")
    return { type: "Running", message: whyOf(made) || "Waiting for the backup to begin." };
  const { repository } = strategy.spec;
  const roots = snapshots.flatMap(({ root }) => root ?? []);
  const sizeBytes = stats?.sizeBytes ?? snapshots.reduce((sum, one) => sum + (one.sizeBytes ?? 0), 0);
  return {
    type: "Succeeded",
    message: `${snapshots.length === 1 ? "1 volume is" : `${snapshots.length} volumes are`} backed up.`,
    takenAt: timing?.startTime,
    metadata: { [METADATA.backup]: name, ...(state.volumes ? { [METADATA.volumes]: state.volumes } : {}) },
    artifact: {
      uri: `holdfast://${repository.kind}/${repository.name}/${namespace}/${name}`,
      sizeBytes,
      // Equal content has equal roots, whatever their number.
      ...(roots.length > 0 && roots.length === snapshots.length
        ? { checksum: `sha256:${sha256(roots.join("\n"))}` }
        : {}),
    },
  };
}

export interface ObservedRestores {
  readonly work: RestoreWork<Volume>;
  readonly claims: readonly Claim[];
  readonly native: NativeObjects;
}

/** What a restore of volumes needs next: a Restore of the native API for each of them. */
export function decideRestores({ work, claims, native }: ObservedRestores): Step {
  const { backup, targetNamespace: namespace, object } = work;
  const from = backup.spec.driverMetadata?.[METADATA.backup];
  const records = readRecords(backup.spec.driverMetadata?.[METADATA.volumes]);
  if (from === undefined || !records) {
    return failed(
      "MetadataMissing",
      `Backup ${backup.metadata.name} does not say which volumes it holds: its driverMetadata lacks ${METADATA.backup} or ${METADATA.volumes}.`,
    );
  }
  const wanted = records.map((record) => ({ record, name: restoreName(work, record) }));
  const missing = wanted.filter(({ name }) => !native.restore(keyOf({ namespace, name })));
  if (missing.length > 0) {
    const intents = missing.map(({ record, name }): DriverIntent => {
      const draft = restoreDraft(work, { record, name, from, claims });
      return { type: "Ensure", resource: restoreResource, draft };
    });
    return { type: "Running", message: `Restoring ${records.length} volumes.`, intents };
  }
  const restores = wanted.flatMap(({ name }) => native.restore(keyOf({ namespace, name })) ?? []);
  const foreign = restores.find(({ metadata }) => metadata.annotations?.[MADE_FOR] !== object.metadata.uid);
  if (foreign) {
    return failed(
      "NameTaken",
      `Restore ${foreign.metadata.name} of the native API belongs to something else.`,
    );
  }
  const going = restores.filter(({ status }) => status?.phase !== "Completed" && status?.phase !== "Failed");
  const [next] = going;
  if (next) {
    const ended = restores.length - going.length;
    const why = whyOf(next) || "Waiting for the restore to begin.";
    return { type: "Running", message: `${ended} of ${restores.length} volumes are restored. ${why}` };
  }
  const broken = restores.find(({ status }) => status?.phase === "Failed");
  if (broken) {
    return failed(
      "RestoreFailed",
      `Restore ${broken.metadata.name} of the native API failed: ${whyOf(broken)}`,
    );
  }
  const text = restores.length === 1 ? "1 volume is" : `${restores.length} volumes are`;
  return { type: "Succeeded", message: `${text} restored.` };
}

/** Names of another namespace's RestoreJobs may be the same. */
function restoreName(
  { object, namespace, targetNamespace }: RestoreWork<Volume>,
  { name }: VolumeRecord,
): string {
  const job = namespace === targetNamespace ? object.metadata.name : `${namespace}-${object.metadata.name}`;
  return objectName(job, name);
}

interface RestorePlan {
  readonly record: VolumeRecord;
  readonly name: string;
  /** The Backup of the native API. */
  readonly from: string;
  readonly claims: readonly Claim[];
}

/** A PVC that is there is written over, as its strategy says; one that is not is made anew. */
function restoreDraft(work: RestoreWork<Volume>, { record, name, from, claims }: RestorePlan): DriverDraft {
  const { object, namespace, targetNamespace, applicationRef, backup, strategy } = work;
  const isHere = namespace === targetNamespace;
  const { scaleDownWorkloads, deleteOtherFiles } = strategy.spec.restore;
  const original = withGroup(backup.spec.applicationRef).name;
  const claim = copyName(record.name, original, applicationRef.name);
  const exists = claims.some(({ metadata }) => metadata.name === claim);
  const labels = Object.fromEntries(
    Object.keys(record.labels ?? {}).map((label) => [label, applicationRef.name]),
  );
  const made = {
    name: claim,
    capacity: record.capacity,
    ...(record.modes ? { accessModes: record.modes } : {}),
    ...(record.class ? { storageClassName: record.class } : {}),
    ...(record.labels ? { labels } : {}),
  };
  return {
    metadata: {
      name,
      namespace: targetNamespace,
      annotations: madeFor("RestoreJob", object),
      // Nothing can belong to an object of another namespace.
      ...(isHere ? { ownerReferences: [ownedBy(object, namespace)] } : {}),
    },
    spec: {
      source: { backupRef: { name: from, pvc: record.name, ...(isHere ? {} : { namespace }) } },
      target: exists ? { pvcRef: { name: claim, scaleDownWorkloads } } : { pvc: made },
      ...(exists ? { options: { enableFileDeletion: deleteOtherFiles } } : {}),
      ...(strategy.spec.mover ? { mover: strategy.spec.mover } : {}),
    },
  } as object as DriverDraft;
}

function ownedBy(object: RestoreJob, namespace: string) {
  return ownerReference({
    owner: { resource: restoreJobResource, object },
    dependent: { resource: restoreResource, namespace },
    blockOwnerDeletion: false,
  });
}

/** Deletes the Backup of the native API, and with it the snapshots, if it says so. */
export function decideRemoval({ object, namespace }: RemovalWork<Volume>, native: NativeObjects): Step {
  const name = object.spec.driverMetadata?.[METADATA.backup];
  const made = name === undefined ? undefined : native.backup(keyOf({ namespace, name }));
  if (!made) return { type: "Succeeded", message: "The data is deleted." };
  if (made.metadata.deletionTimestamp) {
    return {
      type: "Running",
      message: `Waiting until Backup ${name} of the native API is gone. ${whyOf(made)}`,
    };
  }
  const intents = [{ type: "Delete", resource: backupResource, object: made } as const];
  return { type: "Running", message: `Deleting Backup ${name} of the native API.`, intents };
}

function failed(reason: string, message: string): Step {
  return { type: "Failed", reason, message };
}

function whyOf({ status }: { readonly status?: { readonly conditions?: readonly Condition[] } }): string {
  return status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
}

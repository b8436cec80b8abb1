import { annotationOf, DELETION_REASON } from "../../../../core/reconcile/annotations.ts";
import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { type ClaimRules, claimsOfApplication } from "../../../../core/volumes/claims_of_application.ts";
import type { Volume } from "../../../../kinds/cozystack/generated/volume.ts";
import { backupResource, type Backup as NativeBackup } from "../../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../../kube/object.ts";
import { fingerprint, sha256 } from "../../../../lib/hash.ts";
import { objectName } from "../../../../lib/names.ts";
import type { Result } from "../../../../lib/result.ts";
import { someOf } from "../../../../lib/some_of.ts";
import type { BackupWork, DriverIntent, RemovalWork, RestoreWork, Step } from "../driver.ts";
import { rendered } from "../template_data.ts";
import {
  type DriverDraft,
  failed,
  lossesText,
  MADE_FOR,
  madeFor,
  type NativeObjects,
  whyOf,
} from "./native_objects.ts";
import { METADATA, recordOf, recordsText } from "./volume_record.ts";

/** The most volumes that one Backup of the native API holds. */
const MOST_VOLUMES = 16;
/** The longest value of a Backup's driverMetadata. */
const LONGEST_RECORDS = 4096;

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

/** How the PVCs of an application are found. Without any rule, it is taken for a release of its name. */
export function claimRules(
  work: BackupWork<Volume> | RestoreWork<Volume>,
  mode: "backup" | "restore",
): Result<ClaimRules, string> {
  const { volumes } = work.strategy.spec;
  const rules = volumes?.matchLabels || volumes?.release ? volumes : { release: work.applicationRef.name };
  return rendered(rules, work, mode, "spec.volumes");
}

function begun(work: BackupWork<Volume>, claims: readonly Claim[], name: string): Step {
  const { object, namespace, application, applicationRef, strategy, state } = work;
  const rules = claimRules(work, "backup");
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
  const { phase, snapshots = [], stats, timing, losses = [] } = made.status ?? {};
  const { name } = made.metadata;
  if (phase === "Failed")
    return failed("BackupFailed", `Backup ${name} of the native API failed: ${whyOf(made)}`);
  if (phase !== "Succeeded")
    return { type: "Running", message: whyOf(made) || "Waiting for the backup to begin." };
  const { repository } = strategy.spec;
  const roots = snapshots.flatMap(({ root }) => root ?? []);
  const sizeBytes = stats?.sizeBytes ?? snapshots.reduce((sum, one) => sum + (one.sizeBytes ?? 0), 0);
  const done = `${snapshots.length === 1 ? "1 volume is" : `${snapshots.length} volumes are`} backed up.`;
  const lacks = lossesText("Not in the backup", losses);
  return {
    type: "Succeeded",
    message: [done, lacks].filter(Boolean).join(" "),
    lacks,
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
  const mark = annotationOf(object, DELETION_REASON);
  const intents = [{ type: "Delete", resource: backupResource, object: made, mark } as const];
  return { type: "Running", message: `Deleting Backup ${name} of the native API.`, intents };
}

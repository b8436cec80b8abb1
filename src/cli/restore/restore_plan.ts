import { byteQuantity } from "../../core/policy/byte_quantity.ts";
import { deletionDoubt, lackOf } from "../../core/restore/deletion_doubt.ts";
import { relativePath } from "../../core/restore/restored_path.ts";
import { agoText } from "../../core/view/times_text.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Restore, RestoreSpec } from "../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import type { ChosenSource } from "./chosen_source.ts";
import { volumeText } from "./meant_volume.ts";
import { type SafetyPlan, safetyLines } from "./safety_backup.ts";
import type { TargetBackups } from "./target_backups.ts";

/** So many of a list are named. */
const MOST = 3;

/** What is known when a plan is shown. */
export interface PlanFacts extends ChosenSource {
  /** As the server would store it, defaults included. */
  readonly restore: Restore;
  /** The claim that is written to, where it is there; or nobody may look. */
  readonly claim?: KubeObject | "unseen" | undefined;
  /** Names of the pods that mount it. */
  readonly users: readonly string[];
  /** What there is of the claim that is written to; nobody may look where that is undefined. */
  readonly target?: TargetBackups | undefined;
  /** Whether a backup of that is made first. */
  readonly safety?: SafetyPlan | undefined;
  /** The storage class of the new claim, where there is none of that name. */
  readonly noClass?: string | undefined;
  readonly now: number;
}

/** What will happen, in sentences, before anything is touched. */
export function planLines(facts: PlanFacts): readonly string[] {
  const { restore } = facts;
  const { pvcRef } = restore.spec.target ?? {};
  return [
    `Restore ${keyOf(restore.metadata)}:`,
    `  from  ${sourceText(facts)}`,
    ...passedOverLines(facts),
    `  to    ${targetText(facts)}`,
    ...otherVolumeLines(facts),
    ...filesLines(restore),
    ...lastBackupLines(facts),
    ...safetyLines(facts.safety, pvcRef?.name ?? "", pvcRef?.scaleDownWorkloads),
    ...usersLines(facts),
    ...warningLines(facts),
  ];
}

/** Data of one volume that goes into another is rarely meant, and cannot be told by the files alone. */
function otherVolumeLines({ restore, volume }: PlanFacts): readonly string[] {
  const name = restore.spec.target?.pvcRef?.name;
  const target = keyOf({ ...restore.metadata, name: name ?? "" });
  if (name === undefined || volume?.pvc === undefined || volume.pvc === target) return [];
  return [`  NOTE  the data is of volume ${volume.pvc}, and goes into another volume, ${target}`];
}

/** What is lost when the files of a volume are overwritten. */
function lastBackupLines({ restore, claim, target, now }: PlanFacts): readonly string[] {
  const name = restore.spec.target?.pvcRef?.name;
  if (name === undefined || !claim || !target) return [];
  const { last } = target;
  if (!last) return [`  last  there is NO BACKUP of ${name}: what is overwritten cannot be brought back`];
  const size = last.sizeBytes === undefined ? "" : `, ${bytesText(last.sizeBytes)}`;
  return [
    `  last  backup of ${name}: ${last.name}, ${agoText(last.at, now)}${size}; what was written since is in no backup`,
  ];
}

/** Why the restore would delete what nobody may mean to lose. */
export function doubtOfDeletion(facts: PlanFacts): string | undefined {
  const { restore, target } = facts;
  if (!restore.spec.target?.pvcRef) return undefined;
  const { options } = restore.spec;
  const { incomplete } = facts.snapshots.find((one) => one.incomplete !== undefined) ?? {};
  const lacks = lackOf({ incomplete, failedFiles: facts.backup?.status?.stats?.filesFailed });
  const doubt = deletionDoubt({
    options,
    snapshotBytes: sizeOf(facts),
    lacks,
    targetBytes: target?.largest,
  });
  return sentence(doubt ?? unprotectedDeletion(facts));
}

/** What is deleted from a volume that nothing backs up is gone for good. */
function unprotectedDeletion({ restore, claim, target, safety, now }: PlanFacts): string | undefined {
  const { options } = restore.spec;
  if (!options.enableFileDeletion || safety?.type !== "Impossible" || !target || !claim) return undefined;
  const { last } = target;
  if (!last) return "nothing backs the volume up, and what is deleted from it cannot be brought back";
  return `no BackupConfig backs the volume up any more, and its last backup was made ${agoText(last.at, now)}: what was written since and is deleted cannot be brought back`;
}

function sentence(doubt: string | undefined): string | undefined {
  return doubt && `${doubt.charAt(0).toUpperCase()}${doubt.slice(1)}.`;
}

function warningLines(facts: PlanFacts): readonly string[] {
  const { restore, noClass } = facts;
  const size = sizeOf(facts);
  const { capacity } = restore.spec.target?.pvc ?? {};
  const room = byteQuantity(capacity);
  const isPart = relativePath(restore.spec.options.path ?? "") !== "";
  const doubt = doubtOfDeletion(facts);
  return [
    ...(noClass === undefined
      ? []
      : [`  WARNING  there is no storage class ${noClass}: the claim waits until there is one`]),
    ...(size !== undefined && room !== undefined && room < size && !isPart
      ? [
          `  WARNING  the new claim of ${capacity} is too small for ${bytesText(size)}: use a larger --capacity`,
        ]
      : []),
    ...(doubt === undefined ? [] : [`  WARNING  ${doubt}`]),
  ];
}

function sourceText(facts: PlanFacts): string {
  const { restore, backup, passedOver } = facts;
  const { backupRef, fromConfig, identity } = restore.spec.source;
  if (identity) {
    const { username, hostname, sourcePath, snapshotID } = identity;
    const which = snapshotID ? `snapshot ${snapshotID}` : pointText(identity);
    return `${which} of ${username}@${hostname}:${sourcePath} in ${repositoryText(restore.spec)}`;
  }
  const of = facts.volume ? `volume ${volumeText(facts.volume)} of ` : "";
  if (backupRef)
    return `${of}backup ${placeText(backupRef)}${backup ? `, ${backupText(facts, backup)}` : ""}`;
  const seen = backup
    ? `: backup ${backup.metadata.name}, ${backupText(facts, backup)}, unless the repository holds a newer one`
    : `; no ${passedOver.length > 0 ? "other " : ""}Backup of it is known, so the repository is asked`;
  return `${pointText(fromConfig)} of ${of}config ${placeText(fromConfig)}${seen}`;
}

function repositoryText({ repository }: RestoreSpec): string {
  const kind = repository?.kind === "ClusterRepository" ? "cluster repository" : "repository";
  return `${kind} ${placeText(repository)}`;
}

/** With its namespace, where that is another one. */
function placeText(ref: { readonly name: string; readonly namespace?: string } | undefined): string {
  return ref?.namespace === undefined ? (ref?.name ?? "?") : keyOf(ref);
}

function pointText(point: { readonly asOf?: string; readonly offset?: number } | undefined): string {
  const { asOf, offset = 0 } = point ?? {};
  const which = offset === 0 ? "the newest snapshot" : `the snapshot ${offset} before the newest`;
  return asOf ? `${which} at or before ${asOf}` : which;
}

function backupText(facts: PlanFacts, { metadata, status }: Backup): string {
  const at = status?.timing?.endTime ?? metadata.creationTimestamp;
  const size = sizeOf(facts);
  const amount = size === undefined ? "" : `, ${bytesText(size)}`;
  return `of ${at} (${agoText(at, facts.now)})${amount}${lackText(facts)}`;
}

/** Of what is restored. A Backup may hold other volumes too. */
function sizeOf({ backup, snapshots }: PlanFacts): number | undefined {
  const sizes = snapshots.flatMap(({ sizeBytes }) => sizeBytes ?? []);
  if (sizes.length > 0 && sizes.length === snapshots.length)
    return sizes.reduce((sum, size) => sum + size, 0);
  const whole = backup?.status?.snapshots?.length === snapshots.length;
  return whole ? backup?.status?.stats?.sizeBytes : undefined;
}

/** What does not come back, because the snapshot never had it. */
function lackText({ snapshots }: PlanFacts): string {
  return snapshots
    .filter(({ incomplete }) => incomplete !== undefined)
    .map(({ pvc, incomplete }) => `, INCOMPLETE${snapshots.length > 1 ? ` of ${pvc}` : ""}: ${incomplete}`)
    .join("");
}

function passedOverLines({ passedOver }: PlanFacts): readonly string[] {
  const more = passedOver.length - MOST;
  return [
    ...passedOver
      .slice(0, MOST)
      .map(({ backup, why }) => `  not   backup ${backup.metadata.name}, unless it is named: ${why}`),
    ...(more > 0 ? [`  not   ${more} more of that kind`] : []),
  ];
}

function targetText({ restore, claim, byName }: PlanFacts): string {
  const { metadata, spec } = restore;
  const key = (name: string) => keyOf({ ...metadata, name });
  if (spec.target?.pvc) {
    const { name, capacity, accessModes, storageClassName } = spec.target.pvc;
    const where = storageClassName ? `class ${storageClassName}` : "the default class";
    return `a new claim ${key(name)} of ${[capacity, ...accessModes].join(", ")}, in ${where}`;
  }
  if (spec.target?.pvcRef) {
    const name = key(spec.target.pvcRef.name);
    return claim
      ? `the claim ${name}, in place`
      : `the claim ${name}, which is NOT THERE: the restore waits for it`;
  }
  const each = byName ? "; each gets the data of the volume of its own name" : "";
  return `every claim whose dataSourceRef names this Restore, when it is created${each}`;
}

const EXISTING: Readonly<Record<string, string>> = {
  Refuse: "are written into an empty volume alone; otherwise nothing is written",
  Overwrite: "that are there are OVERWRITTEN",
  OverwriteChanged: "that are there and differ are OVERWRITTEN",
  Keep: "that are there stay as they are",
};

const OWNERSHIP: Readonly<Record<string, string>> = {
  Exact: "owners and attributes as they were, or nothing is written",
  BestEffort: "owners and attributes where they can be set; what differs is counted",
  Skip: "owners are not restored",
};

function filesLines({ spec }: Restore): readonly string[] {
  const { existingFiles, enableFileDeletion, ownership } = spec.options;
  return [
    ...pathLines(spec),
    ...(spec.target?.pvcRef ? [`  files ${EXISTING[existingFiles] ?? existingFiles}`] : []),
    ...(enableFileDeletion
      ? [`  files that the snapshot does not hold are DELETED${deletionPlace(spec)}`]
      : []),
    ...(ownership ? [`  ${OWNERSHIP[ownership]}`] : []),
    ...(spec.mover?.privilegedMode ? ["  the mover runs as root, if the namespace consents"] : []),
    ...emptyLines(spec),
  ];
}

/** Which part of the snapshot comes back, and where. */
function pathLines({ options: { path, targetPath, enableFileDeletion } }: RestoreSpec): readonly string[] {
  const from = relativePath(path ?? "");
  const to = targetPath === undefined ? undefined : `/${relativePath(targetPath)}`;
  if (from === "" && (to === undefined || to === "/")) return [];
  const what = from === "" ? "everything" : `only ${from}`;
  const where = to === undefined ? "to the place where it was" : `into the folder ${to}`;
  const rest = to === "/" && enableFileDeletion ? "is DELETED" : "stays as it is";
  return [`  path  ${what}, ${where}; the rest of the volume ${rest}`];
}

function deletionPlace({ options: { path, targetPath } }: RestoreSpec): string {
  const place = relativePath(targetPath ?? path ?? "");
  return place === "" ? "" : `, below ${place} alone`;
}

function emptyLines({ source, policy: { onMissingSnapshot } }: RestoreSpec): readonly string[] {
  const unsaid = onMissingSnapshot === undefined && source.fromConfig !== undefined;
  if (unsaid)
    return [
      "  where the repository holds no snapshot at all of that, the volume stays empty, unless it was backed up before",
    ];
  return onMissingSnapshot === "Continue"
    ? ["  where the repository holds no such snapshot, the volume stays empty"]
    : [];
}

function usersLines({ restore, users }: PlanFacts): readonly string[] {
  const inPlace = restore.spec.target?.pvcRef;
  if (!inPlace || users.length === 0) return [];
  const pods =
    users.length > MOST
      ? `${users.slice(0, MOST).join(", ")} and ${users.length - MOST} more`
      : users.join(", ");
  return [
    inPlace.scaleDownWorkloads
      ? `  pods  ${pods} mount it: what they belong to is scaled down, and brought back afterwards`
      : `  pods  ${pods} mount it: nothing is written before they are gone (or use --scale-down)`,
  ];
}

import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Restore, RestoreSpec } from "../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { bytesText } from "../bytes_text.ts";
import { agoText } from "../frame/times_text.ts";
import type { PassedOver } from "./likely_backup.ts";
import { meantSnapshots } from "./meant_snapshots.ts";

/** So many of a list are named. */
const MOST = 3;

/** What is known when a plan is shown. */
export interface PlanFacts {
  /** As the server would store it, defaults included. */
  readonly restore: Restore;
  /** The Backup that is named, or the one that a recipe's choice is likely to fall on. */
  readonly backup?: Backup | undefined;
  /** Newer ones that a recipe's choice does not fall on. */
  readonly passedOver?: readonly PassedOver[];
  /** The claim that is written to, where it is there; or nobody may look. */
  readonly claim?: KubeObject | "unseen" | undefined;
  /** Names of the pods that mount it. */
  readonly users: readonly string[];
  readonly now: number;
}

/** What will happen, in sentences, before anything is touched. */
export function planLines(facts: PlanFacts): readonly string[] {
  const { restore } = facts;
  return [
    `Restore ${keyOf(restore.metadata)}:`,
    `  from  ${sourceText(facts)}`,
    ...passedOverLines(facts),
    `  to    ${targetText(facts)}`,
    ...filesLines(restore),
    ...usersLines(facts),
  ];
}

function sourceText({ restore, backup, passedOver = [], now }: PlanFacts): string {
  const { backupRef, fromConfig, identity } = restore.spec.source;
  if (identity) {
    const { username, hostname, sourcePath, snapshotID } = identity;
    const which = snapshotID ? `snapshot ${snapshotID}` : pointText(identity);
    return `${which} of ${username}@${hostname}:${sourcePath} in repository ${restore.spec.repository?.name ?? "?"}`;
  }
  const about = backup ? `, ${backupText(backup, now)}${lackText(restore, backup)}` : "";
  if (backupRef) return `backup ${backupRef.name}${about}`;
  const seen = backup
    ? `; by the Backups that there are that is ${backup.metadata.name}${about}`
    : `; no ${passedOver.length > 0 ? "other " : ""}Backup of it is known, so the repository is asked`;
  return `${pointText(fromConfig)} of config ${fromConfig?.name}${seen}`;
}

function pointText(point: { readonly asOf?: string; readonly offset?: number } | undefined): string {
  const { asOf, offset = 0 } = point ?? {};
  const which = offset === 0 ? "the newest snapshot" : `the snapshot ${offset} before the newest`;
  return asOf ? `${which} at or before ${asOf}` : which;
}

function backupText({ metadata, status }: Backup, now: number): string {
  const at = status?.timing?.endTime ?? metadata.creationTimestamp;
  const size = status?.stats?.sizeBytes ?? status?.snapshot?.sizeBytes;
  return `of ${at} (${agoText(at, now)})${size === undefined ? "" : `, ${bytesText(size)}`}`;
}

/** What does not come back, because the snapshot never had it. */
function lackText({ spec: { source, target } }: Restore, backup: Backup): string {
  const { pvc, sourcePath } = source.backupRef ?? source.fromConfig ?? {};
  const meant = meantSnapshots(backup, {
    word: pvc ?? sourcePath,
    target: target?.pvc?.name ?? target?.pvcRef?.name,
  });
  return meant
    .filter(({ incomplete }) => incomplete !== undefined)
    .map(({ pvc: of, incomplete }) => `, INCOMPLETE${meant.length > 1 ? ` of ${of}` : ""}: ${incomplete}`)
    .join("");
}

function passedOverLines({ passedOver = [] }: PlanFacts): readonly string[] {
  const more = passedOver.length - MOST;
  return [
    ...passedOver
      .slice(0, MOST)
      .map(({ backup, why }) => `  not   backup ${backup.metadata.name}, unless it is named: ${why}`),
    ...(more > 0 ? [`  not   ${more} more of that kind`] : []),
  ];
}

function targetText({ restore, claim }: PlanFacts): string {
  const { target } = restore.spec;
  if (target?.pvc) {
    const { name, capacity, storageClassName } = target.pvc;
    return `a new claim ${name} of ${capacity}${storageClassName ? ` in class ${storageClassName}` : ""}`;
  }
  if (target?.pvcRef) {
    const { name } = target.pvcRef;
    return claim
      ? `the claim ${name}, in place`
      : `the claim ${name}, which is NOT THERE: the restore waits for it`;
  }
  return "every claim whose dataSourceRef names this Restore, when it is created";
}

const EXISTING: Readonly<Record<string, string>> = {
  Refuse: "a volume that is not empty is refused, and nothing is written",
  Overwrite: "files that are there are OVERWRITTEN",
  OverwriteChanged: "files that are there and differ are OVERWRITTEN",
  Keep: "files that are there stay as they are",
};

function filesLines({ spec }: Restore): readonly string[] {
  const { path, existingFiles, enableFileDeletion, ownership } = spec.options;
  return [
    ...(path ? [`  only  ${path}`] : []),
    ...(spec.target?.pvcRef ? [`  files ${EXISTING[existingFiles] ?? existingFiles}`] : []),
    ...(enableFileDeletion ? ["  files that the snapshot does not hold are DELETED"] : []),
    ...(ownership === "Skip" ? ["  owners are not restored"] : []),
    ...emptyLines(spec),
  ];
}

function emptyLines({ source, policy: { onMissingSnapshot } }: RestoreSpec): readonly string[] {
  const unsaid = onMissingSnapshot === undefined && source.fromConfig !== undefined;
  if (unsaid) return ["  where the repository holds no snapshot at all of that, the volume stays empty"];
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

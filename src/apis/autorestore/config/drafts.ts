import { slotName } from "../../../core/policy/slot_name.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { API_VERSION, GROUP } from "../../../kinds/autorestore/group.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import { distinctName, labelValue, objectName } from "../../../lib/names.ts";
import { byPriority, configLabel, repositoryName, selectorOf, type Target } from "./claiming.ts";
import type { Asked } from "./triggers.ts";

/** On what was made for an annotation: which one it was. */
export const TRIGGER = `${GROUP}/trigger`;

/** A PVC, a target of its BackupConfig, and what is made for both. */
export interface Pair {
  readonly config: BackupConfig;
  readonly target: Target;
  readonly claim: KubeObject;
}

/** A repository beside the BackupConfig; its namespace is named where the PVC is elsewhere. */
function repositoryRef({ config, target, claim }: Pair) {
  const { namespace = "" } = config.metadata;
  const name = repositoryName(config, target);
  return namespace === claim.metadata.namespace ? { name } : { name, namespace };
}

function backup(
  pair: Pair,
  name: string,
  more: Pick<ResticBackup["spec"], "backupName" | "backupType">,
  annotations: Record<string, string>,
): Draft<ResticBackup> {
  const { config, target, claim } = pair;
  const { namespace = "" } = claim.metadata;
  const labels = {
    [LABELS.config]: configLabel(config.metadata),
    [LABELS.target]: labelValue(target.name),
    [LABELS.pvc]: labelValue(claim.metadata.name),
  };
  return {
    apiVersion: API_VERSION,
    kind: "ResticBackup",
    metadata: { namespace, name, labels, annotations },
    spec: { pvcRef: { name: claim.metadata.name, namespace }, repositoryRef: repositoryRef(pair), ...more },
  };
}

/** The backup of a scheduled time. Its name is the time's, so that it is made once. */
export function scheduledBackup(pair: Pair, slot: number): Draft<ResticBackup> {
  const { config, target, claim } = pair;
  const name = slotName(distinctName(config.metadata.name, target.name, claim.metadata.name), slot);
  return backup(pair, name, { backupName: name, backupType: "scheduled" }, {});
}

/** A backup that somebody asked for. */
export function manualBackup(pair: Pair, wanted: string, mark: string): Draft<ResticBackup> {
  const more = { backupName: wanted, backupType: "manual" } as const;
  return backup(pair, objectName(wanted), more, { [TRIGGER]: mark });
}

/** How a restore is to be done. */
export interface RestoreWish {
  readonly config: BackupConfig;
  readonly claim: KubeObject;
  readonly asked: Asked;
  /** The volume is to be empty, as it is new. */
  readonly auto: boolean;
  readonly mark: string;
}

/** A restore that tries the targets by their priority. */
export function restoreDraft({ config, claim, asked, auto, mark }: RestoreWish): Draft<ResticRestore> {
  const stopPods = selectorOf(config, claim)?.stopPods ?? true;
  const [first, ...others] = byPriority(config).map((target) => ({
    name: target.name,
    repository: repositoryRef({ config, target, claim }),
  }));
  const { namespace = "", name: targetPVC } = claim.metadata;
  const latest = asked.type === "Latest" && others.length > 0 ? { fallbackTargets: others } : {};
  const source =
    asked.type === "Backup"
      ? { backupName: asked.name }
      : {
          ...(first ? { backupTarget: first } : {}),
          ...latest,
          ...(asked.type === "Snapshot" ? { snapshotID: asked.id } : {}),
        };
  return {
    apiVersion: API_VERSION,
    kind: "ResticRestore",
    metadata: {
      namespace,
      name: objectName(auto ? "auto" : "manual", targetPVC, mark.slice(0, 8)),
      labels: { [LABELS.config]: configLabel(config.metadata), [LABELS.pvc]: labelValue(targetPVC) },
      annotations: auto ? { [ANNOTATIONS.autoRestore]: claim.metadata.uid } : { [TRIGGER]: mark },
    },
    spec: { ...source, targetPVC, stopPods, onlyIfEmpty: auto, continueWithoutSnapshot: auto },
  };
}

/** The ResticRepository of a target that describes one. */
export function repositoryDraft(config: BackupConfig, target: Target): Draft<ResticRepository> | undefined {
  const { name, ...spec } = target.repository;
  if (name !== undefined) return undefined;
  const { namespace = "" } = config.metadata;
  return {
    apiVersion: API_VERSION,
    kind: "ResticRepository",
    metadata: {
      namespace,
      name: repositoryName(config, target),
      labels: { [LABELS.config]: configLabel(config.metadata), [LABELS.target]: labelValue(target.name) },
    },
    spec,
  };
}

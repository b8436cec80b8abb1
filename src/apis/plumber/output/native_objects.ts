import { ANNOTATIONS as NATIVE } from "../../../kinds/kopiur/annotations.ts";
import {
  type BackupConfigSpec,
  backupConfigResource,
} from "../../../kinds/kopiur/generated/backup_config.ts";
import {
  type BackupScheduleSpec,
  backupScheduleResource,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { type RestoreSpec, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { SCHEDULED_TIERS } from "../../../kinds/plumber/words.ts";
import type { Partially } from "../../../kube/object.ts";
import { recordedIdentity } from "../policy/backup_identity.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import type { PlumberSettings } from "../settings.ts";
import { generatedMarks, generatedNames } from "./generated_marks.ts";
import type { GeneratedFor, Wanted, WantedRequest } from "./output.ts";

/** The BackupConfig, the passive Restore and the BackupSchedule of a PVC. */
export function nativeObjects(
  { claim, pvc, truth }: Pick<WantedRequest, "claim" | "pvc" | "truth">,
  settings: PlumberSettings,
): GeneratedFor & { readonly config: Wanted } {
  const { namespace = "", name } = claim.metadata;
  const names = generatedNames(name, settings.namingStrategy);
  const { labels, annotations } = generatedMarks({ namespace, name, pvc });
  const metadata = (own: string) => ({ namespace, name: own, labels, annotations });
  const tier = SCHEDULED_TIERS.find((one) => one === pvc.tier);
  const { repository, copyMethod } = settings;
  const { username, hostname, path } = recordedIdentity(pvc.identity);
  const mover = moverOf(pvc);
  return {
    config: {
      resource: backupConfigResource,
      object: {
        metadata: {
          ...metadata(names.config),
          // Whoever gives a PVC another identity has said so on the PVC.
          annotations: { ...annotations, [NATIVE.acknowledgeIdentity]: `${username}@${hostname}` },
        },
        spec: {
          repository,
          identity: { username, hostname },
          sources: [{ pvc: { name }, sourcePathOverride: path, sourcePathStrategy: "PVCName" }],
          copyMethod,
          retention: tier ? { ...NO_RETENTION, ...settings.tiers[tier].retention } : null,
          mover,
        } satisfies Partially<BackupConfigSpec>,
      },
    },
    restore: {
      resource: restoreResource,
      object: {
        metadata: metadata(names.restore),
        spec: {
          repository,
          source: { identity: { username, hostname, sourcePath: path } },
          // Only a repository that answered that there is nothing lets a PVC start empty.
          policy: {
            onMissingSnapshot: truth.answer === "no" && !truth.stale ? "Continue" : "Fail",
          },
          mover,
        } satisfies Partially<RestoreSpec>,
      },
    },
    schedule: tier && {
      resource: backupScheduleResource,
      object: {
        metadata: metadata(names.schedule),
        spec: {
          configRef: { name: names.config },
          schedule: { cron: settings.tiers[tier].cron },
        } satisfies Partially<BackupScheduleSpec>,
      },
    },
    scheduleResource: backupScheduleResource,
    bypassesAge: false,
    onDemand: { by: "backup" },
  };
}

const NO_RETENTION = {
  keepLatest: null,
  keepHourly: null,
  keepDaily: null,
  keepWeekly: null,
  keepMonthly: null,
  keepAnnual: null,
} as const;

/** Root reads and restores files of every owner, and needs the consent of the namespace for that. */
function moverOf({ uid, gid }: Pick<ParsedPvc, "uid" | "gid">) {
  return uid === 0
    ? { privilegedMode: true, securityContext: null }
    : { privilegedMode: false, securityContext: { runAsUser: uid, runAsGroup: gid } };
}

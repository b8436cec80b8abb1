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
import type { Truth } from "../policy/decide_restore.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import type { PlumberSettings } from "../settings.ts";
import { generatedMarks, generatedNames } from "./generated_marks.ts";
import type { Wanted } from "./output.ts";

export interface GeneratedRequest {
  readonly namespace: string;
  readonly name: string;
  readonly pvc: ParsedPvc;
  readonly truth: Truth;
  readonly settings: PlumberSettings;
}

/** The objects of the native API that a PVC can have. */
export interface NativeObjects {
  readonly config: Wanted;
  readonly restore: Wanted;
  /** Absent for a tier without one. */
  readonly schedule: Wanted | undefined;
}

/** Everything that can be generated for a PVC. */
export function nativeObjects(request: GeneratedRequest): NativeObjects {
  const { namespace, name, pvc, settings } = request;
  const names = generatedNames(name, settings.namingStrategy);
  const { labels, annotations } = generatedMarks(request);
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
            onMissingSnapshot: request.truth.answer === "no" && !request.truth.stale ? "Continue" : "Fail",
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

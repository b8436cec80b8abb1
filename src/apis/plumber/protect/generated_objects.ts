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
import { GENERATED, SCHEDULED_TIERS } from "../../../kinds/plumber/words.ts";
import type { KubeObject, Partially } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";
import { recordedIdentity } from "../policy/backup_identity.ts";
import type { Truth } from "../policy/decide_restore.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import type { PlumberSettings } from "../settings.ts";

/** An object as it is to be: the fields that are ours, with null for those that must not be there. */
export interface Wanted {
  readonly resource: Resource;
  readonly object: {
    readonly metadata: {
      readonly namespace: string;
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    };
    readonly spec: object;
  };
}

/** The objects that a PVC can have. */
export interface GeneratedFor {
  readonly config: Wanted;
  readonly restore: Wanted;
  /** Absent for a tier without one. */
  readonly schedule: Wanted | undefined;
}

export interface GeneratedNames {
  readonly config: string;
  readonly schedule: string;
  readonly restore: string;
}

const LONGEST_NAME = 253;

/** What the objects of a PVC are called. */
export function generatedNames(pvc: string, strategy: PlumberSettings["namingStrategy"]): GeneratedNames {
  if (strategy === "legacy-backup") {
    const name = suffixed(pvc, "-backup");
    return { config: name, schedule: name, restore: name };
  }
  return { config: pvc, schedule: pvc, restore: suffixed(pvc, "-dst") };
}

function suffixed(name: string, suffix: string): string {
  const whole = `${name}${suffix}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const mark = `-${fingerprint(name)}${suffix}`;
  return `${name.slice(0, LONGEST_NAME - mark.length).replace(/[^a-z0-9]+$/, "")}${mark}`;
}

export interface GeneratedRequest {
  readonly namespace: string;
  readonly name: string;
  readonly pvc: ParsedPvc;
  readonly truth: Truth;
  readonly settings: PlumberSettings;
}

/** Everything that can be generated for a PVC. */
export function generatedFor(request: GeneratedRequest): GeneratedFor {
  const { namespace, name, pvc, settings } = request;
  const names = generatedNames(name, settings.namingStrategy);
  const { labels, annotations } = marks(request);
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

/** A label value may have 63 characters and no slash: the annotations of the same names hold the whole. */
function marks({ namespace, name, pvc }: GeneratedRequest) {
  return {
    labels: {
      [GENERATED.managedBy]: GENERATED.manager,
      [GENERATED.sourceNamespace]: labelValue(namespace),
      [GENERATED.sourcePvc]: labelValue(name),
      [GENERATED.backupIdentity]: labelValue(pvc.identity.text),
      [GENERATED.tier]: pvc.tier ?? "manual",
      [GENERATED.volsyncPvc]: labelValue(name),
    },
    annotations: {
      [GENERATED.sourcePvc]: name,
      [GENERATED.backupIdentity]: pvc.identity.text,
    },
  };
}

/** Whether the operator made it: nothing else is ever written to. */
export function isGenerated({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.labels?.[GENERATED.managedBy] === GENERATED.manager;
}

/** Whether the object has all that is wanted of it, whatever else it has. */
export function isAsWanted(wanted: unknown, present: unknown): boolean {
  if (wanted === null || wanted === undefined) return present === null || present === undefined;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((one, index) => isAsWanted(one, present[index]))
    );
  }
  if (typeof wanted !== "object") return wanted === present;
  if (typeof present !== "object" || present === null) return false;
  return Object.entries(wanted).every(([field, value]) =>
    isAsWanted(value, (present as Record<string, unknown>)[field]),
  );
}

/** The object without the fields that must not be there, as it is created. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([field, one]) =>
    one === null || one === undefined ? [] : [[field, withoutNulls(one)]],
  );
  return Object.fromEntries(entries) as T;
}

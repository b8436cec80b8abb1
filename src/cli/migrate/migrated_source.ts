import { API_VERSION } from "../../kinds/kopiur/group.ts";
import type { KubeObject } from "../../kube/object.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import type { Ledger } from "./ledger.ts";
import { defined, moverSettings } from "./mover_settings.ts";
import { type Mover, triggerOf } from "./volsync.ts";

/** An object as one writes it into a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: object;
}

const RETAIN: Readonly<Record<string, string>> = {
  last: "keepLatest",
  latest: "keepLatest",
  hourly: "keepHourly",
  daily: "keepDaily",
  weekly: "keepWeekly",
  monthly: "keepMonthly",
  yearly: "keepAnnual",
};

const MACROS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** A recipe, and the identity that its snapshots have. */
export interface KnownRecipe extends Identity {
  readonly config: string;
}

/** What snapshots are recorded under. */
export interface Identity {
  readonly username: string;
  readonly hostname: string;
  readonly sourcePath: string;
}

/** What stands for one object of VolSync's. */
export interface Migrated {
  readonly manifests: readonly Manifest[];
  /** Of a source: the recipe that it became. */
  readonly recipe?: KnownRecipe;
  /** What somebody must see to. */
  readonly notes: readonly string[];
}

/** What becomes of a Backup's snapshots when somebody deletes it. */
export type DeletionPolicy = "Delete" | "Retain" | "Orphan";

/** The recipe and the schedule that stand for a ReplicationSource. They go on under the identity that it had. */
export function migratedSource(
  object: KubeObject,
  ledger: Ledger,
  {
    mover,
    repository,
    deletionPolicy,
  }: { readonly mover: Mover; readonly repository: string; readonly deletionPolicy: DeletionPolicy },
): Migrated {
  const base = `spec.${mover}`;
  const { name, namespace = "default" } = object.metadata;
  const claim = ledger.text("spec.sourcePVC", "BackupConfig spec.sources[0].pvc.name") ?? "";
  const copyMethod = ledger.text(`${base}.copyMethod`, "BackupConfig spec.copyMethod");
  const sourcePath =
    ledger.text(`${base}.sourcePathOverride`, "BackupConfig spec.sources[0].sourcePathOverride") ??
    VOLSYNC_PATH;
  const mapped = moverSettings(ledger, base);
  const retention = retentionOf(ledger, `${base}.retain`);
  const staging = defined({
    storageClassName: ledger.take(`${base}.storageClassName`, "BackupConfig spec.staging.storageClassName"),
    accessModes: ledger.take(`${base}.accessModes`, "BackupConfig spec.staging.accessModes"),
  });
  const compressor = ledger.take(`${base}.compression`, "BackupConfig spec.policy.compression.compressor");
  const extraArgs = ledger.take(`${base}.additionalArgs`, "BackupConfig spec.policy.extraArgs");
  const policy = defined({ ...(compressor ? { compression: { compressor } } : {}), extraArgs });
  loseTheRest(ledger, base);
  const meta = { namespace, name };
  const identity = identityOf(ledger, mover, { name, namespace });
  const spec = {
    repository: { kind: "Repository", name: repository },
    identity,
    sources: [{ pvc: { name: claim }, sourcePathOverride: sourcePath }],
    copyMethod: copyMethod === "None" ? "Direct" : (copyMethod ?? "Snapshot"),
    ...defined({
      volumeSnapshotClassName: ledger.take(
        `${base}.volumeSnapshotClassName`,
        "BackupConfig spec.volumeSnapshotClassName",
      ),
      retention,
      mover: mapped,
    }),
    defaultDeletionPolicy: deletionPolicy,
    ...(Object.keys(staging).length > 0 ? { staging } : {}),
    ...(Object.keys(policy).length > 0 ? { policy } : {}),
  };
  const schedule = scheduleOf(ledger, meta);
  return {
    manifests: [
      { apiVersion: API_VERSION, kind: "BackupConfig", metadata: meta, spec },
      ...(schedule ? [schedule.manifest] : []),
    ],
    recipe: { config: name, ...identity, sourcePath },
    notes: [
      ...(schedule?.suspend
        ? [
            `it is paused, and so its BackupSchedule is suspended: holdfast resume schedule/${name} -n ${namespace} lets it begin.`,
          ]
        : []),
      ...(triggerOf(object) === "always" ? [NOT_SCHEDULED] : []),
    ],
  };
}

const NOT_SCHEDULED =
  "VolSync backed it up all the time: write a BackupSchedule for it, as nothing backs it up otherwise.";

function identityOf(
  ledger: Ledger,
  mover: Mover,
  { name, namespace }: { readonly name: string; readonly namespace: string },
) {
  if (mover === "restic") return { hostname: VOLSYNC_HOST, username: name };
  return {
    username: ledger.text("spec.kopia.username", "BackupConfig spec.identity.username") ?? name,
    hostname: ledger.text("spec.kopia.hostname", "BackupConfig spec.identity.hostname") ?? namespace,
  };
}

function retentionOf(ledger: Ledger, base: string): object | undefined {
  ledger.lose(`${base}.within`, "there is no rule by age alone: choose numbers of hours, days and weeks");
  const kept = Object.entries(RETAIN).flatMap(([field, ours]) => {
    const value = ledger.take(`${base}.${field}`, `BackupConfig spec.retention.${ours}`);
    return value === undefined ? [] : [[ours, Number(value)] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function scheduleOf(
  ledger: Ledger,
  metadata: { readonly namespace: string; readonly name: string },
): { readonly manifest: Manifest; readonly suspend: boolean } | undefined {
  ledger.lose("spec.trigger.manual", "run it by hand: holdfast backup now");
  const text = ledger.text("spec.trigger.schedule", "BackupSchedule spec.schedule.cron");
  if (text === undefined) {
    ledger.lose("spec.paused", "there is no schedule to suspend");
    return undefined;
  }
  const suspend = ledger.take("spec.paused", "BackupSchedule spec.schedule.suspend") === true;
  const spec = {
    configRef: { name: metadata.name },
    schedule: { cron: MACROS[text] ?? text, ...(suspend ? { suspend } : {}) },
  };
  return { manifest: { apiVersion: API_VERSION, kind: "BackupSchedule", metadata, spec }, suspend };
}

function loseTheRest(ledger: Ledger, base: string): void {
  ledger.lose(`${base}.capacity`, "a staged copy is as large as its source");
  ledger.lose(
    `${base}.pruneIntervalDays`,
    "the repository's Maintenance cleans up with its full runs, once a week by default",
  );
  ledger.lose(`${base}.maintenanceIntervalDays`, "the repository's Maintenance has a schedule of its own");
  ledger.lose(`${base}.maintenanceCronJob`, "the repository's Maintenance takes its place");
  ledger.lose(`${base}.unlock`, "maintenance removes the locks of the dead by itself");
  ledger.lose(
    `${base}.actions`,
    "write it as spec.hooks, which run in the workload's pods and not in the mover",
  );
  ledger.lose(`${base}.sourcePath`, "the whole volume is backed up: leave paths out with spec.policy.ignore");
  ledger.lose(`${base}.policyConfig`, "write what it says as spec.policy");
  ledger.lose("spec.external", "another program did this work");
}

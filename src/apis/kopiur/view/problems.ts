import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import {
  complaintOf,
  conditionOf,
  heldUp,
  refOf,
  type ShownObject,
} from "../../../core/view/shown_object.ts";
import type { ProblemView } from "../../../core/view/view.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { lostIn } from "./lost.ts";
import { configComplaint } from "./protections.ts";
import { remediesOf } from "./remedies.ts";
import { claimsOf, configOf, namedClaims, type Seen, scheduledAs, scheduledIn, shownClaims } from "./seen.ts";

/** What is wrong and in no row of a volume: that may be gone, or never have been. */
export function problemsIn(seen: Seen): readonly ProblemView[] {
  const { claims, configs, schedules, repositories, maintenances, restores } = seen;
  // The row of a claim that holds a repository tells nothing of BackupConfigs.
  const rows = new Set(shownClaims(seen));
  const inRows = new Set(configs.filter((config) => claimsOf(config).some((claim) => rows.has(claim))));
  const runInRows = new Set([...inRows].map(scheduledAs));
  const there = new Set<string>(claims.map(({ metadata }) => keyOf(metadata)));
  const elsewhere = lookedAtForSchedules(configs);
  const lost = new Set(lostIn(seen).map(({ claim }) => claim));
  return [
    ...[...repositories, ...maintenances, ...restores.filter((one) => !isMadeUpFor(one, restores))].flatMap(
      (object) => troublesOf(object).flatMap((why) => problem(object, why)),
    ),
    ...configs.flatMap((config) => [
      ...missing(config, there, lost),
      ...(inRows.has(config) ? [] : problem(config, brokenConfig(config))),
    ]),
    ...schedules
      .filter(
        (schedule) => !elsewhere.has(schedule.metadata.namespace ?? "") && !runInRows.has(configOf(schedule)),
      )
      .flatMap((schedule) => problem(schedule, brokenSchedule(schedule))),
  ];
}

/** What is trouble in every phase, with the status that says so. */
const TROUBLES = [
  [CONDITIONS.deletionsHeld, "True"],
  [CONDITIONS.catalogShrunk, "True"],
  [CONDITIONS.storageHealthy, "False"],
  // A restore that is done may have to be done once more.
  [CONDITIONS.volumeModifiedDuringRestore, "True"],
  [CONDITIONS.targetIncomplete, "True"],
] as const;

/** Reasons to stand still that are as they should be. */
const MEANT: readonly string[] = [REASONS.sharedRepository];

/** What is only on its way is no trouble, but for a repository that something is in the way of: nothing goes without it. */
function troublesOf(object: ShownObject): readonly string[] {
  const { phase = "" } = object.status ?? {};
  const stalled = conditionOf(object, "Stalled");
  if (stalled?.status === "True" && MEANT.includes(stalled.reason)) return [];
  const waits = object.kind.endsWith("Repository") && heldUp(object) !== undefined;
  const stuck = ["Failed", "Degraded"].includes(phase) || stalled?.status === "True" || waits;
  const unread = conditionOf(object, CONDITIONS.catalogCurrent);
  const all = [
    ...TROUBLES.flatMap(([type, status]) => {
      const found = conditionOf(object, type);
      return found?.status === status ? [found.message] : [];
    }),
    ...(phase === "Ready" && unread?.status === "False" ? [unread.message] : []),
    ...(stuck ? [complaintOf(object) ?? "no reason is known"] : []),
  ];
  return [...new Set(all)];
}

/** A Restore that failed, and after which another one has filled the same claim. */
function isMadeUpFor(restore: Restore, all: readonly Restore[]): boolean {
  const target = targetOf(restore);
  if (restore.status?.phase !== "Failed" || target === undefined) return false;
  const at = Date.parse(restore.metadata.creationTimestamp);
  return all.some(
    (other) =>
      other.status?.phase === "Completed" &&
      targetOf(other) === target &&
      Date.parse(other.metadata.creationTimestamp) > at,
  );
}

function targetOf({ metadata, spec }: Restore): string | undefined {
  const name = spec.target?.pvc?.name ?? spec.target?.pvcRef?.name;
  return name === undefined ? undefined : keyOf({ namespace: metadata.namespace, name });
}

/** The next Backup waits for claims that the BackupConfig names; of those that it selects, it takes what there is. */
function missing(
  config: BackupConfig,
  there: ReadonlySet<string>,
  lost: ReadonlySet<string>,
): readonly ProblemView[] {
  // What can be brought back has a row of its own.
  const gone = namedClaims(config).filter((claim) => !there.has(claim) && !lost.has(claim));
  return gone.length > 0 ? problem(config, `not there: ${gone.join(", ")}`) : [];
}

function brokenConfig(config: BackupConfig): string | undefined {
  const repeated = config.metadata.annotations?.[DERIVED_ANNOTATIONS.from] !== undefined;
  // Of a multi-namespace BackupConfig one namespace may hold no claim. Where none does, that object itself says so.
  if (repeated && conditionOf(config, "Ready")?.reason === "NoSources") return undefined;
  return configComplaint(config);
}

function brokenSchedule(schedule: BackupSchedule): string | undefined {
  // That would say a second time what is wrong with the BackupConfig.
  if (conditionOf(schedule, "Ready")?.reason === "ConfigNotReady") return undefined;
  return complaintOf(schedule);
}

/** Namespaces that were only asked for the schedules of BackupConfigs that are repeated here: nothing else of them is shown. */
function lookedAtForSchedules(configs: readonly BackupConfig[]): ReadonlySet<string> {
  const own = new Set(configs.map(({ metadata }) => metadata.namespace ?? ""));
  return new Set(configs.map(scheduledIn)).difference(own);
}

function problem(object: ShownObject, why: string | undefined): readonly ProblemView[] {
  if (why === undefined) return [];
  const remedy = object.status?.failure?.remedy ?? remediesOf(object)[0];
  return [{ object: refOf(object), why, ...(remedy ? { remedy } : {}) }];
}

import { parseCron } from "../../core/policy/cron.ts";
import { durationMs } from "../../core/policy/duration.ts";
import { fireTime } from "../../core/policy/jitter.ts";
import type { ShownObject } from "../../core/view/shown_object.ts";
import type { ScheduleView } from "../../core/view/view.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type BackupSchedule, backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { keyOf } from "../../kube/object.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { keptSentences } from "./config_sentences.ts";
import type { ScheduleRow } from "./contract.ts";
import type { Looked } from "./fresh_views.ts";

const RUNS = 10;

export interface ScheduleFacts {
  readonly seen: Pick<Looked, "parts" | "at">;
  readonly schedules: readonly BackupSchedule[];
  readonly configs: readonly BackupConfig[];
}

/** Every schedule, with when it runs next and what it runs. */
export function scheduleRows({ seen, schedules, configs }: ScheduleFacts): readonly ScheduleRow[] {
  const known = new Map(schedules.map((one) => [keyOf(one), one]));
  return seen.parts.flatMap(({ api, part }) =>
    part.schedules().map((view): ScheduleRow => {
      const { object, cron, zone, suspended, lastGoodRun } = view;
      const own = api === "kopiur" && object.kind === backupScheduleResource.kind;
      const schedule = own ? known.get(keyOf(object)) : undefined;
      return {
        object: { api, ...object },
        cron: zone === undefined ? cron : `${cron} ${zone}`,
        suspended,
        ...(lastGoodRun ? { lastGoodRun } : {}),
        next: suspended ? [] : schedule ? nextRuns(schedule, seen.at) : otherRuns(view, seen.at),
        ...(schedule ? { runs: { kind: backupConfigResource.kind, ...runOf(schedule) } } : {}),
        values: schedule ? valuesOf(schedule, configOf(schedule, configs)) : [],
      };
    }),
  );
}

/** The next times at which a schedule begins a run, with its jitter. */
export function nextRuns({ metadata, spec: { schedule } }: BackupSchedule, now: number): readonly string[] {
  const { cron: expression, timezone: zone, jitter } = schedule;
  const cron = parseCron({ expression, zone, seed: metadata.uid });
  if (!cron.ok) return [];
  const window = jitter === undefined ? 0 : durationMs(jitter);
  const times: string[] = [];
  // A slot that has passed may still be due.
  let slot = cron.value.next(cron.value.previous(now - window) ?? now - window);
  while (slot !== undefined && times.length < RUNS) {
    const at = fireTime(cron.value, slot, { uid: metadata.uid, window });
    if (at > now) times.push(timestamp(at));
    slot = cron.value.next(slot);
  }
  return times;
}

/** Of a schedule that tells less: what it says is next, then as its cron says, unless that stands for a value of its own. */
export function otherRuns(
  { cron: expression, zone, nextRun }: Pick<ScheduleView, "cron" | "zone" | "nextRun">,
  now: number,
): readonly string[] {
  const first = nextRun !== undefined && Date.parse(nextRun) > now ? [nextRun] : [];
  const cron = /H/.test(expression) ? undefined : parseCron({ expression, zone, seed: "" });
  if (!cron?.ok) return first;
  const times: string[] = [...first];
  for (
    let slot = cron.value.next(Math.max(now, ...first.map((at) => Date.parse(at))));
    slot !== undefined && times.length < RUNS;
    slot = cron.value.next(slot)
  )
    times.push(timestamp(slot));
  return times;
}

function runOf({ metadata, spec }: BackupSchedule) {
  const { namespace } = metadata;
  return { ...(namespace === undefined ? {} : { namespace }), name: spec.configRef.name };
}

function configOf(schedule: BackupSchedule, configs: readonly BackupConfig[]): BackupConfig | undefined {
  const key = keyOf(runOf(schedule));
  return configs.find((config) => keyOf(config) === key);
}

function valuesOf(schedule: BackupSchedule, config: BackupConfig | undefined): ScheduleRow["values"] {
  const { schedule: set } = schedule.spec;
  const from = nameOf(schedule);
  const values = [
    { what: "time zone", value: set.timezone, from },
    { what: "jitter", value: set.jitter ?? "none", from },
    { what: "while one runs", value: CONCURRENCY[set.concurrencyPolicy], from },
    { what: "failed Backups that stay", value: String(schedule.spec.failedJobsHistoryLimit), from },
  ];
  if (!config) return values;
  const { spec } = config;
  return [
    ...values,
    { what: "repository", value: `${spec.repository.kind} ${spec.repository.name}`, from: nameOf(config) },
    { what: "capture", value: spec.copyMethod, from: nameOf(config) },
    { what: "retention", value: keptSentences(spec.retention).join(" "), from: nameOf(config) },
    { what: "deletion", value: spec.defaultDeletionPolicy, from: nameOf(config) },
  ];
}

const CONCURRENCY: Readonly<Record<BackupSchedule["spec"]["schedule"]["concurrencyPolicy"], string>> = {
  Forbid: "the next one is left out",
  Allow: "the next one begins beside it",
  Replace: "the next one ends it",
};

function nameOf({ kind, metadata }: ShownObject): string {
  return `${kind} ${metadata.name}`;
}

import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { countText } from "../count_text.ts";

const CAPTURE: Readonly<Record<BackupConfig["spec"]["copyMethod"], string>> = {
  Snapshot: "It reads a snapshot of the volume, so that files are of one moment.",
  Clone: "It reads a clone of the volume, so that files are of one moment.",
  Direct: "It reads the volume itself, while the workload may write.",
};

const KEEPS = [
  ["keepLatest", "the newest", ""],
  ["keepHourly", "", "hour"],
  ["keepDaily", "", "day"],
  ["keepWeekly", "", "week"],
  ["keepMonthly", "", "month"],
  ["keepAnnual", "", "year"],
] as const;

/** What a BackupConfig does, a sentence each. */
export function configSentences(
  { spec }: BackupConfig,
  schedules: readonly BackupSchedule[],
): readonly string[] {
  const { repository, copyMethod, hooks } = spec;
  const around = [...(hooks?.beforeSnapshot ?? []), ...(hooks?.afterSnapshot ?? [])].length;
  return [
    `It stores snapshots in ${repository.kind} ${repository.name}${repository.namespace ? ` of namespace ${repository.namespace}` : ""}.`,
    CAPTURE[copyMethod],
    ...(around > 0 ? [`${countText(around, "hook")} run${around === 1 ? "s" : ""} around the capture.`] : []),
    ...(schedules.length > 0
      ? schedules.map(scheduleSentence)
      : ["No schedule runs it: it is backed up when somebody asks for it."]),
    ...keptSentences(spec.retention),
  ];
}

function scheduleSentence({ metadata, spec: { schedule }, status }: BackupSchedule): string {
  const when = status?.resolvedCron ?? `${schedule.cron} ${schedule.timezone}`;
  const stands = schedule.suspend ? "; it is suspended" : "";
  return `BackupSchedule ${metadata.name} runs it at ${when}${stands}.`;
}

/** What retention keeps, a sentence each. */
export function keptSentences(retention: BackupConfig["spec"]["retention"]): readonly string[] {
  const rules = KEEPS.flatMap(([rule, before, unit]) => {
    const count = retention?.[rule] ?? 0;
    if (count === 0) return [];
    return [
      unit === "" ? `${before} ${count}` : `one for each of the last ${countText(count, unit)} that have one`,
    ];
  });
  return rules.length > 0
    ? rules.map((rule) => `Retention keeps ${rule}.`)
    : ["All Backups stay: there is no retention."];
}

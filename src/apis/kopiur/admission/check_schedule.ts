import { presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { cronViolations, longJitter } from "../../../core/schedule/cron_violations.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Check } from "./lookup.ts";

export const checkSchedule: Check<BackupSchedule> = ({ object }, { lookup }) => {
  const { metadata, spec } = object;
  const { cron, timezone, jitter } = spec.schedule;
  const times = [{ cron, jitter, field: "spec.schedule.cron" }];
  const name = { namespace: metadata.namespace, name: spec.configRef.name };
  return [
    ...refuseAll(cronViolations(times, timezone, "spec.schedule")),
    ...times.flatMap(longJitter),
    ...presence(lookup.config(name), { field: "spec.configRef", kind: "BackupConfig", name }),
  ];
};

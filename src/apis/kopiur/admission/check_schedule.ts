import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { cronViolations } from "../rules/cron_violations.ts";
import { type Check, refuseAll } from "./check.ts";
import { longJitter } from "./long_jitter.ts";
import { presence } from "./references.ts";

export const checkSchedule: Check<BackupSchedule> = ({ object }, { lookup }) => {
  const { metadata, spec } = object;
  const { cron, timezone, jitter } = spec.schedule;
  const times = [{ cron, jitter, field: "spec.schedule.cron" }];
  const name = { namespace: metadata.namespace, name: spec.configRef.name };
  return [
    ...refuseAll(cronViolations(times, timezone)),
    ...times.flatMap(longJitter),
    ...presence(lookup.config(name), { field: "spec.configRef", kind: "BackupConfig", name }),
  ];
};

import { API_VERSION, meta, type Sample } from "../../testing/samples.ts";
import type { Schedule, ScheduleState } from "../schedule_object.ts";

type Spec = Schedule["spec"];

/** A schedule of an API that is nobody's: every hour, made on Sunday 2026-05-24 at midnight. */
export function schedule({
  metadata,
  spec,
  status,
}: Sample<Omit<Spec, "schedule">, ScheduleState> & {
  readonly spec?: { readonly schedule?: Partial<Spec["schedule"]> };
} = {}): Schedule {
  return {
    apiVersion: API_VERSION,
    kind: "Schedule",
    metadata: meta("nightly", metadata),
    spec: {
      failedJobsHistoryLimit: 3,
      ...spec,
      schedule: {
        cron: "0 * * * *",
        timezone: "UTC",
        runOnCreate: false,
        suspend: false,
        concurrencyPolicy: "Forbid",
        ...spec?.schedule,
      },
    },
    ...(status ? { status } : {}),
  };
}

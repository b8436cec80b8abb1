import type { Informers } from "../../kube/cache/informers.ts";
import type { GaugeOptions } from "../../observe/metrics.ts";
import { kopiurCaches } from "./caches.ts";
import { maintenanceGauges } from "./maintenance/maintenance_gauges.ts";
import { phaseGauges } from "./phase_gauges.ts";
import { repositoryGauges } from "./repository/repository_gauges.ts";
import { restoreGauges } from "./restore/restore_gauges.ts";
import { backupGauges, volumeGauges } from "./retention/backup_gauges.ts";
import { dueGauges, scheduleGauges } from "./schedule/schedule_gauges.ts";

/** The gauges of this API, from the caches that its controllers share. `namespace`: default all. */
export function kopiurGauges(
  informers: Pick<Informers, "cache">,
  namespace?: string,
): readonly GaugeOptions[] {
  const caches = kopiurCaches(informers, namespace);
  return [
    ...phaseGauges(caches),
    ...backupGauges(caches),
    ...volumeGauges(caches),
    ...scheduleGauges(caches),
    ...dueGauges(caches),
    ...restoreGauges(caches),
    ...maintenanceGauges(caches),
    ...repositoryGauges(caches),
  ];
}

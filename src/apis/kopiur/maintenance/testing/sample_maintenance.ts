import type { Sample } from "../../../../core/testing/samples.ts";
import type {
  Maintenance,
  MaintenanceSpec,
  MaintenanceStatus,
} from "../../../../kinds/kopiur/generated/maintenance.ts";
import { API_VERSION } from "../../../../kinds/kopiur/group.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";

const SPEC: MaintenanceSpec = {
  repository: { kind: "Repository", name: "nas" },
  schedule: {
    quick: { cron: "0 */6 * * *", jitter: "0s" },
    full: { cron: "0 3 * * 0", jitter: "0s" },
    timezone: "UTC",
    suspend: false,
  },
  ownership: { takeoverPolicy: "PromptCondition" },
  check: { afterEach: true, afterFull: true, dataPercent: 0 },
  failurePolicy: { backoffLimit: 1, activeDeadlineSeconds: 14_400 },
};

/** A Maintenance of the Repository `nas`, made on a Friday at midnight. */
export function sampleMaintenance({
  metadata,
  spec,
  status,
}: Sample<MaintenanceSpec, MaintenanceStatus> = {}): Maintenance {
  const meta: ObjectMeta = {
    name: "nas",
    namespace: "billing",
    uid: "uid-maintenance",
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "2026-05-22T00:00:00Z",
    ...metadata,
  };
  return {
    apiVersion: API_VERSION,
    kind: "Maintenance",
    metadata: meta,
    spec: { ...SPEC, ...spec },
    ...(status ? { status } : {}),
  };
}

/** With changes to its schedule alone. */
export function scheduled(more: Partial<MaintenanceSpec["schedule"]>): Pick<MaintenanceSpec, "schedule"> {
  return { schedule: { ...SPEC.schedule, ...more } };
}

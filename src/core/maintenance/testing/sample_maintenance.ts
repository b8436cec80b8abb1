import type { Resource } from "../../../kube/resource.ts";
import { API_VERSION, GROUP, meta, type Sample } from "../../testing/samples.ts";
import type { Maintenance, MaintenanceSpec, MaintenanceState } from "../maintenance.ts";

export const MAINTENANCES: Resource<Maintenance> = {
  group: GROUP,
  version: "v1",
  kind: "Upkeep",
  plural: "upkeeps",
  namespaced: true,
};

const SPEC: MaintenanceSpec = {
  schedule: {
    quick: { cron: "0 */6 * * *", jitter: "0s" },
    full: { cron: "0 3 * * 0", jitter: "0s" },
    timezone: "UTC",
    suspend: false,
  },
  ownership: { owner: "here/nas", takeoverPolicy: "PromptCondition" },
  check: { afterEach: true, afterFull: true, dataPercent: 0 },
  failurePolicy: { backoffLimit: 1, activeDeadlineSeconds: 14_400 },
};

/** What maintains the repository `nas`, made on a Friday at midnight. */
export function sampleMaintenance({
  metadata,
  spec,
  status,
}: Sample<MaintenanceSpec, MaintenanceState> = {}): Maintenance {
  const made = { uid: "uid-maintenance", creationTimestamp: "2026-05-22T00:00:00Z" };
  return {
    apiVersion: API_VERSION,
    kind: MAINTENANCES.kind,
    metadata: meta("nas", { ...made, ...metadata }),
    spec: { ...SPEC, ...spec },
    ...(status ? { status } : {}),
  };
}

/** With changes to its schedule alone. */
export function scheduled(more: Partial<MaintenanceSpec["schedule"]>): Pick<MaintenanceSpec, "schedule"> {
  return { schedule: { ...SPEC.schedule, ...more } };
}

/** With another policy of taking over. */
export function takingOver(
  takeoverPolicy: MaintenanceSpec["ownership"]["takeoverPolicy"],
): Pick<MaintenanceSpec, "ownership"> {
  return { ownership: { ...SPEC.ownership, takeoverPolicy } };
}

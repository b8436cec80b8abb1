import { CONDITIONS } from "../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import type { ClusterRepository } from "../../kinds/kopiur/generated/cluster_repository.ts";
import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { complaintOf, conditionOf, type NativeObject } from "../frame/kinds.ts";
import { isPassing, protectionOf, type VolumeRow } from "./protection.ts";
import { type Trouble, untold } from "./untold.ts";

/** Everything that the screen is made from. */
export interface Seen {
  readonly claims: readonly KubeObject[];
  readonly repositories: readonly (Repository | ClusterRepository)[];
  readonly configs: readonly BackupConfig[];
  /** Also those of other namespaces whose recipes are repeated here. */
  readonly schedules: readonly BackupSchedule[];
  /** Namespaces of such recipes whose schedules nobody may look at. */
  readonly hidden?: ReadonlySet<string>;
  readonly backups: readonly Backup[];
  readonly restores: readonly Restore[];
  readonly maintenances: readonly Maintenance[];
}

export interface Overview {
  readonly volumes: readonly VolumeRow[];
  readonly repositories: readonly (Repository | ClusterRepository)[];
  /** Backups and Restores that are under way. */
  readonly running: readonly (Backup | Restore)[];
  /** What is wrong and in no row of a volume. */
  readonly problems: readonly Trouble[];
}

const UNDER_WAY = ["Pending", "Running", "Resolving", "Restoring", "Deleting"];

/** What one look at a namespace, or all, says. */
export function overviewOf(seen: Seen, now: number): Overview {
  const { backups, repositories } = seen;
  const ground = { ...seen, stores: storesOf(repositories), now };
  const order = { no: 0, "not yet": 1, "by hand": 2, elsewhere: 3, yes: 4, store: 5 };
  const volumes = seen.claims
    .filter((claim) => !isPassing(claim))
    .map((claim) => protectionOf(claim, ground))
    .toSorted(
      (a, b) =>
        order[a.protection] - order[b.protection] ||
        keyOf(a.volume.metadata).localeCompare(keyOf(b.volume.metadata)),
    );
  return {
    volumes,
    repositories,
    running: [...backups, ...seen.restores].filter(({ status }) =>
      UNDER_WAY.includes(status?.phase ?? "Pending"),
    ),
    problems: [
      ...[...repositories, ...seen.maintenances, ...seen.restores].flatMap((object) =>
        troublesOf(object).map((why) => ({ object, why })),
      ),
      ...untold({ ...seen, volumes }),
    ],
  };
}

/** What is trouble in every phase, with the status that says so. */
const TROUBLES = [
  [CONDITIONS.deletionsHeld, "True"],
  [CONDITIONS.catalogShrunk, "True"],
  [CONDITIONS.storageHealthy, "False"],
  // A restore that is done may have to be done once more.
  [CONDITIONS.volumeUsedMeanwhile, "True"],
] as const;

/** What is only on its way is no trouble. */
function troublesOf(object: NativeObject): readonly string[] {
  const stuck =
    ["Failed", "Degraded"].includes(object.status?.phase ?? "") ||
    conditionOf(object, "Stalled")?.status === "True";
  return [
    ...TROUBLES.flatMap(([type, status]) => {
      const found = conditionOf(object, type);
      return found?.status === status ? [found.message] : [];
    }),
    ...(stuck ? [complaintOf(object) ?? "no reason is known"] : []),
  ];
}

function storesOf(repositories: Seen["repositories"]): ReadonlySet<string> {
  return new Set(
    repositories.flatMap(({ metadata, spec }) => {
      const claim = "filesystem" in spec.backend ? spec.backend.filesystem?.pvc?.name : undefined;
      return claim && metadata.namespace ? [keyOf({ namespace: metadata.namespace, name: claim })] : [];
    }),
  );
}

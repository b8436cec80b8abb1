import { activityOf } from "../../../core/view/activity_of.ts";
import type { ApiView, Dependency, Listed } from "../../../core/view/api_view.ts";
import { damagedSince, doubtOf } from "../../../core/view/damaged_since.ts";
import { lastGoodOf, newestOf } from "../../../core/view/joined.ts";
import { kindView } from "../../../core/view/kind_view.ts";
import { failedForGood } from "../../../core/view/made_up_for.ts";
import { complaintOf, conditionOf, refOf, type ShownObject } from "../../../core/view/shown_object.ts";
import type {
  ProblemView,
  ProtectionView,
  RepositoryView,
  ScheduleView,
  SnapshotView,
} from "../../../core/view/view.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../kinds/autorestore/generated/backup_config.ts";
import {
  type ResticBackup,
  resticBackupResource,
} from "../../../kinds/autorestore/generated/restic_backup.ts";
import {
  type ResticRepository,
  resticRepositoryResource,
} from "../../../kinds/autorestore/generated/restic_repository.ts";
import {
  type ResticRestore,
  resticRestoreResource,
} from "../../../kinds/autorestore/generated/restic_restore.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { keyOf } from "../../../kube/object.ts";
import { labelValue } from "../../../lib/names.ts";
import { claimKeyOf, repositoryKeyOf, restoreClaimKeyOf } from "../caches.ts";
import { claimedBy, configLabel } from "../config/claiming.ts";
import { backupCron } from "../config/target_slots.ts";
import { storeOf } from "../repository/repository_url.ts";
import { storesAmong } from "../stores.ts";
import { protectVolume } from "./protect_volume.ts";

/** How AutoRestore shows its objects. It loads none of the operator's code. */
export const autorestoreView: ApiView = {
  api: "autorestore",
  kinds: [
    kindView("autorestoreconfig", backupConfigResource, {
      PVCS: ({ status }) => status?.pvcCount,
      TARGETS: ({ spec }) => spec.backupTargets.map(({ name }) => name).join(", "),
    }),
    kindView("resticrepository", resticRepositoryResource, {
      URL: ({ status }) => status?.repository,
      SNAPSHOTS: ({ status }) => status?.stats?.snapshotCount,
      STORED: ({ status }) => ({ bytes: status?.stats?.totalSize }),
    }),
    kindView(
      "resticbackup",
      resticBackupResource,
      {
        PVC: ({ spec }) => spec.pvcRef.name,
        REPOSITORY: ({ spec }) => spec.repositoryRef.name,
        SIZE: ({ status }) => ({ bytes: status?.size }),
        ENDED: ({ status }) => ({ at: status?.completionTime }),
      },
      { runsOnce: true, sameOf: sameBackup },
    ),
    kindView(
      "resticrestore",
      resticRestoreResource,
      {
        PVC: ({ spec }) => spec.targetPVC,
        SNAPSHOT: ({ status }) => status?.snapshotID,
        ENDED: ({ status }) => ({ at: status?.completionTime }),
      },
      { runsOnce: true, sameOf: (restore) => restoreClaimKeyOf(restore) },
    ),
  ],
  read: (listed) => {
    const seen = seenIn(listed);
    return {
      // Where nobody uses this API, it has nothing to say about volumes.
      unnamed: seen.configs.length > 0 ? "no BackupConfig of AutoRestore has claimed it" : undefined,
      stores: seen.stores,
      protections: () => protectionsIn(seen),
      snapshots: () => snapshotsIn(seen),
      repositories: () => seen.repositories.map(repositoryView),
      schedules: () => schedulesIn(seen),
      activity: () => [...seen.backups, ...seen.restores].filter(isUnderWay).map((run) => activityOf(run)),
      problems: () => [...lostIn(seen), ...problemsIn(seen)],
    };
  },
  dependsOn,
  nextTry: () =>
    "The operator tries again by itself while the object is not Failed. Failed is final: create a new object to retry.",
  remedies: () => [],
  stores: {
    resources: [resticRepositoryResource],
    among: (of, namespace) => storesAmong(of(resticRepositoryResource), namespace),
  },
  protect: protectVolume,
};

type Seen = ReturnType<typeof seenIn>;

function seenIn({ of, claims }: Listed) {
  const repositories = of(resticRepositoryResource);
  const stores = repositories.flatMap((one) => storeOf(one) ?? []).map(keyOf);
  return {
    claims,
    repositories,
    configs: of(backupConfigResource),
    backups: of(resticBackupResource),
    restores: of(resticRestoreResource),
    stores: new Set<string>(stores),
  };
}

function snapshotsIn({ backups, repositories }: Seen): readonly SnapshotView[] {
  const damaged = damagedSince(repositories, keyOf);
  return backups.flatMap((backup) => {
    const { snapshotID, completionTime: at, size: bytes } = backup.status ?? {};
    if (!snapshotID || !at) return [];
    const doubt = doubtOf(at, damaged.get(repositoryKeyOf(backup)));
    return [{ object: refOf(backup), claim: claimKeyOf(backup), at, bytes, doubt }];
  });
}

function protectionsIn(seen: Seen): readonly ProtectionView[] {
  const configs = new Map<string, BackupConfig>(seen.configs.map((config) => [keyOf(config), config]));
  const snapshots = Map.groupBy(snapshotsIn(seen), ({ claim }) => claim);
  return seen.claims.flatMap((claim) => {
    const config = configs.get(claimedBy(claim) ?? "");
    return config ? [protectionOf(keyOf(claim), config, snapshots.get(keyOf(claim)) ?? [])] : [];
  });
}

function protectionOf(
  claim: string,
  config: BackupConfig,
  snapshots: readonly SnapshotView[],
): ProtectionView {
  const lastGood = lastGoodOf(snapshots);
  const nextRun = (config.status?.targets ?? []).flatMap(({ nextBackup }) => nextBackup ?? []).sort()[0];
  const level = !lastGood ? "not yet" : nextRun ? "yes" : "by hand";
  const complaint = complaintOf(config);
  return { claim, level, by: [refOf(config)], lastGood, nextRun, wrong: complaint ? [complaint] : [] };
}

function repositoryView(repository: ResticRepository): RepositoryView {
  const { status } = repository;
  return {
    object: refOf(repository),
    phase: status?.phase ?? "Initializing",
    engine: "restic",
    snapshots: status?.stats?.snapshotCount,
    storedBytes: status?.stats?.totalSize,
    lastContact: (status?.state as { readonly lastContactAt?: string } | undefined)?.lastContactAt,
    id: status?.uniqueID,
  };
}

function schedulesIn({ configs, backups }: Seen): readonly ScheduleView[] {
  const good = backups.filter(
    ({ status, spec }) => status?.phase === "Completed" && spec.backupType === "scheduled",
  );
  const ended = Map.groupBy(
    good,
    ({ metadata: { labels = {} } }) => `${labels[LABELS.config]} ${labels[LABELS.target]}`,
  );
  return configs.flatMap((config) =>
    config.spec.backupTargets.flatMap((target) => {
      const cron = backupCron(target);
      if (cron === undefined) return [];
      const status = config.status?.targets?.find(({ name }) => name === target.name);
      const of = ended.get(`${configLabel(config.metadata)} ${labelValue(target.name)}`) ?? [];
      const times = of.flatMap(({ status: { completionTime: at } = {} }) => (at ? [{ at }] : []));
      const lastGoodRun = newestOf(times)?.at;
      return [{ object: refOf(config), cron, suspended: false, nextRun: status?.nextBackup, lastGoodRun }];
    }),
  );
}

function isUnderWay({ status }: ResticBackup | ResticRestore): boolean {
  return status?.phase === undefined || status.phase === "Pending" || status.phase === "Running";
}

function problemsIn({ repositories, configs, backups, restores }: Seen): readonly ProblemView[] {
  const failed = [...failedForGood(backups, sameBackup), ...failedForGood(restores, restoreClaimKeyOf)];
  const wrong = [...repositories, ...configs].filter((one) => conditionOf(one, "Ready")?.status === "False");
  return [...wrong, ...failed].flatMap((object: ShownObject) => {
    const why = complaintOf(object);
    return why ? [{ object: refOf(object), why }] : [];
  });
}

function sameBackup(backup: ResticBackup): string {
  return `${claimKeyOf(backup)} ${repositoryKeyOf(backup)}`;
}

/** PVCs that ResticBackups are of, and that are gone. No command of ours makes them again: who applies them does. */
function lostIn(seen: Seen): readonly ProblemView[] {
  const there = new Set<string>(seen.claims.map(keyOf));
  const taken = Map.groupBy(snapshotsIn(seen), ({ claim }) => claim);
  return [...taken].flatMap(([claim, snapshots]) => {
    const { object } = newestOf(snapshots) ?? {};
    if (there.has(claim) || !object) return [];
    const why = `PVC ${claim} is gone, and this is its last backup`;
    const remedy = `Create the PVC again with its labels. A BackupConfig with autoRestore fills it; without one, create a ResticRestore with backupName: ${object.name}.`;
    return [{ object, why, remedy }];
  });
}

interface Naming {
  readonly repositoryRef?: { readonly name: string; readonly namespace?: string };
  readonly backupTarget?: { readonly repository: { readonly name: string; readonly namespace?: string } };
}

/** The repository that a spec names. */
function dependsOn({ metadata: { namespace }, ...object }: ShownObject): readonly Dependency[] {
  const { repositoryRef, backupTarget } = (object as { readonly spec?: Naming }).spec ?? {};
  const ref = repositoryRef ?? backupTarget?.repository;
  if (!ref) return [];
  return [
    { resource: resticRepositoryResource, name: { namespace: ref.namespace ?? namespace, name: ref.name } },
  ];
}

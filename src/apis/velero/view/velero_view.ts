import type { ApiView, KindView } from "../../../core/view/api_view.ts";
import { refOf, type ShownObject } from "../../../core/view/shown_object.ts";
import type {
  ActivityView,
  ProblemView,
  ProtectionView,
  RepositoryView,
  SnapshotView,
} from "../../../core/view/view.ts";
import {
  type BackupRepository,
  backupRepositoryResource,
} from "../../../kinds/velero/generated/backup_repository.ts";
import { backupStorageLocationResource } from "../../../kinds/velero/generated/backup_storage_location.ts";
import {
  type PodVolumeBackup,
  podVolumeBackupResource,
} from "../../../kinds/velero/generated/pod_volume_backup.ts";
import {
  type PodVolumeRestore,
  podVolumeRestoreResource,
} from "../../../kinds/velero/generated/pod_volume_restore.ts";
import { PVC_NAME_ANNOTATION } from "../../../kinds/velero/labels.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import type { Resource } from "../../../kube/resource.ts";

type PodVolume = PodVolumeBackup | PodVolumeRestore;

// The CRDs of a Velero server let an object have no spec.
const isWhole = ({ spec }: { readonly spec?: object }) => spec !== undefined;
const podOf = ({ spec }: PodVolume) => `${spec?.pod.namespace ?? ""}/${spec?.pod.name ?? ""}`;
const sizeOf = ({ status }: PodVolume) => ({ bytes: status?.progress?.totalBytes });

const podVolumeKind = (word: string, resource: Resource<PodVolumeBackup> | Resource<PodVolumeRestore>) =>
  ({
    word,
    resource,
    runsOnce: true,
    columns: [
      { title: "POD", value: podOf },
      { title: "VOLUME", value: ({ spec }: PodVolume) => spec?.volume },
      { title: "SIZE", value: sizeOf },
      { title: "LOCATION", wide: true, value: ({ spec }: PodVolume) => spec?.backupStorageLocation },
    ],
  }) as unknown as KindView;

const KIND_VIEWS: readonly KindView[] = [
  podVolumeKind("podvolumebackup", podVolumeBackupResource),
  podVolumeKind("podvolumerestore", podVolumeRestoreResource),
  {
    word: "backuprepository",
    resource: backupRepositoryResource as unknown as Resource<ShownObject>,
    columns: [],
  },
  {
    word: "backupstoragelocation",
    resource: backupStorageLocationResource as unknown as Resource<ShownObject>,
    columns: [],
  },
];

/** How this API shows its objects. It loads none of the operator's code. */
export const veleroView: ApiView = {
  api: "velero",
  kinds: KIND_VIEWS,
  read: ({ of }) => {
    const backups = of(podVolumeBackupResource).filter(isWhole);
    const both: readonly PodVolume[] = [...backups, ...of(podVolumeRestoreResource).filter(isWhole)];
    return {
      stores: new Set(),
      // A Velero server decides what is backed up, and when: here is only what it asked for.
      protections: () => protectionsOf(backups.flatMap(snapshotView)),
      schedules: () => [],
      snapshots: () => backups.flatMap(snapshotView),
      repositories: () => of(backupRepositoryResource).filter(isWhole).map(repositoryView),
      activity: () => both.filter(({ status }) => !isFinal(status?.phase)).map(activityView),
      problems: () => both.filter(({ status }) => status?.phase === "Failed").map(problemView),
    };
  },
  dependsOn: (object) => {
    const { metadata, spec } = object as unknown as PodVolume;
    const name = { namespace: metadata.namespace ?? "", name: spec?.backupStorageLocation ?? "" };
    const resource = backupStorageLocationResource as unknown as Resource<ShownObject>;
    return name.name === "" ? [] : [{ resource, name }];
  },
  nextTry: ({ status }) =>
    isFinal(status?.phase)
      ? "It has ended, and is not tried again. Create a new backup or restore with Velero."
      : "The operator tries again by itself.",
  remedies: () => [],
};

function snapshotView(backup: PodVolumeBackup): readonly SnapshotView[] {
  const { metadata, spec, status } = backup;
  const claim = metadata.annotations?.[PVC_NAME_ANNOTATION];
  if (status?.phase !== "Completed" || !status.snapshotID || claim === undefined) return [];
  return [
    {
      object: refOf(backup),
      claim: `${spec.pod.namespace}/${claim}`,
      at: status.startTimestamp ?? metadata.creationTimestamp,
      bytes: status.progress?.totalBytes ?? 0,
    },
  ];
}

function protectionsOf(snapshots: readonly SnapshotView[]): readonly ProtectionView[] {
  return [...Map.groupBy(snapshots, ({ claim }) => claim)].map(([claim, all]) => {
    const lastGood = all.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
    return { claim, level: "by hand", by: lastGood ? [lastGood.object] : [], lastGood, wrong: [] };
  });
}

function repositoryView(repository: BackupRepository): RepositoryView {
  const { spec, status } = repository;
  return { object: refOf(repository), phase: status?.phase ?? "New", engine: spec.repositoryType || "kopia" };
}

function activityView(object: PodVolume): ActivityView {
  const { phase = "New", message, progress } = object.status ?? {};
  const { bytesDone: bytes, totalBytes: total } = progress ?? {};
  const percent = bytes !== undefined && total ? { percent: Math.floor((bytes / total) * 100) } : {};
  return {
    object: refOf(object),
    phase,
    why: message,
    progress: bytes === undefined ? undefined : { bytes, ...percent },
  };
}

function problemView(object: PodVolume): ProblemView {
  return { object: refOf(object), why: object.status?.message ?? "It failed." };
}

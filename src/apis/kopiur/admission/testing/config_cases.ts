import {
  ANNOTATIONS,
  CONSENT_ANNOTATION,
  DERIVED_ANNOTATIONS,
} from "../../../../kinds/kopiur/annotations.ts";
import type { AdmissionCase } from "./admission_case.ts";
import { claim, clusterRepository, config, HOUSEHOLD, repository, resolvedAs } from "./manifests.ts";

const SHARED = { repository: { kind: "ClusterRepository", name: "commons" } };
const ELSEWHERE = { repository: { name: "nas", namespace: "tenant-b" } };
/** To another repository, and under another path. */
const MOVED = {
  repository: { name: "second" },
  sources: [{ pvc: { name: "data" }, sourcePathOverride: "/data" }],
};
const BACKED_UP = {
  ...resolvedAs("data", "tenant-a"),
  lastSuccessfulBackup: { name: "first", at: "2026-05-24T02:13:00Z" },
};
const GOES =
  "scheduled Backups that no rule keeps now are deleted with their snapshots. What is to stay needs holdfast hold backup/<name>";
const LEFT_BEHIND = [
  "spec.repository: the snapshots so far stay in the repository that they are in",
  "spec.sources: the snapshots of /pvc/data stay, and get no successors",
];
const restic = repository({ spec: { engine: "restic" } });
const reaching = (other: string) => ({
  sources: [{ pvcSelector: { namespaceSelector: { matchNames: ["tenant-a", other] } } }],
  groupBy: "None",
});
const forbidden = (other: string) =>
  `spec.sources[0].pvcSelector.namespaceSelector.matchNames: BackupConfigs of namespace tenant-a cannot be run on the claims of namespace ${other}: namespace ${other} does not list tenant-a. Have tenant-a added to the annotation ${ANNOTATIONS.allowedConfigNamespaces} of namespace ${other}, or leave ${other} out.`;

const otherPath = (path: string) =>
  `spec.sources: the identity cannot become data@tenant-a:${path}: the snapshots so far are recorded as data@tenant-a:/pvc/data, and none of them would be found. Set the path back, or accept the change with the annotation ${ANNOTATIONS.acknowledgeIdentity}=data@tenant-a:${path}.`;

/** Who may be referred to, and from where. */
export const configReferenceCases: readonly AdmissionCase[] = [
  { name: "a BackupConfig of what is there", given: HOUSEHOLD, object: config() },
  {
    name: "one of a read-only ClusterRepository, to restore from, with a warning",
    given: [clusterRepository({ spec: { access: { readOnly: true } } }), claim()],
    object: config({ spec: SHARED }),
    warnings: [
      "spec.repository: ClusterRepository commons takes no backups: it is read-only (access.readOnly)",
    ],
  },
  {
    name: "a repository and a claim that are not there yet, with warnings",
    object: config(),
    warnings: [
      "spec.repository: Repository tenant-a/nas does not exist yet, and is waited for",
      "spec.sources[0].pvc: PersistentVolumeClaim tenant-a/data does not exist yet, and is waited for",
    ],
  },
  {
    name: "a claim that holds a repository",
    given: [...HOUSEHOLD, claim("store")],
    object: config({ spec: { sources: [{ pvc: { name: "store" } }] } }),
    refused:
      "spec.sources[0].pvc: PersistentVolumeClaim tenant-a/store cannot be backed up: it holds the backups of Repository tenant-a/nas. Name the PVC that holds the data. To have a second copy of a repository, copy it with the tools of its storage.",
  },
  {
    name: "a claim that holds the ClusterRepository that it is backed up to",
    given: [clusterRepository(), claim("store")],
    object: config({ spec: { ...SHARED, sources: [{ pvc: { name: "store" } }] } }),
    refused:
      "spec.sources[0].pvc: PersistentVolumeClaim tenant-a/store cannot be backed up: it holds the backups of ClusterRepository commons. Name the PVC that holds the data. To have a second copy of a repository, copy it with the tools of its storage.",
  },
  {
    name: "a ClusterRepository that lists the namespace",
    given: [clusterRepository(), claim()],
    object: config({ spec: SHARED }),
  },
  {
    name: "a ClusterRepository that is for every namespace",
    given: [clusterRepository({ spec: { allowedNamespaces: { all: true } } }), claim()],
    object: config({ spec: SHARED }),
  },
  {
    name: "a ClusterRepository that selects the namespace",
    given: [
      clusterRepository({ spec: { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } } }),
      claim("data", "tenant-b"),
    ],
    object: config({ namespace: "tenant-b", spec: SHARED }),
  },
  {
    name: "a ClusterRepository that does not select the namespace, though its author may read it",
    given: [
      clusterRepository({ spec: { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } } }),
      claim(),
    ],
    object: config({ spec: SHARED }),
    author: "reader",
    refused:
      "spec.repository: ClusterRepository commons cannot be used from namespace tenant-a: its allowedNamespaces do not include that namespace. Have tenant-a added to its allowedNamespaces, or use another repository.",
  },
  {
    name: "a ClusterRepository that is not there yet, with a warning",
    given: [claim()],
    object: config({ spec: SHARED }),
    warnings: ["spec.repository: ClusterRepository commons does not exist yet, and is waited for"],
  },
  {
    name: "an edit after the ClusterRepository was withdrawn, with a warning",
    given: [clusterRepository(), claim()],
    object: config({ spec: SHARED }),
    meanwhile: [clusterRepository({ spec: { allowedNamespaces: { list: ["tenant-b"] } } })],
    change: { spec: { defaultDeletionPolicy: "Retain" } },
    warnings: [
      "spec.repository: ClusterRepository commons cannot be used from namespace tenant-a: its allowedNamespaces do not include that namespace",
    ],
  },
  {
    name: "a Repository of a namespace that does not consent",
    given: [repository({ namespace: "tenant-b" }), claim()],
    object: config({ spec: ELSEWHERE }),
    refused:
      "spec.repository: Repository tenant-b/nas cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the Repository's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "a Repository that lists the namespace, without writing a consent down",
    given: [
      repository({ namespace: "tenant-b", spec: { allowedNamespaces: { list: ["tenant-a"] } } }),
      claim(),
    ],
    object: config({ spec: ELSEWHERE }),
    author: "reader",
  },
  {
    name: "a Repository that the author may read, and writes that down",
    given: [repository({ namespace: "tenant-b" }), claim()],
    object: config({ spec: ELSEWHERE }),
    author: "reader",
    stored: {
      metadata: { annotations: { [CONSENT_ANNOTATION]: "Repository/tenant-b/nas,Secret/tenant-b/*" } },
    },
  },
  {
    name: "a consent that its author wrote",
    given: [repository({ namespace: "tenant-b" }), claim()],
    object: config({
      annotations: { [CONSENT_ANNOTATION]: "Repository/tenant-b/nas" },
      spec: ELSEWHERE,
    }),
    refused:
      "spec.repository: Repository tenant-b/nas cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the Repository's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "an edit by somebody else, and keeps the consent",
    given: [repository({ namespace: "tenant-b" }), claim()],
    object: config({ spec: ELSEWHERE }),
    change: { spec: { defaultDeletionPolicy: "Retain" } },
    stored: {
      metadata: { annotations: { [CONSENT_ANNOTATION]: "Repository/tenant-b/nas,Secret/tenant-b/*" } },
    },
  },
  {
    name: "claims of a namespace that does not list this one",
    given: HOUSEHOLD,
    object: config({ spec: reaching("tenant-b") }),
    refused: forbidden("tenant-b"),
  },
  {
    name: "claims of a namespace that lists this one",
    given: HOUSEHOLD,
    object: config({ spec: reaching("tenant-root") }),
    stored: { metadata: { name: "data" }, spec: reaching("tenant-root") },
  },
  {
    name: "claims of a namespace that does not list this one, though their author may do everything there",
    given: HOUSEHOLD,
    object: config({ spec: reaching("tenant-b") }),
    author: "reader",
    refused: forbidden("tenant-b"),
  },
  {
    name: "a namespace that is not there yet, with a warning",
    given: HOUSEHOLD,
    object: config({ spec: reaching("nowhere") }),
    warnings: [
      "spec.sources[0].pvcSelector.namespaceSelector.matchNames: Namespace nowhere does not exist yet, and is waited for",
    ],
  },
  {
    name: "claims of several namespaces at one moment",
    given: HOUSEHOLD,
    object: config({ spec: { ...reaching("tenant-root"), groupBy: "VolumeGroupSnapshot" } }),
    refused:
      "spec.groupBy: claims of several namespaces cannot be captured at one moment: a VolumeGroupSnapshot is of claims in one namespace. Set groupBy to None, or write a BackupConfig for each namespace.",
  },
  {
    name: "what says that it repeats another BackupConfig, of anybody but the operator",
    given: HOUSEHOLD,
    object: config({ annotations: { [DERIVED_ANNOTATIONS.from]: "tenant-b/all" } }),
    refused:
      "spec: this BackupConfig cannot be written: it repeats BackupConfig tenant-b/all, as the operator keeps it. Edit that one, or delete this one once the namespace does not allow it any more.",
  },
  {
    name: "what the operator repeats, with a repository that lists the namespace",
    given: [
      repository({ namespace: "tenant-b", spec: { allowedNamespaces: { list: ["tenant-a"] } } }),
      claim(),
    ],
    object: config({ annotations: { [DERIVED_ANNOTATIONS.from]: "tenant-b/all" }, spec: ELSEWHERE }),
    author: "operator",
  },
  {
    name: "what the operator repeats, with a repository that does not list the namespace",
    given: [repository({ namespace: "tenant-b" }), claim()],
    object: config({ annotations: { [DERIVED_ANNOTATIONS.from]: "tenant-b/all" }, spec: ELSEWHERE }),
    author: "operator",
    refused:
      "spec.repository: Repository tenant-b/nas cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the Repository's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "the identity of another namespace in a shared repository",
    given: [clusterRepository(), claim()],
    object: config({ spec: { ...SHARED, identity: { hostname: "tenant-b" } } }),
    refused:
      "spec.identity: the Backups of namespace tenant-b cannot be used from namespace tenant-a: whoever wrote the reference may not get them. Have someone write this who may get them, or keep to namespace tenant-a.",
  },
];

/** Under which identity, and how. */
export const configRuleCases: readonly AdmissionCase[] = [
  {
    name: "the path and identity of another BackupConfig",
    given: [...HOUSEHOLD, config({ name: "other", spec: { identity: { username: "data" } } })],
    object: config(),
    refused:
      "spec.sources[0]: data@tenant-a:/pvc/data is taken: BackupConfig other records the same path under the same identity in this repository, and each would prune the other's snapshots. Set another spec.identity, or another sourcePathOverride.",
  },
  {
    name: "the identity that another BackupConfig had before",
    given: [...HOUSEHOLD, config({ name: "other", status: resolvedAs("data", "tenant-a") })],
    object: config(),
    refused:
      "spec.sources[0]: data@tenant-a:/pvc/data is taken: BackupConfig other records the same path under the same identity in this repository, and each would prune the other's snapshots. Set another spec.identity, or another sourcePathOverride.",
  },
  {
    name: "another path of the same identity",
    given: [...HOUSEHOLD, config({ name: "other", spec: { identity: { username: "data" } } })],
    object: config({ spec: { sources: [{ pvc: { name: "data" }, sourcePathOverride: "/data" }] } }),
  },
  {
    name: "a selector with the identity of another BackupConfig, with a warning",
    given: [...HOUSEHOLD, config({ name: "other", spec: { identity: { username: "data" } } })],
    object: config({ spec: { sources: [{ pvcSelector: {} }] } }),
    warnings: ["spec.sources: BackupConfig other has the same identity: their claims must not overlap"],
  },
  {
    name: "a path that is recorded twice",
    given: HOUSEHOLD,
    object: config({
      spec: {
        sources: [{ pvc: { name: "data" } }, { pvc: { name: "data" }, sourcePathOverride: "/pvc/data" }],
      },
    }),
    refused:
      "spec.sources[1]: the path /pvc/data is recorded twice: spec.sources[0] has it too, and their snapshots could not be told apart. Remove one of them, or set another sourcePathOverride.",
  },
  {
    name: "another identity that nobody acknowledged",
    given: HOUSEHOLD,
    object: config({ status: resolvedAs("data", "tenant-a") }),
    change: { spec: { identity: { username: "new" } } },
    refused:
      "spec.identity: the identity cannot become new@tenant-a: the snapshots so far are recorded as data@tenant-a, and none of them would be found. Set the identity back, or accept the change with the annotation kopiur.home-operations.com/acknowledge-identity-change=new@tenant-a.",
  },
  {
    name: "another identity that is acknowledged",
    given: HOUSEHOLD,
    object: config({ status: resolvedAs("data", "tenant-a") }),
    change: {
      spec: { identity: { username: "new" } },
      annotations: { "kopiur.home-operations.com/acknowledge-identity-change": "new@tenant-a" },
    },
  },
  {
    name: "fewer Backups that are kept, with a warning",
    given: HOUSEHOLD,
    object: config({ spec: { retention: { keepDaily: 30, keepWeekly: 4 } }, status: BACKED_UP }),
    change: { spec: { retention: { keepDaily: 3, keepWeekly: 8 } } },
    warnings: [`spec.retention: keepDaily is 3 instead of 30; ${GOES}`],
  },
  {
    name: "the first rules of what is kept, with a warning",
    given: HOUSEHOLD,
    object: config({ status: BACKED_UP }),
    change: { spec: { retention: { keepDaily: 30 } } },
    warnings: [`spec.retention: everything was kept so far; ${GOES}`],
  },
  {
    name: "more Backups that are kept",
    given: HOUSEHOLD,
    object: config({ spec: { retention: { keepDaily: 3 } }, status: BACKED_UP }),
    change: { spec: { retention: { keepDaily: 30 } } },
  },
  {
    name: "fewer Backups that are kept, of which there is none",
    given: HOUSEHOLD,
    object: config({ spec: { retention: { keepDaily: 30 } } }),
    change: { spec: { retention: { keepDaily: 3 } } },
  },
  {
    name: "another repository and another path that nobody acknowledged, with warnings",
    given: [...HOUSEHOLD, repository({ name: "second" })],
    object: config({ status: resolvedAs("data", "tenant-a") }),
    change: { spec: MOVED },
    refused: otherPath("/data"),
    warnings: LEFT_BEHIND,
  },
  {
    name: "another repository and another path that is acknowledged, with warnings",
    given: [...HOUSEHOLD, repository({ name: "second" })],
    object: config({ status: resolvedAs("data", "tenant-a") }),
    change: {
      spec: MOVED,
      annotations: { [ANNOTATIONS.acknowledgeIdentity]: "data@tenant-a:/data" },
    },
    warnings: LEFT_BEHIND,
  },
  {
    name: "another path of a claim that is not there any more",
    given: [repository()],
    object: config({ status: resolvedAs("data", "tenant-a") }),
    change: { spec: { sources: [{ pvc: { name: "data" }, sourcePathStrategy: "PVCNamespacedName" }] } },
    refused: otherPath("/pvc/tenant-a/data"),
    warnings: [
      "spec.sources[0].pvc: PersistentVolumeClaim tenant-a/data does not exist yet, and is waited for",
      "spec.sources: the snapshots of /pvc/data stay, and get no successors",
    ],
  },
  {
    name: "another path of a claim that is selected",
    given: HOUSEHOLD,
    object: config({
      spec: { sources: [{ pvcSelector: {} }] },
      status: resolvedAs("data", "tenant-a"),
    }),
    change: { spec: { sources: [{ pvcSelector: {}, sourcePathStrategy: "PVCNamespacedName" }] } },
    refused: otherPath("/pvc/tenant-a/data"),
  },
  {
    name: "another path of a claim that is not selected any more",
    given: HOUSEHOLD,
    object: config({
      spec: { sources: [{ pvcSelector: {} }] },
      status: resolvedAs("data", "tenant-a"),
    }),
    change: {
      spec: {
        sources: [
          {
            pvcSelector: { labelSelector: { matchLabels: { app: "shop" } } },
            sourcePathStrategy: "PVCNamespacedName",
          },
        ],
      },
    },
  },
  {
    name: "privileges that the namespace does not consent to",
    given: HOUSEHOLD,
    object: config({ spec: { mover: { securityContext: { runAsUser: 0 } } } }),
    refused:
      "spec.mover.securityContext.runAsUser: movers cannot have privileges in namespace tenant-a: the namespace does not consent to it. Annotate the namespace with kopiur.home-operations.com/allow-privileged-movers=true, or leave securityContext.runAsUser out.",
  },
  {
    name: "retention among the extra arguments",
    given: HOUSEHOLD,
    object: config({ spec: { policy: { extraArgs: ["--parallel=4", "--keep-latest=1"] } } }),
    refused:
      "spec.policy.extraArgs[1]: --keep-latest cannot be passed on: which snapshots are kept is decided by retention alone, so that no snapshot goes behind its back. Remove it, and use spec.retention.",
  },
  {
    name: "a retention in a zone that nobody knows",
    given: HOUSEHOLD,
    object: config({ spec: { retention: { keepDaily: 7, timezone: "Mars/Olympus" } } }),
    refused:
      'spec.retention.timezone: the time zone "Mars/Olympus" is not known: it has to be a name of the IANA database. Write one such as "UTC", "Europe/Berlin" or "America/New_York".',
  },
  {
    name: "what restic cannot do, all at once",
    given: [restic, claim()],
    object: config({
      spec: {
        sources: [{ pvc: { name: "data" }, sourcePathOverride: "/etc" }],
        policy: {
          compression: { compressor: "zstd", neverCompress: ["*.zip"] },
          splitter: "FIXED-4M",
        },
      },
    }),
    refused:
      "4 problems: (1) spec.policy.compression.compressor: restic cannot compress with zstd: it has no such compressor. Choose one of none, auto, max. (2) spec.policy.compression.neverCompress: restic cannot leave files uncompressed by name: it compresses all files alike, or none. Leave neverCompress out, or use a repository of engine kopia. (3) spec.policy.splitter: restic cannot use the splitter FIXED-4M: it has one way to cut files into pieces, and no choice. Leave splitter out, or use a repository of engine kopia. (4) spec.sources[0]: restic cannot record a volume as /etc: it records the path that a volume is mounted at, and /etc is taken in a mover's pod. Choose another sourcePathOverride, such as /data, or use a repository of engine kopia.",
  },
  {
    name: "a path of its own on restic",
    given: [restic, claim()],
    object: config({ spec: { sources: [{ pvc: { name: "data" }, sourcePathOverride: "/data" }] } }),
  },
  {
    name: "a class of volume snapshots that is not used, with a warning",
    given: HOUSEHOLD,
    object: config({ spec: { copyMethod: "Direct", volumeSnapshotClassName: "fast" } }),
    warnings: ["spec.volumeSnapshotClassName: it is not used with copyMethod Direct"],
  },
];

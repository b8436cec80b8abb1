import { CONSENT_ANNOTATION } from "../../../../kinds/kopiur/annotations.ts";
import type { AdmissionCase, Manifest } from "./admission_case.ts";
import { backup, claim, clusterRepository, config, HOUSEHOLD, repository, restore } from "./manifests.ts";

const given = [...HOUSEHOLD, config(), backup()];
const SHARED = { repository: { kind: "ClusterRepository", name: "commons" } };
const pvc = { name: "restored", capacity: "1Gi" };
const identity = { username: "data", hostname: "tenant-b", sourcePath: "/pvc/data" };

/** A BackupConfig of another namespace and a Backup of it. */
const theirs = (allowedNamespaces?: object): readonly Manifest[] => [
  repository({ namespace: "tenant-b" }),
  claim("data", "tenant-b"),
  config({ namespace: "tenant-b", spec: allowedNamespaces ? { allowedNamespaces } : {} }),
  backup({ namespace: "tenant-b" }),
];

export const restoreCases: readonly AdmissionCase[] = [
  {
    name: "a Backup, and fails where there is none",
    given,
    object: restore(),
    stored: { spec: { policy: { onMissingSnapshot: "Fail" }, options: { ownership: "BestEffort" } } },
  },
  {
    name: "a BackupConfig, and goes on where there is none, as it is told",
    given,
    object: restore({
      spec: { source: { fromConfig: { name: "data" } }, policy: { onMissingSnapshot: "Continue" } },
    }),
    stored: { spec: { policy: { onMissingSnapshot: "Continue" } } },
  },
  {
    name: "a BackupConfig, of which it stays open what follows where there is none",
    given,
    object: restore({ spec: { source: { fromConfig: { name: "data" } } } }),
    stored: { spec: { policy: { waitTimeout: "5m" } } },
  },
  {
    name: "errors of permissions that are not ignored, as exactness",
    given,
    object: restore({ spec: { options: { ignorePermissionErrors: false } } }),
    stored: { spec: { options: { ownership: "Exact" } } },
  },
  {
    name: "what was said of both, and warns of the contradiction",
    given,
    object: restore({
      spec: {
        policy: { onMissingSnapshot: "Continue" },
        options: { ignorePermissionErrors: false, ownership: "Skip" },
      },
    }),
    stored: { spec: { policy: { onMissingSnapshot: "Continue" }, options: { ownership: "Skip" } } },
    warnings: [
      "spec.options.ownership: Skip wins over ignorePermissionErrors: false; set Exact to stop at the first difference",
    ],
  },
  {
    name: "a Backup and a claim that are not there yet, with warnings",
    object: restore({ spec: { target: { pvcRef: { name: "data" } } } }),
    warnings: [
      "spec.source.backupRef: Backup tenant-a/first does not exist yet, and is waited for",
      "spec.target.pvcRef: PersistentVolumeClaim tenant-a/data does not exist yet, and is waited for",
    ],
  },
  {
    name: "a BackupConfig that is not there yet, with a warning",
    object: restore({ spec: { source: { fromConfig: { name: "data" } } } }),
    warnings: ["spec.source.fromConfig: BackupConfig tenant-a/data does not exist yet, and is waited for"],
  },
  {
    name: "a Backup that failed, with a warning",
    given: [...HOUSEHOLD, config(), backup({ status: { phase: "Failed" } })],
    object: restore(),
    warnings: ["spec.source.backupRef: Backup tenant-a/first failed: there is nothing to restore"],
  },
  {
    name: "a new claim whose name is taken, with a warning",
    given,
    object: restore({ spec: { target: { pvc: { ...pvc, name: "data" } } } }),
    warnings: [
      "spec.target.pvc: PersistentVolumeClaim tenant-a/data is there already; use pvcRef to write into it",
    ],
  },
  {
    name: "a claim that nothing backs up, with a warning",
    given,
    object: restore({ spec: { target: { pvcRef: { name: "data" } } } }),
    warnings: [
      "spec.target.pvcRef: no BackupConfig that is ready backs up PersistentVolumeClaim tenant-a/data, so that no backup of it is made first: what is overwritten cannot be brought back",
    ],
  },
  {
    name: "a claim that is backed up first",
    given: [
      ...HOUSEHOLD,
      backup(),
      config({
        status: {
          phase: "Ready",
          resolved: {
            identity: { username: "u", hostname: "h", sources: [{ pvc: "tenant-a/data", sourcePath: "/d" }] },
          },
        },
      }),
    ],
    object: restore({ spec: { target: { pvcRef: { name: "data" } } } }),
  },
  {
    name: "a claim that is to be written without a backup, by word",
    given,
    object: restore({ spec: { target: { pvcRef: { name: "data", backupFirst: false } } } }),
  },
  {
    name: "a claim that holds a repository",
    given: [...given, claim("store")],
    object: restore({ spec: { target: { pvcRef: { name: "store", backupFirst: false } } } }),
    refused:
      "spec.target.pvcRef: PersistentVolumeClaim tenant-a/store cannot be restored into: it holds the backups of Repository tenant-a/nas. Restore into another PVC.",
  },
  {
    name: "a path that leads out of the snapshot",
    given,
    object: restore({ spec: { options: { path: "../etc" } } }),
    refused:
      'spec.options.path: the path "../etc" cannot be used: it has a part .., which could lead out of the volume. Write it from the root of the volume, such as letters/anna.txt.',
  },
  {
    name: "a Backup of a namespace that does not consent",
    given: theirs(),
    object: restore({ spec: { source: { backupRef: { name: "first", namespace: "tenant-b" } } } }),
    refused:
      "spec.source.backupRef: Backup tenant-b/first cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the allowedNamespaces of its BackupConfig, or have someone write this who may get it.",
  },
  {
    name: "a Backup whose BackupConfig lists the namespace",
    given: theirs({ list: ["tenant-a"] }),
    object: restore({ spec: { source: { backupRef: { name: "first", namespace: "tenant-b" } } } }),
  },
  {
    name: "a Backup that the author may read, and writes that down",
    given: theirs(),
    object: restore({ spec: { source: { backupRef: { name: "first", namespace: "tenant-b" } } } }),
    author: "reader",
    stored: {
      metadata: { annotations: { [CONSENT_ANNOTATION]: "Backup/tenant-b/first,Secret/tenant-b/*" } },
    },
  },
  {
    name: "a BackupConfig of a namespace that does not consent",
    given: theirs(),
    object: restore({ spec: { source: { fromConfig: { name: "data", namespace: "tenant-b" } } } }),
    refused:
      "spec.source.fromConfig: BackupConfig tenant-b/data cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the BackupConfig's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "a Repository of a namespace that does not consent",
    given: theirs(),
    object: restore({
      spec: {
        repository: { name: "nas", namespace: "tenant-b" },
        source: { identity: { ...identity, hostname: "laptop" } },
      },
    }),
    refused:
      "spec.repository: Repository tenant-b/nas cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the Repository's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "the identity of another tenant of a shared repository",
    given: [clusterRepository({ spec: { allowedNamespaces: { all: true } } })],
    object: restore({ spec: { ...SHARED, source: { identity } } }),
    refused:
      "spec.source.identity: the Backups of namespace tenant-b cannot be used from namespace tenant-a: whoever wrote the reference may not get them. Have someone write this who may get them, or keep to namespace tenant-a.",
  },
  {
    name: "the identity of a namespace that is gone, or never was, in a shared repository",
    given: [clusterRepository()],
    object: restore({ spec: { ...SHARED, source: { identity: { ...identity, hostname: "laptop" } } } }),
    refused:
      "spec.source.identity: the Backups of namespace laptop cannot be used from namespace tenant-a: whoever wrote the reference may not get them. Have someone write this who may get them, or keep to namespace tenant-a.",
  },
  {
    name: "the own identity in a shared repository, by its templates",
    given: [clusterRepository({ spec: { identityDefaults: { hostnameTemplate: "prod-{{ .Namespace }}" } } })],
    object: restore({
      spec: { ...SHARED, source: { identity: { ...identity, hostname: "prod-tenant-a" } } },
    }),
  },
  {
    name: "an identity that a template may have given to another namespace's BackupConfig",
    given: [
      clusterRepository({
        spec: { identityDefaults: { hostnameTemplate: "{{ .Namespace }}-{{ .ConfigName }}" } },
      }),
    ],
    object: restore({
      spec: { ...SHARED, source: { identity: { ...identity, hostname: "tenant-a-b" } } },
    }),
    refused:
      "spec.source.identity: the Backups of namespace tenant-a-b cannot be used from namespace tenant-a: whoever wrote the reference may not get them. Have someone write this who may get them, or keep to namespace tenant-a.",
  },
  {
    name: "a ClusterRepository behind its BackupConfig that was withdrawn",
    given: [clusterRepository({ spec: { allowedNamespaces: { list: ["tenant-b"] } } }), claim()],
    object: restore({ spec: { ...SHARED, source: { identity: { ...identity, hostname: "tenant-a" } } } }),
    refused:
      "spec.repository: ClusterRepository commons cannot be used from namespace tenant-a: its allowedNamespaces do not include that namespace. Have tenant-a added to its allowedNamespaces, or use another repository.",
  },
  {
    name: "what kopia cannot do about files that are there",
    given,
    object: restore({ spec: { options: { existingFiles: "Keep" } } }),
    refused:
      "spec.options.existingFiles: kopia cannot do existingFiles: Keep: it has no such way to treat files that are there already. Choose one of Refuse, Overwrite, OverwriteChanged.",
  },
  {
    name: "privileges that the namespace does not consent to",
    given,
    object: restore({ spec: { mover: { privilegedMode: true } } }),
    refused:
      "spec.mover.privilegedMode: movers cannot have privileges in namespace tenant-a: the namespace does not consent to it. Annotate the namespace with kopiur.home-operations.com/allow-privileged-movers=true, or leave privilegedMode out.",
  },
];

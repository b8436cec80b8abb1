import type { ArgumentSpec, CommandSpec, OptionSpec } from "./frame/command.ts";

const yes: OptionSpec = { summary: "do not ask", short: "y" };
const noWait: OptionSpec = { summary: "do not wait for its end" };
const objects = ["json", "yaml", "name"] as const;
const oneOf = (usual: string, ...others: readonly string[]) => ({ references: [usual, ...others], usual });
const backupOrConfig = oneOf("backup", "config");
const ofConfig = { names: "config" } as const;
const ofClaim = { names: "claim" } as const;
const whereSource = { namespaceOption: "from-namespace" } as const;
const backup: ArgumentSpec = {
  name: "backup",
  summary: "backup/<name>, or config/<name> for its newest",
  completes: backupOrConfig,
};
const scheduled: ArgumentSpec = {
  name: "object",
  summary: "schedule/<name> or maintenance/<name>",
  completes: oneOf("schedule", "maintenance"),
};
const anyRepository: ArgumentSpec = {
  name: "repository",
  summary: "its name, clusterrepository/<name> or maintenance/<name>",
  completes: oneOf("repository", "clusterrepository", "maintenance"),
};
const anything = {
  references: ["backup", "restore", "config", "schedule", "repository", "clusterrepository", "maintenance"],
};
const question = {
  pvc: { summary: "which volume, where the backup has several", value: "claim", completes: ofClaim },
  "mover-image": { summary: "of the mover; default: as the repository's last runs had it", value: "image" },
} as const satisfies Readonly<Record<string, OptionSpec>>;
const ASKS =
  "A read-only mover is started beside the repository's Secret with your own rights (create Jobs, ConfigMaps and Secrets, exec into pods), and taken away again.";

const ofPvc: ArgumentSpec = {
  name: "pvc",
  summary: "only of this PVC; default: of all",
  optional: true,
  completes: ofClaim,
};
const naming = {
  value: "strategy",
  summary: "how the operator names its objects, as in plumber.namingStrategy; default: bare-dst",
  choices: ["bare-dst", "legacy-backup"],
} as const satisfies OptionSpec;

const adoption = {
  naming,
  "owner-gone": {
    summary:
      "nothing in Git renders the objects any more: also adopt those with marks of Argo CD, Flux or Helm",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "status",
    summary: "one screen: volumes, whether they are protected, their last good backup, what is wrong",
    options: { watch: { summary: "look again every two seconds, until Ctrl-C", short: "w" } },
    outputs: ["json", "yaml", "wide"],
    examples: [
      ["status", "the namespace of the context"],
      ["status -A -w", "all namespaces, again and again"],
    ],
    allNamespaces: true,
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "coverage",
    summary: "every volume: protected, by hand, exempt or not at all, and by what",
    details:
      "For audits and programs: every PersistentVolumeClaim counts once, whatever API protects it. status shows what needs a look now, which is why this is a command of its own. A PersistentVolumeClaim, or its namespace, with the annotation holdfast.dev/exempt (its value says why) needs no backup. Claims that hold a repository, or belong to a run, are not counted. Ends with 0 whatever it finds.",
    options: {
      inventory: {
        summary:
          "everything that has to be known before labels protect a volume: its workloads, the owner and the names of its objects, repository, identity, user, tier and mode",
      },
      naming,
    },
    outputs: ["json", "yaml"],
    examples: [
      ["coverage -A", "all namespaces"],
      ["coverage -A --inventory", "before a handover to labels"],
      ["coverage -A -o json", "for programs"],
    ],
    allNamespaces: true,
    load: async () => (await import("./commands/coverage.ts")).coverage,
  },
  {
    name: "list",
    summary: "the objects of one kind, the newest first",
    args: [
      {
        name: "kind",
        summary:
          "backups (the default), restores, configs, schedules, repositories, clusterrepositories, maintenances",
        optional: true,
        completes: "kinds",
      },
    ],
    options: {
      config: { summary: "only those of this BackupConfig", value: "name", completes: ofConfig },
    },
    outputs: [...objects, "wide"],
    examples: [["list backups --config documents", "what there is to restore from"]],
    allNamespaces: true,
    load: async () => (await import("./commands/list.ts")).list,
  },
  {
    name: "backup now",
    summary: "back up what a BackupConfig names, now, and follow it",
    args: [{ name: "config", summary: "the BackupConfig", completes: ofConfig }],
    options: {
      name: { summary: "of the Backup; default: one is made up", value: "name" },
      tag: { summary: "a tag of the snapshots, as name=value", value: "tag", many: true },
      "no-wait": noWait,
    },
    outputs: objects,
    examples: [["backup now documents --tag why=before-upgrade", "one more, with a tag to find it by"]],
    load: async () => (await import("./commands/backup_now.ts")).backupNow,
  },
  {
    name: "restore",
    summary: "bring data back: the plan is shown, and nothing happens before it is confirmed",
    args: [
      {
        name: "source",
        summary:
          "backup/<name>, config/<name> (its newest), or username@hostname:/path; with --undo: restore/<name>",
        optional: true,
        completes: { ...backupOrConfig, ...whereSource },
      },
    ],
    options: {
      to: { summary: "a new claim of this name", value: "claim" },
      into: { summary: "this claim, in place", value: "claim", completes: ofClaim },
      all: {
        summary:
          "every volume of the namespace that a BackupConfig backs up: in place, or in a new claim where it is gone",
      },
      "for-claims": { summary: "claims that name the Restore as their dataSourceRef" },
      capacity: {
        summary: "of a new claim; default: as its source has it, or had it when it was backed up",
        value: "size",
      },
      "storage-class": {
        summary: "of a new claim; default: the cluster's",
        value: "class",
        completes: { names: "storageclass" },
      },
      "access-mode": {
        summary: "of a new claim; default: ReadWriteOnce",
        value: "mode",
        choices: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
      },
      "backup-first": {
        summary:
          "with --into: back the claim up before anything is overwritten; the default where a BackupConfig does",
      },
      "no-backup-first": { summary: "with --into: overwrite without such a backup" },
      undo: {
        summary: "go back to the backup from before the last restore into a claim, or the one that is named",
      },
      "scale-down": { summary: "with --into: scale down what uses the claim, and bring it back after" },
      "as-of": {
        summary: "the newest snapshot at or before this time, such as '2h ago' or 2026-05-24T03:00:00Z",
        value: "time",
      },
      offset: { summary: "so many snapshots before the newest", value: "count" },
      snapshot: { summary: "of an identity: the engine's ID of the snapshot", value: "id" },
      pvc: { ...question.pvc, completes: { ...ofClaim, ...whereSource } },
      path: { summary: "only this file or folder, to the place where it was", value: "path" },
      "to-path": { summary: "the folder of the volume that gets it; / is its root", value: "path" },
      existing: {
        summary: "what becomes of files that are there; default: Overwrite",
        value: "rule",
        choices: ["Refuse", "Overwrite", "OverwriteChanged", "Keep"],
      },
      "delete-extra": {
        summary: "delete files that the snapshot does not hold; with --path: in that folder alone",
      },
      "confirm-deletion": {
        summary: "with --delete-extra: confirms that most of this claim's files are deleted",
        value: "claim",
        completes: ofClaim,
      },
      ownership: {
        summary: "how owners are treated",
        value: "rule",
        choices: ["Exact", "BestEffort", "Skip"],
      },
      privileged: { summary: "as root, for files of several owners; the namespace must consent" },
      repository: {
        summary: "of an identity: repository/<name> or clusterrepository/<name>",
        value: "repository",
        completes: { ...oneOf("repository", "clusterrepository"), ...whereSource },
      },
      "from-namespace": {
        summary: "where the source is; default: this namespace",
        value: "name",
        completes: { names: "namespace" },
      },
      name: { summary: "of the Restore; default: one is made up", value: "name" },
      yes,
      "dry-run": { summary: "show the plan alone; with -o yaml, the Restore to apply" },
      "no-wait": noWait,
    },
    outputs: objects,
    examples: [
      ["restore config/documents --to documents-copy", "the newest backup, in a new claim"],
      ["restore backup/documents-first --into documents --existing Overwrite --scale-down", "in place"],
      ["restore --undo", "as it was before the last restore in place"],
      ["restore --all --as-of 2h", "all volumes of the namespace, as they were two hours ago"],
      [
        "restore config/documents --to old --as-of 2026-05-24T03:00:00Z --dry-run -o yaml",
        "only the manifest",
      ],
    ],
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "drill",
    summary: "prove that a BackupConfig's newest backup can be restored: restore, compare, delete",
    details:
      "Each volume is restored into a new PVC, what came back is compared with what its snapshot holds, and the PVC is deleted again, also after Ctrl-C. No volume of yours is written. Ends with 1 when a backup would not bring its volume back.",
    args: [{ name: "config", summary: "config/<name>, or its name", completes: oneOf("config") }],
    options: {
      pvc: {
        summary: "only this volume, by its claim or its recorded path",
        value: "claim",
        completes: ofClaim,
      },
      "as-of": { summary: "the newest snapshot at or before this time", value: "time" },
      capacity: { summary: "of the new PVC; default: as its source has it", value: "size" },
      "storage-class": {
        summary: "of the new PVC; default: the cluster's",
        value: "class",
        completes: { names: "storageclass" },
      },
      privileged: { summary: "as root, for files of several owners; the namespace must consent" },
      keep: { summary: "leave the PVC and the Restore there, to look at them" },
    },
    examples: [["drill config/documents", "every volume of it"]],
    load: async () => (await import("./commands/drill.ts")).drill,
  },
  {
    name: "logs",
    summary: "what the mover of an object says, or said last",
    args: [{ name: "object", summary: "such as backup/<name> or restore/<name>", completes: anything }],
    options: {
      follow: { summary: "stay until it ends, through all attempts; ends with 1 when it failed", short: "f" },
      raw: { summary: "the mover's own lines of JSON" },
    },
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  {
    name: "cancel",
    summary: "end a run",
    args: [
      {
        name: "object",
        summary: "backup/<name>, restore/<name> or maintenance/<name>",
        completes: oneOf("backup", "restore", "maintenance"),
      },
    ],
    outputs: objects,
    load: async () => (await import("./commands/cancel.ts")).cancel,
  },
  {
    name: "retry",
    summary: "try again now what failed, or waits for its next attempt",
    args: [
      {
        name: "object",
        summary: "backup/<name>, restore/<name>, repository/<name> or maintenance/<name>",
        completes: oneOf("backup", "restore", "repository", "clusterrepository", "maintenance"),
      },
    ],
    outputs: objects,
    examples: [["retry restore/documents", "after the repository is back"]],
    load: async () => (await import("./commands/retry.ts")).retry,
  },
  {
    name: "hold",
    summary: "keep a Backup, whatever retention says and whoever deletes it",
    args: [{ name: "backup", summary: "its name", completes: oneOf("backup") }],
    outputs: objects,
    load: async () => (await import("./commands/hold.ts")).hold,
  },
  {
    name: "unhold",
    summary: "let a Backup go again",
    args: [{ name: "backup", summary: "its name", completes: oneOf("backup") }],
    outputs: objects,
    load: async () => (await import("./commands/hold.ts")).unhold,
  },
  {
    name: "acknowledge",
    summary:
      "say that what an object waits for is meant: held deletions, a smaller source, missing snapshots, a volume that a restore left half written",
    details: "Shows what it waits for and what happens then, and asks first.",
    args: [
      {
        name: "object",
        summary: "repository/<name>, config/<name>, maintenance/<name> or restore/<name>",
        completes: oneOf("repository", "clusterrepository", "config", "maintenance", "restore"),
      },
    ],
    options: {
      "confirm-pruning": {
        summary: "of a smaller source: confirms that retention deletes Backups of this BackupConfig",
        value: "config",
        completes: { names: "config" },
      },
      yes,
    },
    outputs: objects,
    load: async () => (await import("./commands/acknowledge.ts")).acknowledge,
  },
  {
    name: "delete",
    summary: "delete a Backup with its snapshots, or a Restore: it says what goes, and asks first",
    args: [
      { name: "object", summary: "backup/<name> or restore/<name>", completes: oneOf("backup", "restore") },
    ],
    options: {
      "keep-snapshots": { summary: "of a Backup: its snapshots stay in the repository" },
      "confirm-half-written": {
        summary: "of a Restore that has not completed: confirms that this claim stays half written",
        value: "claim",
        completes: ofClaim,
      },
      yes,
    },
    load: async () => (await import("./commands/delete.ts")).deleteObject,
  },
  {
    name: "suspend",
    summary: "let a schedule begin no more runs",
    args: [scheduled],
    outputs: objects,
    load: async () => (await import("./commands/suspend.ts")).suspend,
  },
  {
    name: "resume",
    summary: "let a schedule begin runs again",
    args: [scheduled],
    outputs: objects,
    load: async () => (await import("./commands/suspend.ts")).resume,
  },
  {
    name: "maintenance run",
    summary: "maintain a repository now",
    details:
      "full-immediate gives space back at once, which can destroy what another cluster writes meanwhile: it asks first.",
    args: [anyRepository],
    options: {
      mode: {
        summary: "how thoroughly; default: quick",
        value: "mode",
        choices: ["quick", "full", "full-immediate"],
      },
      yes,
      "no-wait": noWait,
    },
    outputs: objects,
    load: async () => (await import("./commands/maintenance_run.ts")).maintenanceRun,
  },
  {
    name: "verify",
    summary: "check a repository now, or read one Backup as a whole",
    details:
      "Says what was looked at. A check reads as much of the stored data as the Maintenance's spec.check.dataPercent says, by default none: damaged data is found only by reading it.",
    args: [
      {
        name: "repository",
        summary: "its name, clusterrepository/<name> or maintenance/<name>; or backup/<name>",
        completes: oneOf("repository", "clusterrepository", "maintenance", "backup"),
      },
    ],
    options: {
      "data-percent": { summary: "how much of the stored data is read, 0 to 100", value: "percent" },
      "no-wait": noWait,
    },
    examples: [
      ["verify repository --data-percent 10", "the structure, and a tenth of the data"],
      ["verify backup/documents-first", "every file of one Backup"],
    ],
    outputs: objects,
    load: async () => (await import("./commands/verify.ts")).verify,
  },
  {
    name: "ls",
    summary: "what a folder of a backup holds",
    details: ASKS,
    args: [backup, { name: "path", summary: "the folder; default: all", optional: true }],
    options: question,
    outputs: objects,
    load: async () => (await import("./commands/ls.ts")).ls,
  },
  {
    name: "cat",
    summary: "the content of a file in a backup",
    details: ASKS,
    args: [backup, { name: "path", summary: "the file" }],
    options: question,
    load: async () => (await import("./commands/cat.ts")).cat,
  },
  {
    name: "download",
    summary: "fetch a file or folder of a backup onto this machine",
    details: `${ASKS} Owners and links are not fetched: restore brings them back.`,
    args: [backup, { name: "path", summary: "the file or folder; / is everything" }],
    options: {
      to: {
        summary: "where it is put; default: here, under its own name",
        value: "path",
        completes: "files",
      },
      force: { summary: "replace files that are there" },
      ...question,
    },
    load: async () => (await import("./commands/download.ts")).download,
  },
  {
    name: "find",
    summary: "a name, across all backups of a BackupConfig",
    details: ASKS,
    args: [
      { name: "config", summary: "the BackupConfig", completes: ofConfig },
      { name: "name", summary: "of a file or folder; * and ? stand for any characters" },
    ],
    options: { "mover-image": question["mover-image"] },
    outputs: ["json", "yaml"],
    examples: [["find documents '*.txt'", "every form of every text, and which backups hold it"]],
    load: async () => (await import("./commands/find.ts")).find,
  },
  {
    name: "diff",
    summary: "what is different between two backups",
    details: ASKS,
    args: [
      { ...backup, name: "older" },
      { name: "newer", summary: "backup/<name>, or config/<name> for its newest", completes: backupOrConfig },
      { name: "path", summary: "only below this folder", optional: true },
    ],
    options: question,
    outputs: ["json", "yaml"],
    load: async () => (await import("./commands/diff.ts")).diff,
  },
  {
    name: "browse",
    summary: "walk about in a backup, on a terminal",
    details: ASKS,
    args: [backup],
    options: question,
    load: async () => (await import("./commands/browse.ts")).browse,
  },
  {
    name: "describe",
    summary: "what an object asks for and what came of it, field by field",
    args: [
      {
        name: "object",
        summary: "kind/name; a name alone is a Backup's",
        completes: { references: "all", usual: "backup" },
      },
    ],
    outputs: objects,
    examples: [["describe backup/documents-first", "what it holds, from where, how large"]],
    load: async () => (await import("./commands/describe.ts")).describe,
  },
  {
    name: "explain",
    summary: "why an object is in its state, in sentences",
    args: [
      {
        name: "object",
        summary: "such as backup/<name>, repository/<name>, schedule/<name>; a name alone is a Backup's",
        completes: { references: "all", usual: "backup" },
      },
    ],
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  {
    name: "doctor",
    summary: "look for what is in the way: rights, CRDs, webhooks, leases, clocks, storage, stuck objects",
    details: "Ends with 1 when something is broken.",
    outputs: ["json", "yaml"],
    allNamespaces: true,
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "console",
    summary: "a page that shows all of this, and does it, in a browser on this machine",
    details:
      "It works with your own rights, and for this machine alone. The address that it prints opens it once; then it prints another one. Ctrl-C ends it.",
    options: {
      port: { summary: "where it listens; default: a free one", value: "port" },
      "no-open": { summary: "only print the address" },
    },
    examples: [["console", "opens the browser"]],
    load: async () => (await import("./commands/console.ts")).console,
  },
  {
    name: "migrate volsync",
    summary: "translate ReplicationSources and ReplicationDestinations, and account for every field",
    details:
      "From files (which may hold the repository's Secret too), or from the cluster. The manifests are printed; nothing is written without --apply, which needs every source that runs by itself to be paused, and only prints Restores that would write at once. Repositories are adopted where they are.",
    args: [
      {
        name: "file",
        summary: "YAML; without any, the cluster is looked at",
        optional: true,
        many: true,
        completes: "files",
      },
    ],
    options: {
      apply: { summary: "apply the manifests to the cluster" },
      "deletion-policy": {
        value: "policy",
        summary: "what deleting a Backup does to its snapshots; the default is Retain, as with VolSync",
        choices: ["Retain", "Delete", "Orphan"],
      },
    },
    outputs: ["json"],
    examples: [
      ["migrate volsync backups.yaml > holdfast.yaml", "offline; the report goes to the terminal"],
      ["migrate volsync -n media --apply", "live"],
    ],
    allNamespaces: true,
    load: async () => (await import("./commands/migrate_volsync.ts")).migrateVolsync,
  },
  {
    name: "adopt plan",
    summary: "say which objects of labelled PVCs the operator could take over, and what is in the way",
    details:
      "For the API plumber: ReplicationSources and ReplicationDestinations, BackupConfigs, BackupSchedules and Restores that another tool left behind. Nothing is written.",
    args: [ofPvc],
    options: adoption,
    outputs: ["json", "yaml"],
    examples: [["adopt plan -A", "all namespaces"]],
    allNamespaces: true,
    load: async () => (await import("./commands/adopt.ts")).adoptPlan,
  },
  {
    name: "adopt apply",
    summary: "hand the objects of labelled PVCs over to the operator: it shows the plan, and asks first",
    details:
      "The operator then corrects these objects, and removes them some time after their PVC. Objects that Argo CD, Flux or Helm deploy stay theirs until you remove them from Git.",
    args: [ofPvc],
    options: { ...adoption, yes },
    examples: [["adopt apply library -n media", "the objects of one PVC"]],
    allNamespaces: true,
    load: async () => (await import("./commands/adopt.ts")).adoptApply,
  },
  {
    name: "adopt undo",
    summary: "give adopted objects back as they were: it says which, and asks first",
    args: [ofPvc],
    options: { yes },
    allNamespaces: true,
    load: async () => (await import("./commands/adopt.ts")).adoptUndo,
  },
  {
    name: "completion",
    summary: "a script that completes commands, options and names of objects in a shell",
    args: [{ name: "shell", summary: "which", choices: ["bash", "zsh", "fish"] }],
    examples: [["completion bash > /etc/bash_completion.d/holdfast", "for all bash users of a machine"]],
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  {
    name: "version",
    summary: "the version of this program; also as --version",
    load: async () => (await import("./commands/version.ts")).version,
  },
];

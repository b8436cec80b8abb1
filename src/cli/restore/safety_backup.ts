import { SAFETY_TAG } from "../../core/catalog/passed_over.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import type { Draft } from "../../kube/object.ts";
import { objectName } from "../../lib/names.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import type { Given } from "../frame/given.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";

/** Whether a backup of the target is made before anything in it is overwritten. */
export type SafetyPlan =
  | { readonly type: "Made"; readonly config: string }
  /** Somebody said that it is not wanted. */
  | { readonly type: "Skipped" }
  /** No BackupConfig backs the target up. */
  | { readonly type: "Impossible" };

/** What is asked for: a backup first, wherever one can be made, unless somebody says otherwise. `claim`: namespace/name. */
export function safetyPlan(given: Given, configs: readonly BackupConfig[], claim: string): SafetyPlan {
  if (given.flag("no-backup-first")) return { type: "Skipped" };
  const own = configs.filter((one) => backsUp(one, claim));
  const config = own.find(({ status }) => status?.phase === "Ready");
  if (config) return { type: "Made", config: config.metadata.name };
  const [stuck] = own;
  if (stuck)
    throw misuse(
      `BackupConfig ${stuck.metadata.name} backs up ${claim}, and cannot run now, so that no backup of it can be made first`,
      `See why with holdfast explain config/${stuck.metadata.name}, or restore without that backup: --no-backup-first.`,
    );
  if (given.flag("backup-first"))
    throw misuse(
      `no BackupConfig backs up ${claim}, so that no backup of it can be made first`,
      "Create a BackupConfig for it, or leave --backup-first out.",
    );
  return { type: "Impossible" };
}

function backsUp({ status, metadata }: BackupConfig, claim: string): boolean {
  const sources = status?.resolved?.identity?.sources ?? [];
  return metadata.deletionTimestamp === undefined && sources.some(({ pvc }) => pvc === claim);
}

/**
 * How the plan tells it. The backup may need what it is quiesced by, or runs as: the workload is scaled down only after
 * it, where that is to be.
 */
export function safetyLines(
  plan: SafetyPlan | undefined,
  claim: string,
  scalesDown = false,
): readonly string[] {
  switch (plan?.type) {
    case "Made":
      return [
        `  first a backup of ${claim} is made, by config ${plan.config}; holdfast restore --undo goes back to it`,
        ...(scalesDown
          ? [
              `  NOTE  the workload of ${claim} runs until that backup is made: what it writes from then until it is scaled down is in no backup. To keep that, too, stop it yourself before you go on`,
            ]
          : []),
      ];
    case "Skipped":
      return [`  first NO backup of ${claim} is made: what is overwritten cannot be brought back by --undo`];
    case "Impossible":
      return [`  first NO backup of ${claim} is made: no BackupConfig backs it up`];
    case undefined:
      return [];
  }
}

/** Makes that backup, and waits for it. Throws a CommandProblem where it fails: nothing is overwritten then. */
export async function makeSafetyBackup(
  call: Call,
  { client }: Cluster,
  {
    namespace,
    config,
    restore,
  }: { readonly namespace: string; readonly config: string; readonly restore: string },
): Promise<string> {
  const { signal, clock, progress } = call;
  const name = objectName(`before-${restore}`, stamp(call));
  const spec = { configRef: { name: config }, tags: { [SAFETY_TAG]: restore } };
  await client.create(backupResource, { metadata: { namespace, name }, spec }, { signal });
  progress.line(`backup/${name} is made first`);
  const show = showProgress<Backup>(call, ({ status }) => status?.progress);
  const look = (backup: Backup) => {
    show(backup);
    return ["Succeeded", "Failed"].includes(backup.status?.phase ?? "");
  };
  const ended = await follow(backupResource, { namespace, name }, { client, clock, signal, look });
  if (ended.status?.phase === "Succeeded") {
    refuseIncomplete(ended);
    return name;
  }
  const { message, why } = failureOf(ended);
  throw new CommandProblem("the backup before the restore failed, and nothing was restored", {
    why: why ?? message,
    fix: "Put right what it reports, or restore without it: --no-backup-first.",
  });
}

/** What such a backup lacks could not be brought back. Throws a CommandProblem. */
export function refuseIncomplete({ metadata, status }: Backup): void {
  const { incomplete } = status?.snapshots?.find((one) => one.incomplete !== undefined) ?? {};
  if (incomplete === undefined) return;
  throw new CommandProblem(
    "the backup before the restore does not hold the whole volume, and nothing was restored",
    {
      why: `Backup ${metadata.name}: ${incomplete}.`,
      fix: "Let its mover read everything, or restore without it: --no-backup-first.",
    },
  );
}

/** The Restore, with the backup that its undoing goes back to. */
export function withSafetyBackup(draft: Draft<Restore>, backup: string): Draft<Restore> {
  const annotations = { ...draft.metadata.annotations, [ANNOTATIONS.safetyBackup]: backup };
  return { ...draft, metadata: { ...draft.metadata, annotations } };
}

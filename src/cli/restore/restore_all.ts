import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import { messageOf } from "../../lib/result.ts";
import { countText } from "../count_text.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import type { Given } from "../frame/given.ts";
import { momentIn } from "../frame/moment.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { type AllVolumes, allVolumes, type BackedUpVolume } from "./all_volumes.ts";
import { endedRestore, madeRestore } from "./carried_restore.ts";
import { type PlannedRestore, plannedRestore } from "./planned_restore.ts";
import { refuseBusy } from "./refuse_in_use.ts";
import { outcomeLines } from "./restore_outcome.ts";
import { doubtOfDeletion, planLines } from "./restore_plan.ts";

/** Options that are about one volume. */
const OF_ONE = [
  ...["to", "into", "for-claims", "undo", "name", "pvc", "path", "to-path", "snapshot", "offset"],
  ...["repository", "from-namespace", "capacity", "confirm-deletion"],
];
/** Options that a new claim has no use for. */
const IN_PLACE = ["scale-down", "existing", "delete-extra", "backup-first", "no-backup-first"];
/** Options that a claim that is there has no use for. */
const OF_NEW = ["storage-class", "access-mode"];

/**
 * Every volume of a namespace as it was: in place where its claim is there, in a new claim of the same name where it is
 * gone. All plans are shown before anything is asked, and one that fails does not stop the others.
 */
export async function restoreAll(call: Call): Promise<ExitCode> {
  const { given, out, progress } = call;
  refuseForAll(given);
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { volumes, without } = await volumesIn(call, cluster, namespace);
  const plans: PlannedRestore[] = [];
  for (const one of await linesFor(call, cluster, { namespace, volumes })) {
    plans.push(await plannedRestore(one));
    if (!given.flag("dry-run")) await refuseBusy(one, cluster);
  }
  const tell = given.flag("dry-run") ? out : (line: string) => progress.line(line);
  for (const line of plans.flatMap(({ facts }) => planLines(facts))) tell(line);
  for (const claim of without) tell(`LEFT OUT  ${claim}: there is no Backup of it that could be restored`);
  if (given.flag("dry-run")) return EXIT.done;
  refuseDoubts(plans);
  await confirmed(call, "Add --yes when the plans are right, or --dry-run to see them alone.");
  return carriedOut(call, cluster, plans);
}

/** Throws a CommandProblem on an option that cannot hold for all volumes. */
export function refuseForAll(given: Given): void {
  if (given.words.length > 0)
    throw misuse("--all restores every volume", `Leave ${given.words[0]} out, or leave --all out.`);
  const option = OF_ONE.find((one) => given.flag(one) || given.text(one) !== undefined);
  if (option !== undefined)
    throw misuse(`--${option} is about one volume`, "Leave it out, or restore that volume without --all.");
}

async function volumesIn(
  { given, clock, signal }: Call,
  { client }: Cluster,
  namespace: string,
): Promise<AllVolumes> {
  const options = { namespace, signal, omitManagedFields: true };
  const [configs, backups] = await Promise.all([
    client.list(backupConfigResource, options),
    client.list(backupResource, options),
  ]);
  const now = clock.now();
  const moment = given.text("as-of");
  const asOf = moment === undefined ? undefined : momentIn("as-of", moment, now);
  const found = allVolumes({ namespace, configs: configs.items, backups: backups.items, asOf, now });
  if (found.volumes.length > 0) return found;
  const before = asOf === undefined ? "" : ` from before ${asOf}`;
  throw new CommandProblem(`there is nothing to restore in namespace ${namespace}`, {
    why:
      found.without.length > 0
        ? `There is no Backup of ${found.without.join(", ")}${before}.`
        : "No BackupConfig in it has a volume.",
    fix: "holdfast list backups shows what there is. After the loss of a cluster, apply its Repository and BackupConfigs first.",
    code: EXIT.notFound,
  });
}

/** The command line of each volume alone. */
async function linesFor(
  call: Call,
  { client }: Cluster,
  { namespace, volumes }: { readonly namespace: string; readonly volumes: readonly BackedUpVolume[] },
): Promise<readonly Call[]> {
  const { items } = await client.list(PersistentVolumeClaims, { namespace, signal: call.signal });
  const there = new Set(items.map(({ metadata }) => metadata.name));
  return volumes.map((volume) => ({ ...call, given: lineFor(call.given, volume, there.has(volume.claim)) }));
}

/** The same command line for one volume: in place, or in a new claim where there is none of its name. */
export function lineFor(given: Given, { claim, config }: BackedUpVolume, isThere: boolean): Given {
  const unused = Object.fromEntries((isThere ? OF_NEW : IN_PLACE).map((option) => [option, false]));
  return given.with([`config/${config}`], { ...unused, pvc: claim, [isThere ? "into" : "to"]: claim });
}

/** What deletes most of a volume is confirmed by the volume's name: one by one. */
function refuseDoubts(plans: readonly PlannedRestore[]): void {
  const doubted = plans.find(({ facts }) => doubtOfDeletion(facts) !== undefined);
  if (!doubted) return;
  const claim = doubted.facts.restore.spec.target?.pvcRef?.name;
  throw misuse(
    `--delete-extra would delete more of ${claim} than it should: ${doubtOfDeletion(doubted.facts)}`,
    `Leave --delete-extra out, or restore ${claim} without --all, and confirm that.`,
  );
}

/** Everything begins before anything is waited for: restores of several volumes go on side by side. */
async function carriedOut(call: Call, cluster: Cluster, plans: readonly PlannedRestore[]): Promise<ExitCode> {
  const { given, out, progress, signal } = call;
  const failed: string[] = [];
  const begun: PlannedRestore[] = [];
  const tried = async (plan: PlannedRestore, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) throw error;
      failed.push(plan.name);
      const why = error instanceof CommandProblem && error.why ? `: ${error.why}` : "";
      progress.line(`restore/${plan.name}: ${messageOf(error)}${why}`);
    }
  };
  for (const plan of plans)
    await tried(plan, async () => {
      await madeRestore(call, cluster, plan);
      begun.push(plan);
    });
  for (const plan of given.flag("no-wait") ? [] : begun)
    await tried(plan, async () => {
      for (const line of outcomeLines(await endedRestore(call, cluster, plan))) out(line);
    });
  const done = plans.length - failed.length;
  const end = given.flag("no-wait") ? "begun" : "done";
  out(`${done} of ${countText(plans.length, "restore")} ${done === 1 ? "is" : "are"} ${end}`);
  if (failed.length === 0) return EXIT.done;
  throw new CommandProblem(`${countText(failed.length, "volume")} could not be restored`, {
    why: `These failed: ${failed.map((name) => `restore/${name}`).join(", ")}.`,
    fix: "holdfast explain restore/<name> tells more. Mend that, and restore these volumes again.",
  });
}

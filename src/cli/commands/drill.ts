import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import { objectName } from "../../lib/names.ts";
import { messageOf } from "../../lib/result.ts";
import { countText } from "../count_text.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { stamp } from "../frame/stamp.ts";
import { endedRestore, madeRestore } from "../restore/carried_restore.ts";
import { drillOutcome } from "../restore/drill_outcome.ts";
import { plannedRestore } from "../restore/planned_restore.ts";
import { isNamed, recipeNamed, sourcesOf } from "../restore/recipe_backups.ts";
import { refuseUnknown } from "../restore/refuse_unknown.ts";
import { planLines } from "../restore/restore_plan.ts";

/** Restores each volume of a BackupConfig into a PVC of its own, compares it with its snapshot, and deletes the PVC. */
export async function drill(call: Call): Promise<ExitCode> {
  const { given, out, progress } = call;
  const { name: config } = referenceOf(given.word(0), { kinds: ["config"], usual: "config" });
  const cluster = await call.cluster();
  const volumes = await volumesOf(call, cluster, config);
  const failed: string[] = [];
  for (const volume of volumes) {
    const problem = await drillOf(call, cluster, { config, volume }).catch((error: unknown) => {
      if (call.signal.aborted || volumes.length === 1) throw error;
      progress.line(`${volume}: ${messageOf(error)}`);
      return messageOf(error);
    });
    if (problem !== undefined) failed.push(`${volume}: ${problem}`);
  }
  if (failed.length > 0)
    throw new CommandProblem(`the drill failed for ${countText(failed.length, "volume")}`, {
      why: failed.join("; "),
      fix: `Back up once more, and drill again; holdfast explain config/${config} tells how it stands.`,
    });
  if (volumes.length > 1) out(`the drill of all ${volumes.length} volumes passed`);
  return EXIT.done;
}

/** The volumes of a BackupConfig, or the one that is named. */
async function volumesOf(call: Call, cluster: Cluster, config: string): Promise<readonly string[]> {
  const { given, signal } = call;
  const namespace = namespaceOf(call, cluster);
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name: config }, signal);
  await refuseUnknown(cluster, { recipe, backups }, signal);
  const all = sourcesOf(recipe.resolved);
  const wanted = all.filter((source) => isNamed(source, given.text("pvc"))).map(({ pvc }) => pvc);
  if (wanted.length > 0) return wanted;
  throw new CommandProblem(`BackupConfig ${config} has no ${all.length > 0 ? "such " : ""}volume`, {
    why: all.length > 0 ? `It has ${all.map(({ pvc }) => pvc).join(", ")}.` : undefined,
    fix: all.length > 0 ? "Name one of these with --pvc." : `holdfast explain config/${config} tells why.`,
    code: EXIT.notFound,
  });
}

/** Drills one volume, and returns why its backup would not bring it back. */
async function drillOf(
  call: Call,
  cluster: Cluster,
  { config, volume }: { readonly config: string; readonly volume: string },
): Promise<string | undefined> {
  const { given, out, progress, clock } = call;
  const to = objectName("drill", volume.split("/")[1] ?? volume, stamp(call));
  const line = given.with([`config/${config}`], { pvc: volume, to, name: to });
  const planned = await plannedRestore({ ...call, given: line });
  for (const text of planLines(planned.facts)) progress.line(text);
  try {
    await madeRestore(call, cluster, planned);
    const ended = await endedRestore(call, cluster, planned);
    const { problem, lines } = drillOutcome(ended, {
      volume,
      backup: planned.facts.backup,
      now: clock.now(),
    });
    for (const text of lines) out(text);
    if (given.flag("keep")) out(`  kept: PVC ${to} and restore/${to}; delete them when you have looked`);
    return problem;
  } catch (error) {
    if (!call.signal.aborted || given.flag("keep")) throw error;
    const why = `The command deletes restore/${to} and its PVC.`;
    throw new CommandProblem("you stopped the drill", { why, code: EXIT.interrupted, cause: error });
  } finally {
    if (!given.flag("keep")) await takeAway(cluster, planned);
  }
}

/** Also after Ctrl-C. The Restore goes first, so that it does not create its PVC again. */
async function takeAway(
  { client }: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  await client.delete(restoreResource, { namespace, name });
  await client.delete(PersistentVolumeClaims, { namespace, name });
}

import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { confirmedByName } from "../frame/confirmed_by_name.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printed } from "../frame/printed.ts";
import { misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { endedRestore, madeRestore } from "../restore/carried_restore.ts";
import { plannedRestore } from "../restore/planned_restore.ts";
import { refuseBusy } from "../restore/refuse_in_use.ts";
import { restoreAll } from "../restore/restore_all.ts";
import { outcomeLines } from "../restore/restore_outcome.ts";
import { doubtOfDeletion, planLines } from "../restore/restore_plan.ts";
import { undone } from "../restore/undone.ts";

/** Shows what would be restored where, asks, and does it. */
export async function restore(asked: Call): Promise<ExitCode> {
  if (asked.given.flag("all")) return restoreAll(asked);
  const call = asked.given.flag("undo") ? await undoing(asked) : asked;
  const { given, out, progress } = call;
  if (given.words.length === 0)
    throw misuse(
      "what to restore must be said",
      "Name backup/<name> or config/<name>; everything of a namespace with --all; or undo the last restore in place with --undo.",
    );
  const planned = await plannedRestore(call);
  const { name, facts } = planned;
  if (given.flag("dry-run") && (await printed(call, manifest(facts.restore)))) return EXIT.done;
  const plan = planLines(facts);
  if (given.flag("dry-run")) {
    for (const line of plan) out(line);
    return EXIT.done;
  }
  for (const line of plan) progress.line(line);
  const cluster = await call.cluster();
  await refuseBusy(call, cluster);
  const [deletion, into] = [doubtOfDeletion(facts), given.text("into")];
  if (deletion !== undefined && into !== undefined)
    await confirmedByName(call, { option: "confirm-deletion", name: into, why: deletion });
  await confirmed(call, "Add --yes when the plan is right, or --dry-run to see it alone.");
  const made = await madeRestore(call, cluster, planned);
  if (given.flag("no-wait") || !made.spec.target) {
    if (!(await printed(call, made))) out(`restore/${name} is made`);
    return EXIT.done;
  }
  const ended = await endedRestore(call, cluster, planned);
  if (!(await printed(call, ended))) for (const line of outcomeLines(ended)) out(line);
  return EXIT.done;
}

/** The command that goes back to how a volume was before a restore. */
async function undoing(call: Call): Promise<Call> {
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { items } = await cluster.client.list(restoreResource, { namespace, signal: call.signal });
  const { given, notes } = undone(call.given, items);
  for (const note of notes) call.progress.line(note);
  return { ...call, given };
}

/** What a person would put into a file. */
function manifest({ apiVersion, kind, metadata, spec }: Restore): Restore {
  const { namespace, name } = metadata;
  return { apiVersion, kind, metadata: { namespace, name }, spec } as Restore;
}

import { CONDITIONS } from "../../core/reconcile/condition_types.ts";
import { conditionOf } from "../../core/view/shown_object.ts";
import { durationText } from "../../core/view/times_text.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { filesText } from "../files_text.ts";
import { CommandProblem } from "../frame/problem.ts";

/** Reasons of the condition Restored that the other lines tell in full. */
const TOLD = ["Complete", "WithLosses"];

/** What came back, and what did not. */
export function outcomeLines(restore: Restore): readonly string[] {
  const { metadata, spec, status } = restore;
  const { progress, timing, losses = [], resolved, incomplete } = status ?? {};
  if (resolved?.noSnapshot) {
    const end = spec.target?.pvcRef ? "is left as it is" : "is empty";
    return [`restore/${metadata.name} is done: the repository holds no such snapshot, and the volume ${end}`];
  }
  const parts = [
    ...(progress?.bytesRestored === undefined ? [] : [bytesText(progress.bytesRestored)]),
    ...(progress?.filesRestored === undefined ? [] : [filesText(progress.filesRestored)]),
    ...(timing?.durationSeconds === undefined ? [] : [`in ${durationText(timing.durationSeconds * 1000)}`]),
  ];
  const restored = conditionOf(restore, CONDITIONS.restored);
  return [
    `restore/${metadata.name} is done${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`,
    ...losses.map(({ kind, count, reason }) => `  not brought back: ${count} × ${kind}: ${reason}`),
    ...(restored && !TOLD.includes(restored.reason) ? [`  ${restored.message}`] : []),
    // The condition has one reason, and losses come first.
    ...(incomplete && restored?.reason === "WithLosses"
      ? [`  the snapshot does not hold the whole source: ${incomplete}`]
      : []),
  ];
}

/** What is told of a Restore that has ended, where the volume may hold something else than what was restored. */
export function doubtOf(restore: Restore): CommandProblem | undefined {
  const used = conditionOf(restore, CONDITIONS.volumeModifiedDuringRestore);
  if (used?.status !== "True") return undefined;
  const { name, namespace } = restore.metadata;
  return new CommandProblem(`restore/${name} is done, and its data is in doubt`, {
    why: used.message,
    fix: `Restore once more when nothing uses the volume. holdfast explain restore/${name} -n ${namespace} shows more.`,
  });
}

import { isWriting } from "../../core/restore/restore_stage.ts";
import { isIncomplete } from "../../core/restore/target_incomplete.ts";
import { agoText } from "../../core/view/times_text.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Patch } from "../../kube/client.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { confirmedByName, type NamedConfirmation } from "../frame/confirmed_by_name.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";

/** Deletes a Backup or a Restore, after it was said what goes with it. */
export async function deleteObject(call: Call): Promise<ExitCode> {
  const { given, signal, out, progress, clock } = call;
  const { resource, name } = referenceOf(given.word(0), { kinds: ["backup", "restore"], usual: "backup" });
  const { client, namespace: usual } = await call.cluster();
  const where = { namespace: namespaceOf(call, { namespace: usual }), name };
  const keep = given.flag("keep-snapshots");
  if (resource.kind === restoreResource.kind) {
    if (keep) throw misuse("--keep-snapshots is for Backups", "A Restore holds no snapshots: leave it out.");
    const restore = await client.get(restoreResource, where, { signal });
    for (const line of restoreDeletionPlan(restore)) progress.line(line);
    const confirmation = halfWrittenConfirmation(restore);
    if (confirmation) await confirmedByName(call, confirmation);
  } else {
    const backup = await client.get(backupResource, where, { signal });
    refuseHeld(backup);
    for (const line of deletionPlan(backup, keep, clock.now())) progress.line(line);
  }
  await confirmed(call, "Add --yes when this is meant.");
  if (keep) {
    const patch = { type: "merge", patch: { spec: { deletionPolicy: "Retain" } } } as Patch<Backup>;
    await client.patch(backupResource, where, patch, { signal, fieldManager: "holdfast-cli" });
  }
  const onWarning = (text: string) => progress.line(`warning: ${text}`);
  await client.delete(resource, where, { signal, onWarning });
  out(`${resource.kind.toLowerCase()}/${name} is being deleted`);
  return EXIT.done;
}

/** What becomes of the volume that a Restore wrote. */
export function restoreDeletionPlan(restore: Restore): readonly string[] {
  const { metadata, spec, status } = restore;
  const claim = spec.target?.pvcRef?.name;
  if (claim === undefined || !leavesHalfWritten(restore))
    return [`Restore ${metadata.name} is deleted. The PVC that it wrote, and its data, stay.`];
  const down = (status?.scaledWorkloads ?? []).map((one) => `${one.kind} ${one.name}`);
  return [
    `Restore ${metadata.name} is deleted. It began to write into PVC ${claim} and has not completed: the PVC stays HALF WRITTEN.`,
    ...(down.length > 0 ? [`What was scaled down for it STARTS ON THAT VOLUME: ${down.join(", ")}`] : []),
    `PVC ${claim} keeps saying so, and no backup of it is made before a restore into it completes.`,
    "Restore into it first; or go back with holdfast restore --undo, which needs this Restore.",
  ];
}

/** What has to be typed before a Restore goes that leaves its volume half written; undefined for any other. */
export function halfWrittenConfirmation(restore: Restore): NamedConfirmation | undefined {
  const name = restore.spec.target?.pvcRef?.name;
  if (name === undefined || !leavesHalfWritten(restore)) return undefined;
  const why = `PVC ${name} is left with a part of the old and a part of the restored data.`;
  return { option: "confirm-half-written", name, why };
}

function leavesHalfWritten({ status }: Restore): boolean {
  return isIncomplete(status) || isWriting({ status });
}

/** The webhook refuses it as well. Throws a CommandProblem. */
export function refuseHeld({ metadata }: Backup): void {
  if (metadata.annotations?.[ANNOTATIONS.hold] !== "true") return;
  throw new CommandProblem(`Backup ${metadata.name} is held`, {
    why: `It has the annotation ${ANNOTATIONS.hold}.`,
    fix: `If its snapshots may go: holdfast unhold backup/${metadata.name} -n ${metadata.namespace}`,
    code: EXIT.usage,
  });
}

/** What goes with a Backup. */
export function deletionPlan(
  { metadata, spec, status }: Backup,
  keep: boolean,
  now: number,
): readonly string[] {
  const { snapshots = [], resolved, timing } = status ?? {};
  const policy = keep ? "Retain" : (spec.deletionPolicy ?? resolved?.deletionPolicy ?? "Delete");
  const made = agoText(timing?.endTime ?? metadata.creationTimestamp, now);
  const head = `Backup ${metadata.name}, made ${made}, is deleted.`;
  if (snapshots.length === 0) return [head, "It holds no snapshots."];
  const what = snapshots
    .map(({ kopiaSnapshotID, pvc }) => `${kopiaSnapshotID}${pvc ? ` of ${pvc}` : ""}`)
    .join(", ");
  return policy === "Delete"
    ? [
        head,
        `Its snapshots are DELETED with it: ${what}`,
        "If it is the last good one of a volume, the operator holds the deletion until you acknowledge it.",
      ]
    : [head, `Its snapshots stay in the repository: ${what}`];
}

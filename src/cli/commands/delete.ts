import { agoText } from "../../core/view/times_text.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Patch } from "../../kube/client.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
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
    progress.line(`Restore ${name} is deleted. The PVC that it wrote, and its data, stay.`);
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
  await client.delete(resource, where, { signal });
  out(`${resource.kind.toLowerCase()}/${name} is being deleted`);
  return EXIT.done;
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

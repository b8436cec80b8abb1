import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Draft } from "../../kube/object.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { showProgress } from "../frame/show_progress.ts";
import type { PlannedRestore } from "./planned_restore.ts";
import { doubtOf } from "./restore_outcome.ts";
import { doubtOfDeletion } from "./restore_plan.ts";
import { makeSafetyBackup, withSafetyBackup } from "./safety_backup.ts";

/** Makes the Restore that somebody has confirmed, after the backup of its target where one is wanted. */
export async function madeRestore(
  call: Call,
  cluster: Cluster,
  { namespace, name, draft, facts }: PlannedRestore,
): Promise<Restore> {
  const { safety } = facts;
  const sure = doubtOfDeletion(facts) === undefined ? draft : deleting(draft);
  const first =
    safety?.type === "Made"
      ? await makeSafetyBackup(call, cluster, { namespace, config: safety.config, restore: name })
      : undefined;
  const wanted = first === undefined ? sure : withSafetyBackup(sure, first);
  const made = await cluster.client.create(restoreResource, wanted, { signal: call.signal });
  call.progress.line(`restore/${name} is made`);
  return made;
}

/** Follows a Restore to its end. Throws a CommandProblem where it failed, or its data is in doubt. */
export async function endedRestore(
  call: Call,
  { client }: Cluster,
  { namespace, name }: Pick<PlannedRestore, "namespace" | "name">,
): Promise<Restore> {
  const { clock, signal } = call;
  const show = showProgress<Restore>(call, ({ status }) => progressOf(status?.progress));
  const look = (now: Restore) => {
    show(now);
    return ["Completed", "Failed"].includes(now.status?.phase ?? "");
  };
  const ended = await follow(restoreResource, { namespace, name }, { client, clock, signal, look });
  if (ended.status?.phase === "Failed") throw failureOf(ended);
  const doubt = doubtOf(ended);
  if (doubt) throw doubt;
  return ended;
}

/** The same, with its deletions confirmed. */
function deleting(draft: Draft<Restore>): Draft<Restore> {
  const options = { ...draft.spec.options, confirmDeletion: true };
  return { ...draft, spec: { ...draft.spec, options } };
}

function progressOf(progress: NonNullable<Restore["status"]>["progress"]): Progress | undefined {
  if (!progress) return undefined;
  const { bytesRestored = 0, filesRestored, bytesTotal, secondsRemaining } = progress;
  return {
    bytes: bytesRestored,
    ...(filesRestored === undefined ? {} : { files: filesRestored }),
    ...(bytesTotal === undefined ? {} : { estimatedBytes: bytesTotal }),
    ...(secondsRemaining === undefined ? {} : { secondsRemaining }),
  };
}

import type { TaskDecision } from "./task_decision.ts";
import { LOOK_AGAIN, type TaskLook } from "./task_view.ts";
import { isLive, reapIfDead } from "./tidy.ts";

/** The run's own pod was told to end, and its node does not say whether it has. */
export function silent(look: TaskLook): TaskDecision | undefined {
  const { run } = look;
  if (!isLive(run) || !run.overdue || run.overdue.node === "Ready") return undefined;
  return { ...held(look, run), intents: reapIfDead(run) };
}

/** An earlier run's pod may still write: nothing begins beside it. */
export function straggling(look: TaskLook, passed: TaskLook["runs"]): TaskDecision | undefined {
  const live = passed.find(isLive);
  return live && !look.run.job ? held(look, live) : undefined;
}

function held({ record, now }: TaskLook, { pod, overdue }: TaskLook["run"]): TaskDecision {
  const what = `The pod ${pod?.metadata.name}`;
  const node = `its node ${pod?.spec?.nodeName ?? ""}`;
  const why = {
    Ready: ["PodStillThere", `${what} of an earlier run is still there; nothing begins beside it.`],
    Dead: ["NodeDead", `${what} was told to end, and ${node} is dead: the pod is removed.`],
    Silent: [
      "NodeSilent",
      `${what} was told to end, and ${node} does not say whether it has. It goes on once the node answers. If the ` +
        "node is off for good, delete it, or taint it with node.kubernetes.io/out-of-service.",
    ],
    Unknown: [
      "NodeUnknown",
      `${what} was told to end and is still there, and the operator may not look at ${node}. If the node is off for ` +
        "good, delete the pod by force.",
    ],
  } as const;
  const [reason, message] = why[overdue?.node ?? "Ready"];
  return { record, state: { phase: "Held", reason, message }, intents: [], wakeAt: now + LOOK_AGAIN };
}

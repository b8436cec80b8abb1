import type { Pod } from "../../kube/builtin.ts";
import type { CallOptions } from "../../kube/client.ts";
import { unreachable } from "../../lib/result.ts";
import { runOf } from "./run_labels.ts";
import type { RunReports } from "./run_reports.ts";
import type { Runs } from "./runs.ts";
import type { RunIntent } from "./task_decision.ts";

export interface Hands {
  readonly runs: Runs;
  readonly reports: Pick<RunReports, "forget">;
  /** Tells the mover in a pod to start. */
  readonly start: (pod: Pod, call: CallOptions) => Promise<void>;
}

/** Does what was decided, in order. The first failure ends it: what is left is decided again. */
export async function carryOut(
  intents: readonly RunIntent[],
  hands: Hands,
  call: CallOptions = {},
): Promise<void> {
  for (const intent of intents) await carryOutOne(intent, hands, call);
}

async function carryOutOne(
  intent: RunIntent,
  { runs, reports, start }: Hands,
  call: CallOptions,
): Promise<void> {
  switch (intent.type) {
    case "Ensure":
      await runs.ensure(intent.request, { ...call, ...(intent.resume ? { resume: intent.resume } : {}) });
      return;
    case "Account":
      return runs.remakeAccount(intent.namespace, call);
    case "Start":
      return start(intent.pod, call);
    case "Cancel":
      return runs.cancel(intent.job, call);
    case "Remove":
      await runs.remove(intent.job, call);
      return reports.forget(runOf(intent.job));
    case "Reap":
      return runs.reap(intent.job, intent.pod, call);
    default:
      return unreachable(intent);
  }
}

import { decideUse } from "../../core/workloads/scaling/decide_use.ts";
import { observeUsers, podsUsing, type VolumeUse } from "../../core/workloads/scaling/observe_users.ts";
import { isForbidden } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";

/** The field of a Restore that has workloads scaled down. */
const SCALE_DOWN = "target.pvcRef.scaleDownWorkloads: true";

export interface InUseQuestion {
  readonly claim: { readonly namespace: string; readonly name: string };
  /** The operator may scale down what uses the claim. */
  readonly mayScale: boolean;
  readonly signal: AbortSignal;
}

/**
 * Throws a CommandProblem where a restore in place would wait until somebody stops what uses the claim: by the same
 * rule as the operator's. Whoever may not look at workloads has it decided by the pods alone, and leaves what can be
 * scaled down to the operator.
 */
export async function refuseInUse(
  client: Pick<Reader, "get" | "list">,
  { claim, mayScale, signal }: InUseQuestion,
): Promise<void> {
  const use = await observeUsers(client, claim, { signal }).catch(
    async (error: unknown): Promise<VolumeUse> => {
      if (!isForbidden(error)) throw error;
      const pods = mayScale ? [] : await podsUsing(client, claim, { signal });
      return { users: pods.map((pod) => ({ pod })), down: [] };
    },
  );
  // What we may not read, the operator may.
  const users = use.users.filter(({ hidden }) => !(mayScale && hidden));
  const decision = decideUse({
    ...use,
    users,
    claim: claim.name,
    holder: "",
    mayScale,
    scaleDown: SCALE_DOWN,
  });
  if (decision.type !== "InUse") return;
  const scaling = "Add --scale-down to have what uses it scaled down for the time of the restore, or end it.";
  throw new CommandProblem(`the claim ${claim.namespace}/${claim.name} is in use`, {
    why: decision.message,
    fix: `${mayScale ? "End what uses it." : scaling} With --no-wait the Restore is made, and begins once nothing uses the claim.`,
    code: EXIT.usage,
  });
}

/** Nobody is left waiting for a claim that does not get free by itself. */
export async function refuseBusy(call: Call, cluster: Cluster): Promise<void> {
  const { given, signal } = call;
  const name = given.text("into");
  if (name === undefined || given.flag("no-wait")) return;
  const claim = { namespace: namespaceOf(call, cluster), name };
  await refuseInUse(cluster.client, { claim, mayScale: given.flag("scale-down"), signal });
}

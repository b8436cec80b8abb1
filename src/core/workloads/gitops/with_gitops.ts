import { someOf } from "../../../lib/some_of.ts";
import type { UseDecision } from "../scaling/decide_use.ts";
import { type GitOps, type GitOpsOwner, ownerText } from "./observe_gitops.ts";
import { pausedFor, pausing } from "./pause.ts";

const MOST_NAMES = 5;

/** The decision to scale, with what would scale the workloads up again paused before. Pure. */
export function withGitOps(
  decision: Extract<UseDecision, { readonly type: "Scale" }>,
  { owners, beyond }: GitOps,
  holder: string,
): UseDecision {
  const toPause = owners.filter(({ object }) => pausing(object, holder) !== undefined);
  // One that a person has paused stays theirs.
  const ours = owners.filter((one) => toPause.includes(one) || pausedFor(one.object).includes(holder));
  const paused = ours.length > 0 ? ` ${named(ours)} is paused meanwhile.` : "";
  const alone =
    beyond.length > 0
      ? ` ${someOf(beyond, MOST_NAMES)} may scale it up again: pause it yourself, or have the operator do that (pauseGitOps.enabled in the chart's values).`
      : "";
  return {
    ...decision,
    message: `${decision.message}${paused}${alone}`,
    ...(ours.length > 0 ? { owners: ours } : {}),
    intents: [...toPause.map((owner) => ({ type: "Pause", owner, holder }) as const), ...decision.intents],
  };
}

function named(owners: readonly GitOpsOwner[]): string {
  const names = owners.map(({ resource, object: { metadata } }) =>
    ownerText({ resource, namespace: metadata.namespace ?? "", name: metadata.name }),
  );
  return someOf(names, MOST_NAMES);
}

import { durationText } from "../../core/view/times_text.ts";
import type { ServerVersion } from "../../kube/client/server_version.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

/** What the control plane for one machine calls its Kubernetes. */
const OWN_BUILD = "+holdfast";

/** A lease that was looked at twice. */
export interface SeenLease {
  readonly name: string;
  readonly holder: string;
  /** It was renewed while it was looked at. */
  readonly renewed: boolean;
  readonly watchedMs: number;
}

/** Whether an operator leads. Only what was seen counts: other machines' clocks are not compared. */
export function judgeLeases(
  leases: readonly SeenLease[],
  version?: Pick<ServerVersion, "text">,
): readonly Finding[] {
  if (leases.length === 0 && version?.text.includes(OWN_BUILD))
    return [well("the control plane for one machine runs the operator itself")];
  if (leases.length === 0)
    return [
      warning(
        "no operator holds a lease here",
        "There is no lease holdfast-operator in any namespace: the operator was never started.",
        "Where it should run in the cluster, look at its Deployment.",
      ),
    ];
  const led = leases.some(({ renewed }) => renewed);
  return leases.map(({ name, holder, renewed, watchedMs }) => {
    if (renewed) return well(`the operator ${holder} leads (lease ${name})`);
    if (holder === "" && led) return leftOver(name);
    const why = holder
      ? `It belongs to ${holder}, which did not renew it for ${durationText(watchedMs)}.`
      : "It has no holder.";
    return broken(
      `the lease ${name} is dead`,
      why,
      "Look at the operator's pods and their logs: nothing is backed up while none leads.",
    );
  });
}

/** An operator gives its lease up when it ends, and nobody deletes it. */
function leftOver(name: string): Finding {
  const [namespace, lease] = name.split("/");
  return warning(
    `the lease ${name} has no holder`,
    "Another operator leads: the release that this lease was of is gone, or its operator does not run.",
    `If it is gone, kubectl delete lease ${lease} -n ${namespace}; if not, look at its pods and their logs.`,
  );
}

/** A right that a command needs. */
export interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly subresource?: string;
  /** It is about what is in no namespace. */
  readonly clusterWide?: true;
  /** The commands that need it. */
  readonly for: string;
}

/** What the person in front may do. */
export function judgeRights(rights: readonly (Right & { readonly allowed: boolean })[]): readonly Finding[] {
  const denied = rights.filter(({ allowed }) => !allowed);
  if (denied.length === 0) return [well("you may do all that the commands need, in this namespace")];
  return denied.map(({ verb, resource, subresource, group, for: commands }) => {
    const what = `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
    return warning(
      `you may not ${verb} ${what}`,
      `${commands} will be refused.`,
      "Ask for a Role with that right.",
    );
  });
}

/** Differences of seconds are normal. */
const SKEW = 30_000;

/** Whether this machine and the API server agree on the time. */
export function judgeClocks(skewMs: number): Finding {
  if (Math.abs(skewMs) <= SKEW) return well("the clocks of this machine and the API server agree");
  const way = skewMs > 0 ? "ahead of" : "behind";
  return warning(
    `this machine's clock is ${durationText(Math.abs(skewMs))} ${way} the API server's`,
    "Ages that are shown here are wrong by that; schedules go by the operator's clock.",
    "Set the clocks by NTP.",
  );
}

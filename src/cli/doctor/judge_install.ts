import type { KubeObject } from "../../kube/object.ts";
import { durationText } from "../frame/times_text.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

/** A CRD, as far as it is judged. */
export interface Crd extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** Whether every kind is there, and served. */
export function judgeCrds(wanted: readonly string[], present: readonly Crd[]): readonly Finding[] {
  const names = new Map(present.map((crd) => [crd.metadata.name, crd]));
  const missing = wanted.filter((name) => !names.has(name));
  const idle = wanted.flatMap((name) => {
    const established = names.get(name)?.status?.conditions?.find(({ type }) => type === "Established");
    return names.has(name) && established?.status !== "True"
      ? [`${name}: ${established?.message ?? "not yet"}`]
      : [];
  });
  if (missing.length === wanted.length)
    return [
      broken(
        "Holdfast's kinds are not in this cluster",
        "None of its CRDs exists.",
        "Install Holdfast, or choose another context.",
      ),
    ];
  return [
    ...(missing.length > 0
      ? [
          broken(
            `${missing.length} CRDs are missing`,
            missing.join(", "),
            "Install the CRDs of this release again.",
          ),
        ]
      : []),
    ...(idle.length > 0
      ? [
          broken(
            `${idle.length} CRDs are not served`,
            idle.join("; "),
            "Look at their conditions: a name may be taken by another CRD.",
          ),
        ]
      : []),
    ...(missing.length + idle.length === 0 ? [well(`all ${wanted.length} kinds are served`)] : []),
  ];
}

/** A lease that was looked at twice. */
export interface SeenLease {
  readonly name: string;
  readonly holder: string;
  /** It was renewed while it was looked at. */
  readonly renewed: boolean;
  readonly watchedMs: number;
}

/** Whether an operator leads. Only what was seen counts: other machines' clocks are not compared. */
export function judgeLeases(leases: readonly SeenLease[]): readonly Finding[] {
  if (leases.length === 0)
    return [
      warning(
        "no operator holds a lease here",
        "There is no lease holdfast-operator in any namespace: the operator was never started, or is the one for one machine, which needs none.",
        "Where it should run in the cluster, look at its Deployment.",
      ),
    ];
  return leases.map(({ name, holder, renewed, watchedMs }) => {
    if (renewed) return well(`the operator ${holder} leads (lease ${name})`);
    const why = holder
      ? `It belongs to ${holder}, which did not renew it for ${durationText(watchedMs)}.`
      : "Nobody holds it.";
    return broken(
      `the lease ${name} is dead`,
      why,
      "Look at the operator's pods and their logs: nothing is backed up while none leads.",
    );
  });
}

interface Webhook extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly clientConfig: {
      readonly caBundle?: string;
      readonly service?: { readonly namespace: string; readonly name: string };
    };
  }[];
}

export interface WebhookFacts {
  readonly configurations: readonly Webhook[];
  /** Services that webhooks name and that are not there, as namespace/name. */
  readonly lostServices: ReadonlySet<string>;
}

/** Whether the webhooks can be reached, as one that cannot refuses every write. */
export function judgeWebhooks({ configurations, lostServices }: WebhookFacts): readonly Finding[] {
  if (configurations.length === 0)
    return [
      warning(
        "there are no webhooks",
        "What cannot work is then refused by the controllers, in a condition, and not when it is applied; consents across namespaces are not recorded.",
        "Switch the webhooks on, unless that is meant.",
      ),
    ];
  return configurations.flatMap(({ kind, metadata, webhooks = [] }) => {
    const which = `${kind === "MutatingWebhookConfiguration" ? "mutating" : "validating"} webhooks ${metadata.name}`;
    const lost = webhooks.flatMap(({ clientConfig: { service } }) => {
      const key = service && `${service.namespace}/${service.name}`;
      return key && lostServices.has(key) ? [key] : [];
    });
    if (lost.length > 0)
      return [
        broken(
          `the ${which} lead nowhere`,
          `The Service ${lost[0]} does not exist: writes that they guard are refused.`,
          `Start the operator again; or, when it was removed, delete the configuration ${metadata.name}.`,
        ),
      ];
    const untrusted = webhooks.filter(({ clientConfig }) => !clientConfig.caBundle);
    if (untrusted.length > 0)
      return [
        broken(
          `the ${which} are not trusted`,
          `${untrusted.length} of them have no certificate authority.`,
          "The operator, or cert-manager where it is told to, fills it in: look at their logs.",
        ),
      ];
    return [well(`the ${which} are in place`)];
  });
}

/** A right that a command needs. */
export interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly subresource?: string;
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

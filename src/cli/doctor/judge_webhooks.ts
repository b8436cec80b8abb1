import { durationText } from "../../core/view/times_text.ts";
import type { Validity } from "../../kube/certificates/x509.ts";
import type { KubeObject } from "../../kube/object.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly rules?: readonly {
      readonly apiGroups?: readonly string[];
      readonly resources?: readonly string[];
    }[];
    readonly namespaceSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly clientConfig: {
      readonly caBundle?: string;
      readonly service?: { readonly namespace: string; readonly name: string };
    };
  }[];
}

/** A configuration, and what was seen around it. */
export interface SeenWebhooks {
  readonly configuration: WebhookConfiguration;
  /** Services that it names and that are not there, as namespace/name. */
  readonly lostServices: readonly string[];
  /** Services that no pod stands behind. */
  readonly idleServices: readonly string[];
  /** Of the authorities that it trusts; undefined where they cannot be read. */
  readonly authorities: readonly Validity[] | undefined;
  /** Of the certificate that is served, where one may look at it. */
  readonly served?: Validity | undefined;
  /** What the API server said when it could not call one. */
  readonly failure?: string | undefined;
}

/** What lasts shorter than this should have been replaced by now. */
const SOON = 14 * 86_400_000;

/** Whether the webhooks can be reached, as one that cannot refuses every write. */
export function judgeWebhooks(seen: readonly SeenWebhooks[], now: number): readonly Finding[] {
  if (seen.length === 0)
    return [
      warning(
        "there are no webhooks",
        "What cannot work is then refused by the controllers, in a condition, and not when it is applied; consents across namespaces are not recorded.",
        "Switch the webhooks on, unless that is meant.",
      ),
    ];
  return seen.map((one) => judgeOne(one, now));
}

function judgeOne(seen: SeenWebhooks, now: number): Finding {
  const { kind, metadata, webhooks = [] } = seen.configuration;
  const which = `${kind === "MutatingWebhookConfiguration" ? "mutating" : "validating"} webhooks ${metadata.name}`;
  const [lost] = seen.lostServices;
  if (lost !== undefined)
    return broken(
      `the ${which} lead nowhere`,
      `The Service ${lost} does not exist: writes that they guard are refused.`,
      `Start the operator again; or, when it was removed, delete the configuration ${metadata.name}.`,
    );
  const [idle] = seen.idleServices;
  if (idle !== undefined)
    return broken(
      `nobody serves the ${which}`,
      `No pod that is ready stands behind the Service ${idle}: writes that they guard are refused.`,
      "Look at the operator's pods and their logs.",
    );
  const untrusted = webhooks.filter(({ clientConfig }) => !clientConfig.caBundle);
  if (untrusted.length > 0)
    return broken(
      `the ${which} are not trusted`,
      `${untrusted.length} of them have no certificate authority.`,
      FILLED_IN,
    );
  return (
    judgeAuthorities(which, seen, now) ??
    judgeFailure(which, seen) ??
    judgeServed(which, seen, now) ??
    well(`the ${which} are in place`)
  );
}

const FILLED_IN = "The operator, or cert-manager where it is told to, fills it in: look at their logs.";
const RENEWED =
  "The operator renews what it made itself, and cert-manager what it makes: look at their logs. Certificates made by hand are yours to renew.";

function judgeAuthorities(which: string, { authorities }: SeenWebhooks, now: number): Finding | undefined {
  if (!authorities || authorities.length === 0)
    return broken(`the ${which} are not trusted`, "Their caBundle holds no certificate.", FILLED_IN);
  const until = Math.max(...authorities.map(({ notAfter }) => notAfter));
  if (until <= now)
    return broken(
      `the authority of the ${which} has expired`,
      `It held until ${new Date(until).toISOString()}: the API server calls none of them any more.`,
      RENEWED,
    );
  if (until - now > SOON) return undefined;
  return warning(
    `the authority of the ${which} expires in ${durationText(until - now)}`,
    "Nobody has put a newer one beside it.",
    RENEWED,
  );
}

/** Reasons for which a call fails, in the words of the API server's TLS and network. */
const REASONS: readonly { readonly said: RegExp; readonly what: string; readonly fix: string }[] = [
  {
    said: /has expired|not yet valid/i,
    what: "is served with a certificate that does not hold now",
    fix: RENEWED,
  },
  {
    said: /unknown authority|unable to verify|self[- ]signed|unable to get (local )?issuer/i,
    what: "is served with a certificate of another authority than its caBundle names",
    fix: "Restart the operator, which writes the bundle anew; with certificates by hand, give the webhooks the bundle of who signed them.",
  },
  {
    said: /valid for|altnames|hostname/i,
    what: "is served with a certificate for another name",
    fix: "Issue it for the name of the Service, such as holdfast-webhook.holdfast-system.svc.",
  },
];

function judgeFailure(which: string, { failure }: SeenWebhooks): Finding | undefined {
  if (failure === undefined) return undefined;
  const name = /calling webhook "([^"]+)"/.exec(failure)?.[1];
  const one = name ? `the webhook ${name}` : `one of the ${which}`;
  const reason = REASONS.find(({ said }) => said.test(failure));
  return broken(
    `${one} ${reason?.what ?? "does not answer"}`,
    `The API server says: ${failure}`,
    reason?.fix ??
      "Look at the operator's pods, and whether a network policy keeps the API server from their webhook port.",
  );
}

function judgeServed(which: string, { served }: SeenWebhooks, now: number): Finding | undefined {
  if (!served || served.notAfter - now > SOON / 2) return undefined;
  const left = served.notAfter - now;
  return warning(
    left > 0
      ? `the certificate of the ${which} expires in ${durationText(left)}`
      : `the certificate of the ${which} has expired`,
    "It should have been renewed by now.",
    RENEWED,
  );
}

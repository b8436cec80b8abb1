import type { LabelSelector } from "../../kube/admission/webhook.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Store, Stored } from "../store/store.ts";
import type { Attempt } from "./admission.ts";

/** One entry of a webhook configuration, as the server completed it. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly caBundle?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly timeoutSeconds?: number;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: "Cluster" | "Namespaced" | "*";
}

/**
 * The version of the kind under which a webhook wants to be asked about a write; undefined when it does not.
 * `versions` are all that the kind is served in.
 */
export function matchedKind(
  webhook: Webhook,
  attempt: Attempt,
  versions: readonly KindInfo[],
  store: Store,
): KindInfo | undefined {
  const { rules = [], matchPolicy } = webhook;
  const candidates = matchPolicy === "Exact" ? [attempt.kind] : [attempt.kind, ...versions];
  const kind = candidates.find((kind) => rules.some((rule) => coveredBy(rule, kind, attempt)));
  if (!kind || !namespaceSelected(webhook, attempt, store)) return undefined;
  const objects = [attempt.object, attempt.old].filter((object) => object !== undefined);
  const selected = objects.some(({ metadata }) => selects(webhook.objectSelector, metadata.labels));
  return selected ? kind : undefined;
}

function coveredBy(rule: WebhookRule, { resource }: KindInfo, attempt: Attempt): boolean {
  const { operation, subresource } = attempt;
  const { scope = "*" } = rule;
  const scoped = scope === "*" || (scope === "Namespaced") === resource.namespaced;
  return (
    scoped &&
    names(rule.operations, operation) &&
    names(rule.apiGroups, resource.group) &&
    names(rule.apiVersions, resource.version) &&
    rule.resources.some((pattern) => coversResource(pattern, resource.plural, subresource))
  );
}

function names(list: readonly string[], word: string): boolean {
  return list.includes("*") || list.includes(word);
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*\/status` or `*\/*`. */
function coversResource(pattern: string, plural: string, subresource = ""): boolean {
  const [resource, sub = ""] = pattern.split("/", 2);
  const everything = pattern === "*/*";
  return (
    everything ||
    ((resource === "*" || resource === plural) &&
      (sub === subresource || (sub === "*" && subresource !== "")))
  );
}

/** Namespaces are selected by their own labels; what is in none is always selected. */
function namespaceSelected({ namespaceSelector }: Webhook, attempt: Attempt, store: Store): boolean {
  const { kind, namespace: name, object, old } = attempt;
  let namespace: Stored | undefined;
  if (kind.resource.namespaced) namespace = store.get({ resource: "namespaces", namespace: "", name });
  else if (kind.resource.kind === "Namespace" && !kind.custom) namespace = object ?? old;
  else return true;
  return selects(namespaceSelector, namespace?.metadata.labels);
}

function selects(selector: LabelSelector = {}, labels: Readonly<Record<string, string>> = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

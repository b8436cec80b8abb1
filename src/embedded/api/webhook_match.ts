import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import type { LabelSelector } from "../../kube/label_selector.ts";
import { isRecord } from "../../lib/json.ts";
import { LruMap } from "../../lib/lru_map.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { selects } from "../kinds/selects.ts";
import type { Store, Stored } from "../store/store.ts";
import type { Attempt } from "./admission.ts";

/** One entry of a webhook configuration, as the server completed it. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly caBundle?: string;
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
  const selected = objects.some(({ metadata }) => selects(webhook.objectSelector, metadata.labels ?? {}));
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
  return selects(namespaceSelector, namespace?.metadata.labels ?? {});
}

const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  .registerVariable("object", "dyn")
  .registerVariable("oldObject", "dyn")
  .registerVariable("request", "dyn");

const programs = new LruMap<string, ParseResult>(256);

/** Whether all of a webhook's conditions hold. Throws what an evaluation throws. */
export function conditionsHold(
  conditions: readonly { readonly expression: string }[],
  request: Readonly<Record<string, unknown>>,
): boolean {
  if (conditions.length === 0) return true;
  const { object = null, oldObject = null } = request;
  const context = { object: toCel(object), oldObject: toCel(oldObject), request: toCel(request) };
  return conditions.every(({ expression }) => {
    const program = programs.get(expression) ?? environment.parse(expression);
    programs.set(expression, program);
    return program(context) === true;
  });
}

/** Whole numbers are 64-bit integers in CEL. */
function toCel(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toCel(item)]));
}

import { type Condition, OWN_NAMESPACE, type Right, type Verb } from "./rights.ts";

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

/** Where a rule holds: everywhere and for what has no namespace, wherever the operator looks, or where it runs. */
export type Place = "cluster" | "watched" | "home";

/** A rule, and when it is needed. */
export interface ConditionalRule extends PolicyRule {
  readonly place: Place;
  readonly when: readonly Condition[];
}

/** How an operator is installed. */
export interface Install {
  readonly scope: "cluster" | "namespaced";
  /** Where the operator runs. */
  readonly namespace: string;
  readonly clusterReads: boolean;
  readonly lending: boolean;
  readonly pausingGitOps: boolean;
  readonly webhooks: boolean;
  readonly ownCertificates: boolean;
  readonly ownAccounts: boolean;
  readonly volsync: boolean;
  readonly adopting: boolean;
  readonly removingCrds: boolean;
}

/** The rules of the operator's ClusterRole, and of the Role in its namespace. */
export interface GrantedRules {
  readonly cluster: readonly PolicyRule[];
  readonly home: readonly PolicyRule[];
}

/** In the order in which people write them. */
const VERBS: readonly Verb[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
];

/** As few rules as say the same: verbs of one kind together, then kinds that have the same verbs. */
export function conditionalRules(rights: readonly Right[]): readonly ConditionalRule[] {
  const needed = rights.map((right) => ({
    ...right,
    verbs: right.verbs.filter((verb) => !isCovered(right, verb, rights)),
  }));
  const kinds = grouped(needed, (right) => [circumstances(right), resourceOf(right)]).map(
    ([first, ...rest]) => {
      const given = new Set([first, ...rest].flatMap(({ verbs }) => verbs));
      return { ...first, verbs: VERBS.filter((verb) => given.has(verb)) };
    },
  );
  return grouped(
    kinds.filter(({ verbs }) => verbs.length > 0),
    (right) => [circumstances(right), right.verbs],
  )
    .map(([first, ...rest]) => ruleOf(first, [first, ...rest].map(resourceOf)))
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function grouped<T>(values: readonly T[], key: (value: T) => unknown): readonly (readonly [T, ...T[]])[] {
  return [...Map.groupBy(values, (value) => JSON.stringify(key(value))).values()] as [T, ...T[]][];
}

/** What an operator that is installed like this is given. */
export function grantedRules(rules: readonly ConditionalRule[], install: Install): GrantedRules {
  const holds: Readonly<Record<Condition, boolean>> = {
    ...install,
    cluster: install.scope === "cluster",
    namespaced: install.scope === "namespaced",
    clusterReads: install.scope === "cluster" || install.clusterReads,
  };
  const needed = rules.filter(({ when }) => when.every((condition) => holds[condition]));
  const placed = (places: readonly Place[]) =>
    needed
      .filter(({ place }) => places.includes(place))
      .map(({ place: _, when: __, resourceNames, ...rule }) => ({
        ...rule,
        ...(resourceNames
          ? { resourceNames: resourceNames.map((name) => name.replace(OWN_NAMESPACE, install.namespace)) }
          : {}),
      }));
  return install.scope === "cluster"
    ? { cluster: placed(["cluster", "watched"]), home: placed(["home"]) }
    : { cluster: placed(["cluster"]), home: placed(["home", "watched"]) };
}

/** Whether this verb need not be in a right, as another one grants it in all these cases and in more. */
function isCovered(right: Right, verb: Verb, rights: readonly Right[]): boolean {
  return rights.some(
    (other) => other.verbs.includes(verb) && isWider(other, right) && !isWider(right, other),
  );
}

function isWider(wide: Right, narrow: Right): boolean {
  const same = wide.resource.group === narrow.resource.group && resourceOf(wide) === resourceOf(narrow);
  if (!same || (wide.names && wide.names !== narrow.names) || (wide.home && !narrow.home)) return false;
  const implied = new Set<Condition>(narrow.when);
  if (implied.has("cluster")) implied.add("clusterReads");
  return (wide.when ?? []).every((condition) => implied.has(condition));
}

function circumstances({ resource, names = [], home, when = [] }: Right) {
  const place: Place = !resource.namespaced ? "cluster" : home ? "home" : "watched";
  return { place, when: when.toSorted(), group: resource.group, names: names.toSorted() };
}

function resourceOf({ resource, subresource }: Right): string {
  return subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
}

function ruleOf(right: Right, resources: readonly string[]): ConditionalRule {
  const { place, when, group, names } = circumstances(right);
  return {
    place,
    when,
    apiGroups: [group],
    resources: resources.toSorted(),
    ...(names.length > 0 ? { resourceNames: names } : {}),
    verbs: right.verbs,
  };
}

function sortKey({ place, apiGroups, resources, when }: ConditionalRule): string {
  return [place, ...apiGroups, ...resources, ...when].join(" ");
}

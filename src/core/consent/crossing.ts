import { Secrets } from "../../kube/builtin.ts";
import { type Found, isPresent } from "../../kube/cache/found.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { type Finding, presence } from "../reconcile/finding.ts";
import type { Problem } from "../reconcile/problem.ts";
import { problemOf, type Violation } from "../reconcile/violation.ts";
import { consentsOf, crossingToken, isConsented, withConsents } from "./consents.ts";
import { type AllowedNamespaces, type Permission, type Tenant, tenantOf } from "./permission.ts";
import { lendingForbidden } from "./repository_permission.ts";

/** A reference into another namespace. `Kind`: those that objects of other namespaces may refer to, and `Secret`. */
export interface Crossing<Kind extends string = string> {
  readonly kind: Kind;
  readonly namespace: string;
  /** Absent for all of the kind there. */
  readonly name?: string;
  /** Where the reference stands. */
  readonly field: string;
  /** Whom the other side lists, where the reference names no object that could be asked. */
  readonly allowed?: AllowedNamespaces | undefined;
  /** The references that need it: what one of them leads to may list the namespace. */
  readonly through?: readonly Crossing<Kind>[];
}

/** Whether the target of a reference lists the namespace that refers to it. */
export type Judgement = Permission | "absent";

/** The reference of an object of namespace `from` that leads into another one; none where it stays. */
export function crossingTo(
  kind: string,
  ref: { readonly name: string; readonly namespace?: string } | undefined,
  { from, field }: { readonly from: string; readonly field: string },
): readonly Crossing[] {
  if (ref?.namespace === undefined || ref.namespace === from) return [];
  return [{ kind, namespace: ref.namespace, name: ref.name, field }];
}

/** A run on a repository of another namespace is lent its Secrets, for whoever reads Secrets where the run is. */
export function secretsBehind(
  { namespace, field }: Pick<Crossing, "namespace" | "field">,
  through: readonly Crossing[],
): Crossing {
  return { kind: "Secret", namespace, field, through };
}

/** How an API answers for a kind that objects of other namespaces may refer to. */
export interface CrossedKind {
  /** Whoever may get what a reference means may make it. Absent: only those who are listed may. */
  readonly resource?: Resource;
  /** What its author must be able to do there instead, such as where a reference is written to. Default: get. */
  readonly verb?: "get" | "create";
  judge(crossing: Crossing, tenant: Tenant): Judgement;
  /** What is said where nobody consents. */
  forbidden(crossing: Crossing, from: string): Violation;
  /** What is waited for while it is not there. Default: the object that the reference names. */
  target?(crossing: Crossing): { readonly kind: string; readonly name: ObjectName };
  /**
   * What a controller waits for while nobody can tell whether the other side consents. Default: nothing, where nothing can
   * be done without the object that the reference names.
   */
  undecided?(crossing: Crossing): Problem;
}

/** Who consents to the references of an API's objects into other namespaces. */
export interface ConsentRules {
  /** By kind, without `Secret`. */
  readonly kinds: Readonly<Record<string, CrossedKind>>;
  /** How a namespace comes to be listed by a repository, such as "the Repository's allowedNamespaces". */
  readonly repositoryList: string;
  namespace(name: string): Found<KubeObject>;
}

function kindOf({ kind }: Crossing, rules: ConsentRules): CrossedKind {
  const known = kind === "Secret" ? secretsOf(rules) : rules.kinds[kind];
  if (!known) throw new Error(`nobody answers for references to a ${kind}`);
  return known;
}

/** Those of a repository are for whom the way to it is for. */
function secretsOf(rules: ConsentRules): CrossedKind {
  return {
    resource: Secrets,
    judge: ({ through = [] }, { namespace: from }) => {
      const judgements = through.map((one) => judgeCrossing(one, from, rules));
      return judgements.find((one) => one === "granted") ?? judgements[0] ?? "denied";
    },
    forbidden: ({ namespace, field }, from) =>
      lendingForbidden({ namespace, from, field, list: rules.repositoryList }),
  };
}

export function judgeCrossing(crossing: Crossing, from: string, rules: ConsentRules): Judgement {
  return kindOf(crossing, rules).judge(crossing, tenantOf(from, rules));
}

/** What whoever may make the reference must be able to do; nothing where only the other side can consent. */
export function askedOf(
  crossing: Crossing,
  rules: ConsentRules,
): { readonly resource: Resource; readonly verb?: "get" | "create" } | undefined {
  const { resource, verb } = kindOf(crossing, rules);
  return resource && { resource, ...(verb ? { verb } : {}) };
}

/**
 * References into other namespaces, which need consent. What is not there yet is let in, and checked when it comes. Of
 * the Secrets behind a reference nothing is said where the reference itself is refused.
 */
export function crossed(
  object: KubeObject,
  crossings: readonly Crossing[],
  rules: ConsentRules,
): readonly Finding[] {
  const from = object.metadata.namespace ?? "";
  const consents = consentsOf(object);
  const findings = (crossing: Crossing): readonly Finding[] => {
    if (consents.has(crossingToken(crossing))) return [];
    const { kind, namespace, name = "*", field } = crossing;
    const answers = kindOf(crossing, rules);
    const judgement = judgeCrossing(crossing, from, rules);
    if (judgement === "granted") return [];
    if (judgement === "denied") return [{ refuse: answers.forbidden(crossing, from) }];
    // What leads to the Secrets says that it is not there yet.
    if (kind === "Secret") return [];
    return presence(judgement, {
      field,
      ...(answers.target?.(crossing) ?? { kind, name: { namespace, name } }),
    });
  };
  const found = crossings.filter(({ kind }) => kind !== "Secret").flatMap(findings);
  if (found.some((finding) => "refuse" in finding)) return found;
  return [...found, ...crossings.filter(({ kind }) => kind === "Secret").flatMap(findings)];
}

/**
 * Why an object may not refer into another namespace, where nobody there consents: admission's rule, run again, since
 * the object may have come in while no webhook was there. Then (`guarded` is false) a consent that is written on it
 * counts for nothing.
 */
export function crossingProblem(
  object: KubeObject,
  crossings: readonly Crossing[],
  { rules, guarded }: { readonly rules: ConsentRules; readonly guarded: boolean },
): Problem | undefined {
  const written = guarded ? object : withConsents(object, []);
  const refused = crossed(written, crossings, rules).find((finding) => "refuse" in finding);
  if (refused && "refuse" in refused) return problemOf(refused.refuse);
  const from = written.metadata.namespace ?? "";
  const open = crossings.find(
    (crossing) => !isConsented(written, crossing) && judgeCrossing(crossing, from, rules) !== "granted",
  );
  return open && kindOf(open, rules).undecided?.(open);
}

/** The judgement of one whom an object lists that may not be there. */
export function listedBy<T extends object>(found: Found<T>, judge: (object: T) => Permission): Judgement {
  return isPresent(found) ? judge(found) : found;
}

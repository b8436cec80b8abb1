import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { consentsOf, crossingToken, withConsents } from "./consents.ts";
import { askedOf, type ConsentRules, type Crossing, judgeCrossing } from "./crossing.ts";

/** More are not asked about for one object: those beyond it stay without consent. */
export const MOST_QUESTIONS = 32;

export interface ConsentRequest<T extends KubeObject> {
  readonly object: T;
  readonly old: T | undefined;
  readonly crossings: readonly Crossing[];
  /** Those of the old one. */
  readonly before: readonly Crossing[];
  /** The operator itself writes. */
  readonly isOperator: boolean;
  /** On behalf of another namespace: it may refer only to what lists that one. */
  readonly isOnBehalf: boolean;
  readonly rules: ConsentRules;
  /** Whether the author of the change may do this, by default get it, with what a reference means. */
  readonly may: (asked: {
    readonly verb?: "get" | "create" | undefined;
    readonly resource: Resource;
    readonly namespace: string;
    readonly name?: string | undefined;
  }) => Promise<boolean>;
}

/**
 * Writes down which references into other namespaces the author was allowed to make, and only those: what people write
 * there themselves is overwritten. A consent stays as long as its reference does, whoever edits the rest; and the
 * operator, who may read everything, gives none to a reference that it did not make.
 */
export async function recordConsents<T extends KubeObject>(request: ConsentRequest<T>): Promise<T> {
  const { object, old, isOperator, isOnBehalf, rules, may } = request;
  const consented = consentsOf(old);
  const before = new Set(request.before.map(crossingToken));
  const readable = request.crossings.filter((crossing) => askedOf(crossing, rules));
  const found = new Map(readable.map((crossing) => [crossingToken(crossing), crossing]));
  // The Secrets of a namespace are behind each reference into it: for a new one they are asked about anew.
  const same = [...found].every(([token, { kind }]) => kind === "Secret" || before.has(token));
  const kept = [...found]
    .filter(([token, { kind }]) => before.has(token) && consented.has(token) && (same || kind !== "Secret"))
    .map(([token]) => token);
  const from = object.metadata.namespace ?? "";
  const questions = [...found]
    .filter(([token]) => !kept.includes(token) && !(isOperator && (isOnBehalf || before.has(token))))
    .filter(([, crossing]) => judgeCrossing(crossing, from, rules) !== "granted")
    .slice(0, MOST_QUESTIONS);
  const answers = await Promise.all(
    questions.map(async ([token, crossing]) => {
      const { namespace, name } = crossing;
      const asked = askedOf(crossing, rules);
      return asked && (await may({ ...asked, namespace, name })) ? [token] : [];
    }),
  );
  return withConsents(object, [...kept, ...answers.flat()]);
}

import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { Secrets } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { consentsOf, withConsents } from "../rules/consents.ts";
import { type CrossedKind, type Crossing, crossingToken } from "../rules/crossing.ts";
import type { Around, Change } from "./check.ts";
import type { Crossings } from "./crossings.ts";
import { judge } from "./judge.ts";

/**
 * A reference that whoever may read what it means may make. To run a recipe on the claims of a namespace is none: it
 * hands data over, and whoever applies the manifests of many tenants may do everything in each of their namespaces.
 */
export type ReadableCrossing = Crossing & { readonly kind: keyof typeof CROSSED_RESOURCES };

export const CROSSED_RESOURCES = {
  Repository: repositoryResource,
  BackupConfig: backupConfigResource,
  Backup: backupResource,
  Secret: Secrets,
} as const satisfies Readonly<Partial<Record<CrossedKind, Resource>>>;

/** More are not asked about for one object: those beyond it stay without consent. */
export const MOST_QUESTIONS = 32;

export interface ConsentRequest<T> {
  readonly change: Change<T>;
  readonly crossings: Crossings<T>;
  readonly around: Around;
  /** Whether the author of the change may get what a reference means. */
  readonly mayGet: (crossing: ReadableCrossing) => Promise<boolean>;
}

/**
 * Writes down which references into other namespaces the author was allowed to make, and only those: what people write
 * there themselves is overwritten. A consent stays as long as its reference does, whoever edits the rest; and the
 * operator, who may read everything, gives none to a reference that it did not make.
 */
export async function recordConsents<T extends KubeObject>(request: ConsentRequest<T>): Promise<T> {
  const { change, crossings, around, mayGet } = request;
  const { object, old } = change;
  const { lookup, isOperator } = around;
  // What the operator repeats for another namespace, it may refer to only where that one is listed.
  const derived = object.metadata.annotations?.[DERIVED_ANNOTATIONS.from] !== undefined;
  const consented = consentsOf(old);
  const before = new Set(old ? crossings(old, lookup).map(crossingToken) : []);
  const readable = crossings(object, lookup).filter(isReadable);
  const found = new Map(readable.map((crossing) => [crossingToken(crossing), crossing]));
  // The Secrets of a namespace are behind each reference into it: for a new one they are asked about anew.
  const same = [...found].every(([token, { kind }]) => kind === "Secret" || before.has(token));
  const kept = [...found]
    .filter(([token, { kind }]) => before.has(token) && consented.has(token) && (same || kind !== "Secret"))
    .map(([token]) => token);
  const questions = [...found]
    .filter(([token]) => !kept.includes(token) && !(isOperator && (derived || before.has(token))))
    .filter(([, crossing]) => judge(crossing, object.metadata.namespace ?? "", lookup) !== "granted")
    .slice(0, MOST_QUESTIONS);
  const answers = await Promise.all(
    questions.map(async ([token, crossing]) => ((await mayGet(crossing)) ? [token] : [])),
  );
  return withConsents(object, [...kept, ...answers.flat()]);
}

function isReadable(crossing: Crossing): crossing is ReadableCrossing {
  return crossing.kind in CROSSED_RESOURCES;
}

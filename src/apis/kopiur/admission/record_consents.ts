import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { PersistentVolumeClaims, Secrets } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { consentsOf, withConsents } from "../rules/consents.ts";
import { type CrossedKind, type Crossing, crossingToken } from "../rules/crossing.ts";
import type { Around, Change } from "./check.ts";
import type { Crossings } from "./crossings.ts";
import { judge } from "./judge.ts";

/** A right that the author of a reference needs in the namespace that it leads to. */
export interface NeededRight {
  readonly verb: "get" | "create";
  readonly resource: Resource;
}

const read = (resource: Resource): readonly NeededRight[] => [{ verb: "get", resource }];

/**
 * What the author of a reference must be allowed to do. On the claims of another namespace a recipe is run there, with
 * its image, its hooks and its password: only whoever could write one there themselves may have that done.
 */
export const NEEDED_RIGHTS: Readonly<Record<CrossedKind, readonly NeededRight[]>> = {
  Repository: read(repositoryResource),
  BackupConfig: read(backupConfigResource),
  Backup: read(backupResource),
  PersistentVolumeClaim: [
    ...read(PersistentVolumeClaims),
    { verb: "create", resource: backupConfigResource },
    { verb: "create", resource: backupResource },
  ],
  Secret: read(Secrets),
};

/** More are not asked about for one object: those beyond it stay without consent. */
export const MOST_QUESTIONS = 32;

export interface ConsentRequest<T> {
  readonly change: Change<T>;
  readonly crossings: Crossings<T>;
  readonly around: Around;
  /** Whether the author of the change has the rights that a reference needs. */
  readonly mayRefer: (crossing: Crossing) => Promise<boolean>;
}

/**
 * Writes down which references into other namespaces the author was allowed to make, and only those: what people write
 * there themselves is overwritten. A consent stays as long as its reference does, whoever edits the rest; and the
 * operator, who may read everything, gives none to a reference that it did not make.
 */
export async function recordConsents<T extends KubeObject>(request: ConsentRequest<T>): Promise<T> {
  const { change, crossings, around, mayRefer } = request;
  const { object, old } = change;
  const { lookup, isOperator } = around;
  // What the operator repeats for another namespace, it may refer to only where that one is listed.
  const derived = object.metadata.annotations?.[DERIVED_ANNOTATIONS.from] !== undefined;
  const consented = consentsOf(old);
  const before = new Set(old ? crossings(old, lookup).map(crossingToken) : []);
  const found = new Map(crossings(object, lookup).map((crossing) => [crossingToken(crossing), crossing]));
  // The Secrets of a namespace are behind each reference into it: for a new one they are asked about anew.
  const same = [...found].every(([token, { kind }]) => kind === "Secret" || before.has(token));
  // What is run on the claims of a namespace is all that the recipe says: for another word of it they are, too.
  const unedited = old !== undefined && jsonEqual(specOf(old), specOf(object));
  const stays = ({ kind }: Crossing) =>
    kind === "Secret" ? same : kind === "PersistentVolumeClaim" ? unedited : true;
  const kept = [...found]
    .filter(([token, crossing]) => before.has(token) && consented.has(token) && stays(crossing))
    .map(([token]) => token);
  const questions = [...found]
    .filter(([token]) => !kept.includes(token) && !(isOperator && (derived || before.has(token))))
    .filter(([, crossing]) => judge(crossing, object.metadata.namespace ?? "", lookup) !== "granted")
    .slice(0, MOST_QUESTIONS);
  const answers = await Promise.all(
    questions.map(async ([token, crossing]) => ((await mayRefer(crossing)) ? [token] : [])),
  );
  return withConsents(object, [...kept, ...answers.flat()]);
}

function specOf(object: KubeObject): unknown {
  return "spec" in object ? object.spec : undefined;
}

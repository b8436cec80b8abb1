import type { Change } from "../../kube/cache/cache.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";
import { type Problem, refused } from "../reconcile/problem.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { type Repository, repositoryName } from "../repository/repository.ts";
import type { MaintenanceRun } from "./maintenance_run.ts";

/** The other objects that stand for the same stored repository: namespaces may each have one of their own. */
export function sharersOf<R extends Repository>(
  all: Iterable<R>,
  { metadata, status }: Repository,
): readonly R[] {
  if (!status?.uniqueID) return [];
  const key = keyOf(metadata);
  return [...all].filter((one) => one.status?.uniqueID === status.uniqueID && keyOf(one) !== key);
}

/** The keys of all objects that stand for the stored repository of a changed one, as it was and as it is. */
export function sharedKeys(all: Iterable<Repository>, change: Change<Repository>): readonly ObjectKey[] {
  const states: Repository[] = [];
  if (change.type !== "added") states.push(change.previous);
  if (change.type !== "removed") states.push(change.object);
  return [change.key, ...states.flatMap((one) => sharersOf(all, one).map(keyOf))];
}

/** An object that may maintain a repository. */
export interface Maintainer {
  readonly object: KubeObject;
  readonly repository: Repository;
}

/**
 * Why it is not maintained from here: a stored repository has one maintainer, however many objects stand for it.
 * `others`: those of the other objects.
 */
export function maintainedElsewhere(own: Maintainer, others: readonly Maintainer[]): Problem | undefined {
  const first = others.find((one) => !one.object.metadata.deletionTimestamp && orderOf(one) < orderOf(own));
  return first && refused(REASONS.sharedRepository, maintainedThere(first));
}

/**
 * Why the run cannot be: it needs the repository for itself, and what works through another object does not wait for
 * it. An engine whose locks see to that needs no such care.
 */
export function immediateProblem(run: MaintenanceRun, sharers: readonly Repository[]): Problem | undefined {
  const [sharer] = sharers;
  if (!sharer || !run.immediate || run.step !== "Maintain") return undefined;
  return refused(
    "NotAlone",
    `Space cannot be given back at once: ${repositoryName(sharer)} stands for the same stored repository, and what works there does not wait for it. Ask for full instead of full-immediate.`,
  );
}

/** One of the whole cluster comes first, since no namespace may keep it from being maintained; then the oldest. */
function orderOf({ object: { metadata }, repository }: Maintainer): string {
  const rank = repository.metadata.namespace === undefined ? 0 : 1;
  return `${rank} ${metadata.creationTimestamp} ${keyOf(metadata)}`;
}

function maintainedThere({ object, repository }: Maintainer): string {
  const { kind } = object;
  return `The repository is not maintained from here: ${repositoryName(repository)} stands for the same stored repository, and ${kind} ${keyOf(object)} maintains that. Leave it so, or delete that ${kind}, and this one takes over.`;
}

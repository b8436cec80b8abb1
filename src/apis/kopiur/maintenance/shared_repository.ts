import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { Change } from "../../../kube/cache/cache.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { KopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { type Problem, refused } from "../problem.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import { maintainersOf } from "./maintainers_of.ts";
import type { Turn } from "./turn.ts";

type RepositoryCaches = Pick<KopiurCaches, "repositories" | "clusterRepositories">;

/** The other objects that stand for the same stored repository: namespaces may each have one of their own. */
export function sharersOf(
  { repositories, clusterRepositories }: RepositoryCaches,
  { metadata, status }: AnyRepository,
): readonly AnyRepository[] {
  if (!status?.uniqueID) return [];
  const key = keyOf(metadata);
  const all = [...repositories.values(), ...(clusterRepositories?.values() ?? [])];
  return all.filter((one) => one.status?.uniqueID === status.uniqueID && keyOf(one) !== key);
}

/** The keys of all objects that stand for the stored repository of a changed one, as it was and as it is. */
export function sharedKeys(caches: RepositoryCaches, change: Change<AnyRepository>): readonly ObjectKey[] {
  const states: AnyRepository[] = [];
  if (change.type !== "added") states.push(change.previous);
  if (change.type !== "removed") states.push(change.object);
  return [change.key, ...states.flatMap((one) => sharersOf(caches, one).map(keyOf))];
}

/** Why it is not maintained from here: a stored repository has one maintainer, however many objects stand for it. */
export function standsBack(
  ports: Pick<KopiurPorts, "caches" | "settings">,
  maintenance: Maintenance,
  sharers: readonly AnyRepository[],
): Problem | undefined {
  for (const sharer of sharers) {
    const { entitled } = maintainersOf(ports, keyOf(sharer));
    const first = entitled.find(
      (one) => !one.metadata.deletionTimestamp && orderOf(one) < orderOf(maintenance),
    );
    if (first) return refused(REASONS.sharedRepository, maintainedBy(first, sharer));
  }
  return undefined;
}

/**
 * Why the turn cannot be: it needs the repository for itself, and what works through another object does not wait for
 * it. An engine whose locks see to that needs no such care.
 */
export function hasteProblem(turn: Turn, sharers: readonly AnyRepository[]): Problem | undefined {
  const [sharer] = sharers;
  if (!sharer || !turn.immediate || turn.step !== "Maintain") return undefined;
  return refused(
    "NotAlone",
    `Space cannot be given back at once: ${repositoryText(keyOf(sharer))} stands for the same stored repository, and what works there does not wait for it. Ask for full instead of full-immediate.`,
  );
}

/** One of the whole cluster comes first, since no namespace may keep it from being maintained; then the oldest. */
function orderOf({ metadata, spec }: Maintenance): string {
  const rank = spec.repository.kind === "ClusterRepository" ? 0 : 1;
  return `${rank} ${metadata.creationTimestamp} ${keyOf(metadata)}`;
}

function maintainedBy(first: Maintenance, sharer: AnyRepository): string {
  return `The repository is not maintained from here: ${repositoryText(keyOf(sharer))} stands for the same stored repository, and Maintenance ${keyOf(first)} maintains that. Leave it so, or delete that Maintenance, and this one takes over.`;
}

import { durationMs } from "../policy/duration.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Problem } from "../reconcile/problem.ts";
import { cut } from "../reconcile/task_words.ts";
import type { CatalogRepository, CatalogState } from "./catalog_repository.ts";
import { BELIEVED_AFTER } from "./shrinkage.ts";
import { isAcknowledged } from "./shrunk_condition.ts";

const SHORTEST_INTERVAL = 10_000;
const TRANSIENT = { first: 30_000, longest: 900_000 };
const STRUCTURAL = 300_000;

/** How often the list of a repository is read, in milliseconds. */
export function refreshInterval({ spec }: CatalogRepository): number {
  return Math.max(SHORTEST_INTERVAL, durationMs(spec.catalog.refreshInterval));
}

/** When the list is to be read. A repository that was just created holds nothing, and can wait. */
export function refreshDue(repository: CatalogRepository, now: number): number {
  const { catalog, conditions = [] } = repository.status ?? {};
  const interval = refreshInterval(repository);
  const { nextRefreshAt, lastRefreshAt, observedGeneration, handledRefreshRequest, failures } = catalog ?? {};
  const asked = refreshRequest(repository);
  if (asked !== undefined && asked !== handledRefreshRequest) return now;
  if (nextRefreshAt === undefined) {
    const created = conditions.find(
      ({ type, reason }) => type === CONDITIONS.connected && reason === "Created",
    );
    return created ? Math.min(Date.parse(created.lastTransitionTime), now) + interval : now;
  }
  if (observedGeneration !== repository.metadata.generation) return now;
  if (isAcknowledged(repository) && !failures)
    return Math.max(now, Date.parse(lastRefreshAt ?? "") + BELIEVED_AFTER || 0);
  // A clock that was set back does not keep it waiting for longer than ever.
  return Math.min(Date.parse(nextRefreshAt), now + Math.max(interval, TRANSIENT.longest));
}

/** The request to read the list anew, where there is one. */
function refreshRequest(repository: CatalogRepository): string | undefined {
  const asked = annotationOf(repository, "refresh-catalog");
  return asked === undefined ? undefined : cut(asked, 128);
}

/** What a status remembers of a look, so that it is not taken again for the same reason. */
export function handledRequest(repository: CatalogRepository): CatalogState {
  const asked = refreshRequest(repository);
  const { generation } = repository.metadata;
  return {
    ...(asked === undefined ? {} : { handledRefreshRequest: asked }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** How long to wait after a look that failed, for the how many-th time in a row. */
export function pauseAfter(repository: CatalogRepository, problem: Problem, failures: number): number {
  if (problem.class === "transient")
    return Math.min(TRANSIENT.longest, TRANSIENT.first * 2 ** Math.min(failures - 1, 10));
  return Math.max(STRUCTURAL, problem.class === "terminal" ? refreshInterval(repository) : 0);
}

import { BELIEVED_AFTER } from "../../../core/catalog/shrinkage.ts";
import { durationMs } from "../../../core/policy/duration.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import type { Problem } from "../problem.ts";
import type { AnyRepository } from "../references.ts";
import { cut } from "../run_words.ts";
import { isAcknowledged } from "./shrunk_condition.ts";

const SHORTEST_INTERVAL = 10_000;
const TRANSIENT = { first: 30_000, longest: 900_000 };
const STRUCTURAL = 300_000;

/** How often the list of a repository is read, in milliseconds. */
export function refreshInterval({ spec }: AnyRepository): number {
  return Math.max(SHORTEST_INTERVAL, durationMs(spec.catalog.refreshInterval));
}

/** When the list is to be read. A repository that was just created holds nothing, and can wait for its turn. */
export function refreshDue(repository: AnyRepository, now: number): number {
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
function refreshRequest({ metadata }: AnyRepository): string | undefined {
  const asked = metadata.annotations?.[ANNOTATIONS.refreshCatalog];
  return asked === undefined ? undefined : cut(asked, 128);
}

/** What a status remembers of a look, so that it is not taken again for the same reason. */
export function handledRequest(repository: AnyRepository): NonNullable<RepositoryStatus["catalog"]> {
  const asked = refreshRequest(repository);
  const { generation } = repository.metadata;
  return {
    ...(asked === undefined ? {} : { handledRefreshRequest: asked }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** How long to wait after a look that failed, for the how many-th time in a row. */
export function pauseAfter(repository: AnyRepository, problem: Problem, failures: number): number {
  if (problem.class === "transient")
    return Math.min(TRANSIENT.longest, TRANSIENT.first * 2 ** Math.min(failures - 1, 10));
  return Math.max(STRUCTURAL, problem.class === "terminal" ? refreshInterval(repository) : 0);
}

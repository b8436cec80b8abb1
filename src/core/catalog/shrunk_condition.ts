import type { Condition, WantedCondition } from "../../kube/write/conditions.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { annotationName, annotationOf } from "../reconcile/annotations.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { CatalogRepository } from "./catalog_repository.ts";

const ACKNOWLEDGE = "acknowledge-catalog-shrink";

/** What says that too much is missing, while it does. */
export function shrunkCondition({ status }: Pick<CatalogRepository, "status">): Condition | undefined {
  return status?.conditions?.find(
    ({ type, status: holds }) => type === CONDITIONS.catalogShrunk && holds === "True",
  );
}

/** Somebody has looked, and says that what is missing may be given up. It holds for this one time. */
export function isAcknowledged(repository: CatalogRepository): boolean {
  const since = shrunkCondition(repository)?.lastTransitionTime;
  return since !== undefined && annotationOf(repository, ACKNOWLEDGE) === since;
}

/** How long the list was before; what came after it had shrunk is no measure. */
export function totalBefore(repository: CatalogRepository): number | undefined {
  return shrunkCondition(repository) ? undefined : repository.status?.catalog?.snapshotCount;
}

/** What is said of a repository whose list lacks too much: of the moment when that was first seen. */
export function shrunkSince(
  repository: CatalogRepository,
  { missing, known }: { readonly missing: number; readonly known: number },
  now: number,
): WantedCondition {
  const since = shrunkCondition(repository)?.lastTransitionTime ?? timestamp(now);
  const message =
    `${missing} of ${known} snapshots that backups stand for are not in the repository's list any more, so nothing is given up yet. ` +
    `Check that bucket, prefix and volume are the right ones. If the snapshots were deleted on purpose, set the annotation ${annotationName(repository, ACKNOWLEDGE)} to ${since}.`;
  return { type: CONDITIONS.catalogShrunk, status: "True", reason: "SnapshotsMissing", message };
}

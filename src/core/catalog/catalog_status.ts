import { mergeConditions } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Problem } from "../reconcile/problem.ts";
import { cut } from "../reconcile/task_words.ts";
import type { CatalogedState, CatalogRepository, CatalogState } from "./catalog_repository.ts";
import type { CatalogFigures } from "./decide_catalog.ts";
import { handledRequest, pauseAfter, refreshInterval } from "./refresh_due.ts";
import { shrunkSince } from "./shrunk_condition.ts";
import type { Survey } from "./survey.ts";

const MOST_IDENTITIES = 12;

/** A list that was read, and what followed from it. */
export interface Refreshed extends CatalogFigures {
  /** The repository as it was when it was asked: edits since then are looked at by themselves. */
  readonly asked: CatalogRepository;
  readonly survey: Survey;
}

/** The status of a repository whose list was read, and what followed from it carried out. */
export function refreshedStatus(
  repository: CatalogRepository,
  refreshed: Refreshed,
  now: number,
): CatalogedState {
  const { asked, survey, shown, hidden, shrunk } = refreshed;
  const { total, identities, logicalBytes } = survey;
  const message =
    `The repository holds ${count(total, "snapshot")} of ${count(identities.length, "identity", "identities")}; ` +
    `${shown} are shown as backups, ${hidden} are not.`;
  const current = { type: CONDITIONS.catalogCurrent, status: "True", reason: "Refreshed", message } as const;
  const wanted = [current, ...(shrunk ? [shrunkSince(repository, shrunk, now)] : [])];
  const kept = (repository.status?.conditions ?? []).filter(
    ({ type }) => type !== CONDITIONS.catalogShrunk || shrunk,
  );
  return {
    ...repository.status,
    storageStats: { ...repository.status?.storageStats, snapshotCount: total, logicalBytes },
    catalog: {
      snapshotCount: total,
      discoveredBackupCount: shown,
      hiddenSnapshotCount: hidden,
      identityCount: identities.length,
      identities: identityCounts(survey),
      lastRefreshAt: timestamp(now),
      nextRefreshAt: timestamp(now + refreshInterval(asked)),
      ...handledRequest(asked),
    },
    conditions: mergeConditions(kept, wanted, now),
  };
}

/** The status of a repository whose list could not be read: nothing follows from that, but that it is tried again. */
export function unreadStatus(
  repository: CatalogRepository,
  { asked, problem }: { readonly asked: CatalogRepository; readonly problem: Problem },
  now: number,
): CatalogedState {
  const { reason, message } = problem;
  const failures = (repository.status?.catalog?.failures ?? 0) + 1;
  const condition = { type: CONDITIONS.catalogCurrent, status: "False", reason, message } as const;
  return {
    ...repository.status,
    catalog: {
      ...repository.status?.catalog,
      failures,
      nextRefreshAt: timestamp(now + pauseAfter(asked, problem, failures)),
      ...handledRequest(asked),
    },
    conditions: mergeConditions(repository.status?.conditions ?? [], [condition], now),
  };
}

/** The status of a repository whose list nobody wants to see. */
export function switchedOffStatus({ status }: CatalogRepository): CatalogedState {
  const said: readonly string[] = [CONDITIONS.catalogCurrent, CONDITIONS.catalogShrunk];
  const conditions = (status?.conditions ?? []).filter(({ type }) => !said.includes(type));
  const { catalog: _, ...kept } = status ?? {};
  return { ...kept, ...(status?.conditions ? { conditions } : {}) };
}

/** What is told when the list cannot be read, or lacks too much; nothing while that stays so. */
export function catalogNews(
  { status: before }: CatalogRepository,
  after: CatalogedState,
): EventNote | undefined {
  const bad = (status: CatalogedState | undefined) =>
    status?.conditions?.find(
      ({ type, status: holds }) =>
        (type === CONDITIONS.catalogCurrent && holds === "False") ||
        (type === CONDITIONS.catalogShrunk && holds === "True"),
    );
  const now = bad(after);
  if (!now || bad(before)?.reason === now.reason) return undefined;
  return { type: "Warning", reason: now.reason, message: now.message };
}

function identityCounts({ identities }: Survey): NonNullable<CatalogState["identities"]> {
  return identities
    .toSorted((a, b) => b.snapshots - a.snapshots || (a.identity < b.identity ? -1 : 1))
    .slice(0, MOST_IDENTITIES)
    .map(({ identity, snapshots, newestAt }) => {
      const at = Date.parse(newestAt);
      return {
        identity: cut(identity, 256),
        snapshots,
        ...(Number.isNaN(at) ? {} : { newestAt: timestamp(at) }),
      };
    });
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

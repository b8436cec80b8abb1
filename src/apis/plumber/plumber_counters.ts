import type { ApiCounters } from "../../core/api.ts";
import type { SourceState } from "../../kinds/plumber/words.ts";
import type { Metrics } from "../../observe/metrics.ts";

/** What this API counts of itself. */
export interface PlumberTally {
  /** The repository's list was read. */
  refreshed(repo: string): void;
  refreshFailed(repo: string, reason: string): void;
  admitted(told: {
    readonly operation: string;
    readonly result: "allowed" | "injected" | "denied";
    readonly mode: string;
    readonly reason: string;
    readonly answer: "yes" | "no" | "unknown";
  }): void;
  generated(kind: string): void;
  failed(kind: string, reason: string): void;
  gated(state: SourceState): void;
  duplicate(): void;
  /** Who knows how old the list of backups is. */
  readAge(repo: string, list: ListAge): void;
}

/** How old a list of backups is now. */
export interface ListAge {
  /** In milliseconds; undefined where it was never read. */
  readonly age: number | undefined;
  readonly stale: boolean;
}

const nothing = () => {};

export const NO_TALLY: PlumberTally = {
  refreshed: nothing,
  refreshFailed: nothing,
  admitted: nothing,
  generated: nothing,
  failed: nothing,
  gated: nothing,
  duplicate: nothing,
  readAge: nothing,
};

/** The counters of this API, which it hands to itself. */
export function tallyOf(counters: ApiCounters | undefined): PlumberTally {
  return (counters?.own as PlumberTally | undefined) ?? NO_TALLY;
}

/** Adds the counters of this API, under the names of its document. */
export function plumberCounters(metrics: Metrics): ApiCounters {
  const count = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.counter({ name: `pvc_plumber_${name}`, help, labels: [...labels] });
  const refreshes = count("cache_refresh_total", "Times that a repository was asked for its backups", [
    "repo",
    "outcome",
  ]);
  const errors = count(
    "cache_refresh_errors_total",
    "Times that a repository did not say which backups it has",
    ["repo", "error_type"],
  );
  const requests = count("admission_requests_total", "PVCs that the webhooks judged", [
    "operation",
    "result",
    "mode",
  ]);
  const denied = count("admission_denied_total", "PVCs that the webhooks denied", ["reason", "mode"]);
  const injections = count("restore_injections_total", "PVCs that were told to get their data from a backup");
  const exists = count("backup_exists_total", "PVCs that had a backup when they were admitted");
  const unknown = count("backup_unknown_total", "PVCs of which nobody knew whether they had a backup");
  const generated = count("generated_resources_total", "Objects that were created for PVCs", ["kind"]);
  const failures = count("reconcile_errors_total", "Objects for PVCs that could not be written", [
    "kind",
    "reason",
  ]);
  const gated = count("source_gated_total", "Times that the backups of a PVC had to wait, by state", [
    "state",
  ]);
  const duplicates = count("duplicate_identity_total", "PVCs found with the backup identity of another");
  const lists = new Map<string, ListAge>();
  metrics.gauge({
    name: "pvc_plumber_cache_age_seconds",
    help: "Age of the list of backups that PVCs are admitted by",
    labels: ["repo"],
    read: () =>
      [...lists].flatMap(([repo, { age }]) =>
        age === undefined ? [] : [{ labels: { repo }, value: age / 1000 }],
      ),
  });
  metrics.gauge({
    name: "holdfast_backup_list_stale",
    help: "1 while the list of backups is too old to rely on, or was never read",
    labels: ["repo"],
    read: () => Array.from(lists, ([repo, { stale }]) => ({ labels: { repo }, value: stale ? 1 : 0 })),
  });
  const own: PlumberTally = {
    refreshed: (repo) => refreshes({ repo, outcome: "success" }),
    refreshFailed(repo, reason) {
      refreshes({ repo, outcome: "error" });
      errors({ repo, error_type: reason });
    },
    admitted({ operation, result, mode, reason, answer }) {
      requests({ operation, result, mode });
      if (result === "denied") denied({ reason, mode });
      if (result === "injected") injections({});
      if (answer === "yes") exists({});
      if (answer === "unknown") unknown({});
    },
    generated: (kind) => generated({ kind }),
    failed: (kind, reason) => failures({ kind, reason }),
    gated: (state) => gated({ state }),
    duplicate: () => duplicates({}),
    readAge: (repo, list) => void lists.set(repo, list),
  };
  return { own };
}

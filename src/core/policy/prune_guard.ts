/** A finished run, as far as it says whether its source is still what it was. */
export interface FinishedRun {
  readonly id: string;
  readonly at: number;
  readonly succeeded: boolean;
  /** Of the source, where known. */
  readonly bytes?: number | undefined;
  readonly files?: number | undefined;
}

export interface PruneGuardSettings {
  /** A source below this share of its recent median has shrunk. Zero looks away. */
  readonly smallestShare: number;
  /** This many failures in a row are a reason. Zero looks away. */
  readonly failures: number;
  /** How many successes make the median. */
  readonly recent: number;
}

export const PRUNE_GUARD: PruneGuardSettings = { smallestShare: 0.5, failures: 3, recent: 7 };

export interface PrunePause {
  readonly reason: "SourceShrank" | "RepeatedFailures";
  readonly message: string;
  /** Acknowledging this lets pruning go on, for this cause and no other. */
  readonly token: string;
}

export interface PruneGuardRequest {
  /** In any order. What a pause keeps from being pruned is still among them. */
  readonly runs: readonly FinishedRun[];
  readonly acknowledged: readonly string[];
  readonly settings?: PruneGuardSettings;
}

/**
 * Whether old snapshots must wait before they are pruned. A source that shrank pauses until that is acknowledged or the
 * source has its size again; meanwhile its small runs are not what later ones are measured by, or else the pause would end
 * by itself. Failures in a row pause until they are acknowledged or one succeeds.
 */
export function pruneGuard(request: PruneGuardRequest): PrunePause | undefined {
  const { acknowledged, settings = PRUNE_GUARD } = request;
  const runs = request.runs.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return shrinkage(runs, acknowledged, settings) ?? failures(runs, acknowledged, settings);
}

function shrinkage(
  runs: readonly FinishedRun[],
  acknowledged: readonly string[],
  settings: PruneGuardSettings,
): PrunePause | undefined {
  let trusted: FinishedRun[] = [];
  let pause: PrunePause | undefined;
  for (const run of runs) {
    if (!run.succeeded) continue;
    const token = `shrank-${run.id}`;
    if (acknowledged.includes(token)) trusted = [];
    const message = shrunk(run, trusted.slice(-settings.recent), settings.smallestShare);
    if (message === undefined) {
      trusted.push(run);
      pause = undefined;
    } else {
      pause ??= { reason: "SourceShrank", message, token };
    }
  }
  return pause;
}

/** How a run has shrunk against earlier ones, in words. */
function shrunk(run: FinishedRun, trusted: readonly FinishedRun[], share: number): string | undefined {
  for (const measure of ["bytes", "files"] as const) {
    const size = run[measure];
    const usual = median(trusted.flatMap((earlier) => earlier[measure] ?? []));
    if (size === undefined || usual === undefined || size >= usual * share) continue;
    return (
      `the source shrank to ${size} ${measure} in ${run.id}, from ${usual} as the median of the runs before it: ` +
      "if data is missing, restore an earlier snapshot; if the source is meant to be this small, acknowledge it, and pruning goes on"
    );
  }
  return undefined;
}

function failures(
  runs: readonly FinishedRun[],
  acknowledged: readonly string[],
  settings: PruneGuardSettings,
): PrunePause | undefined {
  const success = runs.findLastIndex(({ succeeded }) => succeeded);
  const count = runs.length - 1 - success;
  if (settings.failures <= 0 || count < settings.failures) return undefined;
  // Failed runs are cleared away while they go on, but the success before them stays.
  const token = `failing-since-${runs[success]?.id ?? "the-first"}`;
  if (acknowledged.includes(token)) return undefined;
  const message =
    `the last ${count} runs have failed, so that no new snapshot takes the place of an old one: ` +
    "put right what they report; pruning goes on with the next success, or when this is acknowledged";
  return { reason: "RepeatedFailures", message, token };
}

/** The upper one of two in the middle: when in doubt a source counts as larger. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

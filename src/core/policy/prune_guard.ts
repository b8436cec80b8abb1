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
  /**
   * Acknowledging this run lets pruning go on, for this cause and no other: the first that was small, or the last that
   * succeeded before the failures ({@link NO_RUN} where none did).
   */
  readonly run: string;
}

/** Stands for the success before failures, where there was none. */
export const NO_RUN = "none";

export interface PruneGuardRequest {
  /** In any order. What a pause keeps from being pruned is still among them. */
  readonly runs: readonly FinishedRun[];
  /** The run that was acknowledged, by the cause. */
  readonly acknowledged: Readonly<Partial<Record<PrunePause["reason"], string | undefined>>>;
  /** Failures since the last success as somebody counted them, where not all of them are among the runs any more. */
  readonly counted?: number;
  readonly settings?: PruneGuardSettings;
}

/**
 * Whether old snapshots must wait before they are pruned. A source that shrank pauses until that is acknowledged or the
 * source has its size again; meanwhile its small runs are not what later ones are measured by, or else the pause would end
 * by itself. Failures in a row pause until they are acknowledged or one succeeds.
 */
export function pruneGuard(request: PruneGuardRequest): PrunePause | undefined {
  const { acknowledged, counted = 0, settings = PRUNE_GUARD } = request;
  const runs = request.runs.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const shrank = shrinkage(runs, acknowledged.SourceShrank, settings);
  if (shrank) return shrank;
  const pause = failures(runs, counted, settings);
  return pause?.run === acknowledged.RepeatedFailures ? undefined : pause;
}

function shrinkage(
  runs: readonly FinishedRun[],
  acknowledged: string | undefined,
  settings: PruneGuardSettings,
): PrunePause | undefined {
  let pause: PrunePause | undefined;
  for (const { run, small } of measured(runs, acknowledged, settings)) {
    if (!small) pause = undefined;
    else pause ??= { reason: "SourceShrank", message: shrankText(run, small), run: run.id };
  }
  return pause;
}

/** Runs that were far smaller than the ones before them, and how, by their IDs. In any order. */
export function shrunkRuns(
  runs: readonly Omit<FinishedRun, "succeeded">[],
  acknowledged: string | undefined,
  settings: PruneGuardSettings = PRUNE_GUARD,
): ReadonlyMap<string, Smaller> {
  const inOrder = runs.map((run) => ({ ...run, succeeded: true })).toSorted((a, b) => a.at - b.at);
  const small = measured(inOrder, acknowledged, settings).flatMap(({ run, small: how }) =>
    how ? [[run.id, how] as const] : [],
  );
  return new Map(small);
}

/** How a run is smaller than those before it. */
export interface Smaller {
  readonly measure: "bytes" | "files";
  readonly size: number;
  /** The median of those before it. */
  readonly usual: number;
}

/** The runs that succeeded, with those that shrank told. What has shrunk is not what later ones are measured by. */
function measured(
  runs: readonly FinishedRun[],
  acknowledged: string | undefined,
  { recent, smallestShare }: PruneGuardSettings,
): readonly { readonly run: FinishedRun; readonly small: Smaller | undefined }[] {
  let trusted: FinishedRun[] = [];
  return runs
    .filter(({ succeeded }) => succeeded)
    .map((run) => {
      if (run.id === acknowledged) trusted = [];
      const small = smaller(run, trusted.slice(-recent), smallestShare);
      if (!small) trusted.push(run);
      return { run, small };
    });
}

function smaller(run: FinishedRun, trusted: readonly FinishedRun[], share: number): Smaller | undefined {
  for (const measure of ["bytes", "files"] as const) {
    const size = run[measure];
    const usual = median(trusted.flatMap((earlier) => earlier[measure] ?? []));
    if (size !== undefined && usual !== undefined && size < usual * share) return { measure, size, usual };
  }
  return undefined;
}

function shrankText({ id }: FinishedRun, { measure, size, usual }: Smaller): string {
  return (
    `the source shrank to ${size} ${measure} in ${id}, from ${usual} as the median of the runs before it: ` +
    "if data is missing, restore an earlier snapshot; if the source is meant to be this small, acknowledge it, and pruning goes on"
  );
}

function failures(
  runs: readonly FinishedRun[],
  counted: number,
  settings: PruneGuardSettings,
): PrunePause | undefined {
  const success = runs.findLastIndex(({ succeeded }) => succeeded);
  const present = runs.length - 1 - success;
  const count = present === 0 ? 0 : Math.max(present, counted);
  if (settings.failures <= 0 || count < settings.failures) return undefined;
  const message =
    `the last ${count} runs have failed, so that no new snapshot takes the place of an old one: ` +
    "put right what they report; pruning goes on with the next success";
  // Failed runs are cleared away while they go on, but the success before them stays.
  return { reason: "RepeatedFailures", message, run: runs[success]?.id ?? NO_RUN };
}

/** The upper one of two in the middle: when in doubt a source counts as larger. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

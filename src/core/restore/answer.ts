import { identityText } from "../../wire/identity.ts";
import type { CatalogAnswer } from "../../wire/report.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { type Candidate, whyPassedOver } from "../catalog/passed_over.ts";
import { PRUNE_GUARD, type Smaller, shrunkRuns } from "../policy/prune_guard.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { cut, readyStateOfTask } from "../reconcile/task_words.ts";
import { type Ask, pinAnswer, type ShrinkRule } from "./resolution.ts";
import type { Pinned, RestoreView, RestoreWords } from "./restore.ts";
import { endOfRestore } from "./restore_status.ts";

/** What came of asking the repository which snapshot it is. */
export type Answered =
  | { readonly type: "Asking"; readonly readyState: ReadyState }
  /** `run`: the run failed, rather than what it said. */
  | { readonly type: "Failed"; readonly readyState: ReadyState; readonly run: boolean }
  | { readonly type: "Pinned"; readonly readyState: ReadyState; readonly pinned: Pinned }
  /** It was answered before, and what it was is in the memory of whoever asked. */
  | { readonly type: "Over" };

/** What follows from the run that asks the repository. Only an answer of the repository itself is a "there is none". */
export function answered({ restore, api, now }: RestoreView, asked: Ask, { decision }: TaskPlan): Answered {
  const { words } = api;
  const { state } = decision;
  if (state.phase !== "Ended")
    return { type: "Asking", readyState: readyStateOfTask(state, "asking for the snapshot") };
  if (!state.result) return { type: "Over" };
  const { answer, failure } = state.result;
  const found = answer && "catalog" in answer ? answer.catalog : undefined;
  if (failure || !found) return { type: "Failed", run: true, readyState: endOfRestore(state) };
  const candidates = withShrunk(found, asked.shrink);
  const snapshot = pickSnapshot(candidates, asked.point, now);
  if (!snapshot && found.found > found.snapshots.length)
    return { type: "Failed", run: false, readyState: tooFarBack(words) };
  const passed = passedOver(newerThan(snapshot, candidates), asked.point, now);
  if (passed && !snapshot)
    return {
      type: "Failed",
      run: false,
      readyState: unusable(asked, passed, `edit the ${restore.kind}`, words),
    };
  if (snapshot && isUnmeasured(snapshot, found, asked.shrink))
    return { type: "Failed", run: false, readyState: unmeasured(snapshot, restore.kind, words) };
  const doubt = snapshot ? undefined : doubtOf(asked, found, words);
  if (!snapshot && !mayStartEmpty(asked, doubt))
    return { type: "Failed", run: false, readyState: noSnapshot(asked, doubt, words) };
  const readyState = snapshot && passed ? insteadOf(snapshot, passed, words) : DECIDED;
  return { type: "Pinned", readyState, pinned: pinAnswer(asked, snapshot, now) };
}

type Listed = Pick<CatalogAnswer, "snapshots" | "older">;

/** The snapshots of one identity, those told that are far smaller than the ones before them, listed or not. */
export function withShrunk(
  { snapshots, older = [] }: Listed,
  rule: ShrinkRule | undefined,
): readonly Selectable[] {
  if (!rule) return snapshots;
  const whole = snapshots.filter(({ incomplete }) => incomplete === undefined);
  const runs = whole.map(({ id, startedAt, bytes, files }) => ({
    id,
    at: Date.parse(startedAt),
    bytes,
    files,
  }));
  const accepted = snapshots.find(({ run }) => run !== undefined && run === rule.accepted)?.id;
  const settings = { ...PRUNE_GUARD, smallestShare: 1 - rule.maxShrinkPercent / 100 };
  const before = older
    .map(([at, bytes, files], i) => ({ id: `older-${i}`, at: at * 1000, bytes, files }))
    .filter(({ at }) => at >= (rule.measuredFrom ?? 0));
  const small = shrunkRuns([...before, ...runs], accepted, settings);
  return snapshots.map((one) => ({ ...one, shrunk: small.get(one.id) ?? knownAs(one, rule) }));
}

function knownAs({ run }: Snapshot, { known }: ShrinkRule): Smaller | undefined {
  return run === undefined ? undefined : known?.get(run);
}

/** Whether nobody knows what the source held before a snapshot: the list is cut, and says nothing of what it lacks. */
function isUnmeasured({ run }: Snapshot, found: CatalogAnswer, rule: ShrinkRule | undefined): boolean {
  if (!rule || rule.maxShrinkPercent >= 100 || rule.measuredFrom === Number.POSITIVE_INFINITY) return false;
  const isCut = found.found > found.snapshots.length && found.older === undefined;
  return isCut && !(run !== undefined && rule.known?.has(run));
}

/** A snapshot, and how it is far smaller than those before it. */
type Selectable = Snapshot & Pick<Candidate, "shrunk">;

/** Those that might have been meant instead; without one that is taken, all. */
function newerThan(taken: Snapshot | undefined, snapshots: readonly Selectable[]): readonly Selectable[] {
  if (!taken) return snapshots;
  return snapshots.filter(({ startedAt }) => !(Date.parse(startedAt) <= Date.parse(taken.startedAt)));
}

export const DECIDED: ReadyState = {
  state: "reconciling",
  reason: "Resolved",
  message: "What is restored is decided.",
};

function insteadOf({ id, startedAt }: Snapshot, passed: Passed, words: RestoreWords): ReadyState {
  const message = `Snapshot ${id}, of ${startedAt}, is restored. There is a newer one, ${passed.id}, which is not taken unasked: ${cut(passed.why, 200)}. Where that one is wanted, name it with ${words.snapshot}.`;
  return { state: "reconciling", reason: "Resolved", message, warning: true };
}

function tooFarBack({ moment, snapshot }: RestoreWords): ReadyState {
  const message = `The snapshot is not among the newest hundred of its identity. Name a moment closer to it with ${moment}, or the snapshot itself with ${snapshot}.`;
  return { state: "stalled", reason: "TooFarBack", message };
}

function unmeasured({ id, startedAt }: Snapshot, kind: string, { snapshot }: RestoreWords): ReadyState {
  const message = `The repository's list of snapshots reached the operator cut short, so that it is not known whether snapshot ${id}, of ${startedAt}, is far smaller than those before it. Edit the ${kind} to ask again, or name the snapshot with ${snapshot}.`;
  return { state: "stalled", reason: "SizesUnknown", message };
}

function unusable(
  { identity }: Ask,
  { id, why }: Passed,
  edit: string,
  { snapshot }: RestoreWords,
): ReadyState {
  const message = `The repository holds snapshots of ${identityText(identity)}, and none that can be taken unasked. Of ${id}: ${cut(why, 200)}. Put the clocks right and ${edit}, or name a snapshot with ${snapshot}.`;
  return { state: "stalled", reason: "SnapshotsUnusable", message };
}

/** Whether there are snapshots of the identity, though not the one that is meant. Who does not say so may have some. */
function holdsOthers({ found, later }: CatalogAnswer, { point }: Ask): boolean {
  return found > 0 || (point.asOf !== undefined && later !== 0);
}

/** Why this is hardly the first deployment of the volume; undefined where it may be. */
function doubtOf(asked: Ask, found: CatalogAnswer, { point }: RestoreWords): string | undefined {
  const whose = identityText(asked.identity);
  if (holdsOthers(found, asked))
    return `The repository holds snapshots of ${whose}, and none as far back as ${point} say. Choose another with these`;
  if (asked.backedUpBefore)
    return `The repository holds no snapshot of ${whose}, though the volume was backed up before, perhaps to another repository or under another identity. Choose another source`;
  return undefined;
}

function noSnapshot({ identity }: Ask, doubt: string | undefined, { startEmpty }: RestoreWords): ReadyState {
  const why = doubt ?? `The repository holds no snapshot of ${identityText(identity)}. Choose another source`;
  const message = `${why}, or set ${startEmpty} for an empty volume.`;
  return { state: "stalled", reason: "NoSnapshot", message };
}

function without(outcome: string): ReadyState {
  const message = `The repository answered that it holds no such snapshot: the volume is ${outcome}, as the policy wants it.`;
  return { state: "ready", reason: "NoSnapshot", message };
}

/** Of a volume that was there already. */
export const UNTOUCHED = without("left as it is");

/** Of a volume that was made for the data. */
export const EMPTY = without("empty");

/** A volume whose first backup is still to come starts empty unasked; one that has been backed up does not. */
function mayStartEmpty({ startEmpty }: Ask, doubt: string | undefined): boolean {
  return startEmpty === "Always" || (startEmpty === "IfNew" && !doubt);
}

/** Which of an identity's snapshots is meant. */
export interface PointInTime {
  /** The newest snapshot at this time, or before. */
  readonly asOf?: string | undefined;
  /** How many to go back from there. Default 0. */
  readonly offset?: number | undefined;
}

/**
 * The snapshot that is meant, among those of one identity, newest first. One from the future is not taken for the
 * newest: whose clock was wrong is not known.
 */
export function pickSnapshot(
  snapshots: readonly Selectable[],
  { asOf, offset = 0 }: PointInTime,
  now: number,
): Snapshot | undefined {
  const latest = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  return snapshots
    .filter((one) => Date.parse(one.startedAt) <= latest && whyPassedOver(one, { asOf, now }) === undefined)
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))[offset];
}

/** A snapshot that might have been meant, and why it is not taken unless somebody names it. */
export interface Passed {
  readonly id: string;
  readonly why: string;
}

/** The first of those that `pickSnapshot` passes over for what they are: while there is one, nothing is not "none". */
export function passedOver(
  snapshots: readonly Selectable[],
  { asOf }: PointInTime,
  now: number,
): Passed | undefined {
  for (const one of snapshots) {
    const late = asOf !== undefined && Date.parse(one.startedAt) > Date.parse(asOf);
    const why = late ? undefined : whyPassedOver(one, { asOf, now });
    if (why !== undefined) return { id: one.id, why };
  }
  return undefined;
}

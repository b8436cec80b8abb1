import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { identityText } from "../../../wire/identity.ts";
import type { CatalogAnswer } from "../../../wire/report.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import type { Outlook } from "../outlook.ts";
import { cut, standOfTask } from "../run_words.ts";
import type { Stand } from "../verdicts.ts";
import { type Passed, passedOver, pickSnapshot } from "./pick_snapshot.ts";
import { type Pinned, pinAnswer, type Resolution, type Sources } from "./resolution.ts";
import { endOfRestore } from "./restore_progress.ts";

/** What came of asking the repository which snapshot it is. */
export type Answered =
  | { readonly type: "Asking"; readonly stand: Stand }
  /** `run`: the run failed, rather than what it said. */
  | { readonly type: "Failed"; readonly stand: Stand; readonly run: boolean }
  | { readonly type: "Pinned"; readonly stand: Stand; readonly pinned: Pinned }
  /** It was answered before, and what it was is in the memory of whoever asked. */
  | { readonly type: "Over" };

type Ask = Extract<Resolution, { readonly type: "Ask" }>;

/** What follows from the run that asks the repository. Only an answer of the repository itself is a "there is none". */
export function answered(sources: Sources, asked: Ask, { decision }: Outlook): Answered {
  const { restore, now } = sources;
  const { state } = decision;
  if (state.phase !== "Ended")
    return { type: "Asking", stand: standOfTask(state, "asking for the snapshot") };
  if (!state.result) return { type: "Over" };
  const { answer, failure } = state.result;
  const found = answer && "catalog" in answer ? answer.catalog : undefined;
  if (failure || !found) return { type: "Failed", run: true, stand: endOfRestore(state) };
  const snapshot = pickSnapshot(found.snapshots, asked.point, now);
  if (!snapshot && found.found > found.snapshots.length)
    return { type: "Failed", run: false, stand: TOO_FAR_BACK };
  const passed = passedOver(newerThan(snapshot, found.snapshots), asked.point, now);
  if (passed && !snapshot) return { type: "Failed", run: false, stand: unusable(asked, passed) };
  const doubt = snapshot ? undefined : doubtOf(sources, asked, found);
  if (!snapshot && !mayContinue(restore, doubt))
    return { type: "Failed", run: false, stand: noSnapshot(asked, doubt) };
  const stand = snapshot && passed ? insteadOf(snapshot, passed) : DECIDED;
  return { type: "Pinned", stand, pinned: pinAnswer(sources, asked, snapshot) };
}

/** Those that might have been meant instead; without one that is taken, all. */
function newerThan(taken: Snapshot | undefined, snapshots: readonly Snapshot[]): readonly Snapshot[] {
  if (!taken) return snapshots;
  return snapshots.filter(({ startedAt }) => !(Date.parse(startedAt) <= Date.parse(taken.startedAt)));
}

export const DECIDED: Stand = {
  state: "reconciling",
  reason: "Resolved",
  message: "What is restored is decided.",
};

function insteadOf({ id, startedAt }: Snapshot, passed: Passed): Stand {
  const message = `Snapshot ${id}, of ${startedAt}, is restored. There is a newer one, ${passed.id}, which is not taken unasked: ${cut(passed.why, 200)}. Where that one is wanted, name it with source.identity.snapshotID.`;
  return { state: "reconciling", reason: "Resolved", message, warning: true };
}

const TOO_FAR_BACK: Stand = {
  state: "stalled",
  reason: "TooFarBack",
  message:
    "The snapshot is not among the newest hundred of its identity. Name a moment closer to it with asOf, or the snapshot itself with source.identity.snapshotID.",
};

function unusable({ identity }: Ask, { id, why }: Passed): Stand {
  const message = `The repository holds snapshots of ${identityText(identity)}, and none that can be taken unasked. Of ${id}: ${cut(why, 200)}. Put the clocks right and edit the Restore, or name a snapshot with source.identity.snapshotID.`;
  return { state: "stalled", reason: "SnapshotsUnusable", message };
}

/** Whether there are snapshots of the identity, though not the one that is meant. Who does not say so may have some. */
function holdsOthers({ found, later }: CatalogAnswer, { point }: Ask): boolean {
  return found > 0 || (point.asOf !== undefined && later !== 0);
}

/**
 * Whether the recipe has backed the volume up, wherever to and under whatever path. Where the newest of its Backups is
 * gone, nobody can tell which volumes it held.
 */
function wasBackedUp({ config, made = [] }: Sources, { identity }: Ask): boolean {
  const { lastSuccessfulBackup: newest, resolved } = config?.status ?? {};
  const volume = resolved?.identity?.sources?.find(({ sourcePath }) => sourcePath === identity.path);
  const successes = made.filter(({ status }) => status?.phase === "Succeeded");
  const isHeld = successes.some(({ status }) => status?.snapshots?.some(({ pvc }) => pvc === volume?.pvc));
  const isGone = newest && !successes.some(({ metadata }) => metadata.name === newest.name);
  return isHeld || isGone === true;
}

/** Why this is hardly the first deployment of the volume; undefined where it may be. */
function doubtOf(sources: Sources, asked: Ask, found: CatalogAnswer): string | undefined {
  const whose = identityText(asked.identity);
  if (holdsOthers(found, asked))
    return `The repository holds snapshots of ${whose}, and none as far back as asOf and offset say. Choose another with these`;
  if (wasBackedUp(sources, asked))
    return `The repository holds no snapshot of ${whose}, though the recipe has backed the volume up before, perhaps to another repository or under another identity. Choose another source`;
  return undefined;
}

function noSnapshot({ identity }: Ask, doubt: string | undefined): Stand {
  const why = doubt ?? `The repository holds no snapshot of ${identityText(identity)}. Choose another source`;
  const message = `${why}, or set policy.onMissingSnapshot: Continue for an empty volume.`;
  return { state: "stalled", reason: "NoSnapshot", message };
}

/** Of a volume that was there already. */
export const UNTOUCHED: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message:
    "The repository answered that it holds no such snapshot: the volume is left as it is, as the policy wants it.",
};

/** Of a volume that was made for the data. */
export const EMPTY: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message:
    "The repository answered that it holds no such snapshot: the volume is empty, as the policy wants it.",
};

/** A volume whose first backup is still to come starts empty unasked; one that has been backed up does not. */
function mayContinue({ spec }: Restore, doubt: string | undefined): boolean {
  const { onMissingSnapshot = spec.source.fromConfig && !doubt ? "Continue" : "Fail" } = spec.policy;
  return onMissingSnapshot === "Continue";
}

import { isCancelled } from "../../../core/backup/backup_annotations.ts";
import { CANCELLED } from "../../../core/backup/backup_progress.ts";
import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import {
  conditionsFor,
  newsOf,
  type ReadyState,
  readyStateOf,
  wakeFor,
} from "../../../core/reconcile/ready_state.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { someOf } from "../../../lib/some_of.ts";
import { soonest } from "../../../lib/soonest.ts";
import { originOf } from "../backup/backup_labels.ts";
import type { Decision } from "../decision.ts";
import { type ChildIntent, type ChildPlace, isChildOf, onlyChildDraft } from "./child.ts";
import { type ChildEnd, endOfChild, goneAway, nameTaken, wordsOfChild } from "./child_words.ts";
import { sumOf } from "./sum_of.ts";
import { type ObservedChild, type ObservedChildren, tellChild } from "./tell_child.ts";

/**
 * What follows for a Backup whose work others do, and which tells how they go. Volumes, credentials and hooks are those of
 * the BackupConfig, and stay in its namespace; a mover mounts claims of its own namespace alone. So a Backup there does the
 * work, and stands for the snapshots.
 */
export function decideChildren(observed: ObservedChildren): Decision<BackupStatus> {
  const { backup, children } = observed;
  const held = backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP);
  if (backup.metadata.deletionTimestamp) return held ? decideEnd(observed) : { intents: [] };
  if (!held) {
    const labels = { [LABELS.origin]: originOf(backup) };
    return { intents: [{ type: "Hold", finalizer: SNAPSHOT_CLEANUP, labels }] };
  }
  return "only" in children ? decideOnly(observed, children.only) : decideEach(observed, children.each);
}

/** One child does all the work. */
function decideOnly(observed: ObservedChildren, only: ObservedChild): Decision<BackupStatus> {
  const { backup, problem } = observed;
  const { child, place, consent } = only;
  if (child && !isChildOf(child, backup)) return waiting(observed, nameTaken(child));
  if (child) return mirrored(observed, only, child);
  const end = endWithout(backup, only);
  if (end) {
    const over = backup.status?.phase === "Succeeded" || backup.status?.phase === "Failed";
    return over ? { intents: [] } : decided(observed, end, { phase: "Failed" });
  }
  if (problem) return waiting(observed, problem);
  const message = `Backup ${keyOf(place)} is made beside the BackupConfig, and does the work.`;
  const readyState: ReadyState = { state: "reconciling", reason: "OtherBackupsRun", message };
  const make: ChildIntent = { type: "Make", draft: onlyChildDraft(backup, consent) };
  return decided(observed, readyState, { phase: "Pending", backupRef: place }, [make]);
}

/** Why nobody does the work any more, or is to begin it. */
function endWithout(backup: Backup, { known, place }: ObservedChild): ReadyState | undefined {
  if (known?.uid !== undefined) return goneAway(place);
  return isCancelled(backup) ? CANCELLED : undefined;
}

/** What the child says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function mirrored(
  observed: ObservedChildren,
  { place, consent }: ObservedChild,
  child: Backup,
): Decision<BackupStatus> {
  const { backup, problem, now } = observed;
  const { phase = "Pending", timing, stats, progress, failure, losses } = child.status ?? {};
  const { readyState, intents, unheard } = wordsOfChild({ backup, problem, consent }, child);
  // One that ended and goes afterwards has ended nonetheless.
  const shown = phase === "Deleting" ? (backup.status?.phase ?? "Pending") : phase;
  const fields = {
    phase: shown,
    backupRef: { ...place, uid: child.metadata.uid },
    ...(timing ? { timing } : {}),
    ...(stats ? { stats } : {}),
    ...(progress ? { progress } : {}),
    ...(failure ? { failure } : {}),
    ...(losses ? { losses } : {}),
  };
  const decision = decided(observed, readyState, fields, intents);
  return unheard ? { ...decision, wakeAt: wakeFor(unheard, now) } : decision;
}

/** A child in each namespace does its part. */
function decideEach(observed: ObservedChildren, each: readonly ObservedChild[]): Decision<BackupStatus> {
  const { backup, problem, now } = observed;
  if (!backup.status?.backupRefs) {
    if (isCancelled(backup)) return decided(observed, CANCELLED, { phase: "Failed" });
    const hindrance = problem ?? nothingIn(each);
    if (hindrance) return waiting(observed, hindrance);
  }
  const told = each.map((one) => tellChild(observed, one));
  const { readyState, fields } = sumOf(backup, told, now);
  const intents = told.flatMap((one) => one.intents);
  const wakeAt = soonest(...told.map((one) => one.wakeAt));
  return { ...decided(observed, readyState, fields, intents), wakeAt };
}

function nothingIn(each: readonly ObservedChild[]): Problem | undefined {
  if (!each.every(({ readyState }) => readyState?.state === "empty")) return undefined;
  const where = someOf(each.map(({ namespace }) => namespace));
  return blocked(
    "NoSources",
    `No claim of namespaces ${where} matches the selectors, so that there is nothing to back up. Label the claims, or correct spec.sources.`,
  );
}

/** The parent goes, once each child has gone that is known to be its own to take along, by its policy. */
function decideEnd(observed: ObservedChildren): Decision<BackupStatus> {
  const { backup, children, namespaceGoing } = observed;
  const ends = ("only" in children ? [children.only] : children.each).map(
    ({ place, known, consent, doubt: problem, child, unseen }): ChildEnd =>
      unseen && known?.name
        ? { type: "Over", events: [staysUnseen(place)] }
        : endOfChild({ backup, problem, consent, child, namespaceGoing }),
  );
  const of = <T extends ChildEnd["type"]>(type: T) =>
    ends.filter((end): end is Extract<ChildEnd, { readonly type: T }> => end.type === type);
  const [going] = of("Going");
  const [doubted] = of("Held");
  const intents = of("Going").flatMap((end) => end.intents);
  if (going) return decided(observed, going.readyState, { phase: "Deleting" }, intents);
  if (doubted) return waiting(observed, doubted.problem, "Deleting");
  const events = of("Over").flatMap((end) => end.events);
  return { intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }], events };
}

/** Whoever looks after that namespace looks after what is there. */
function staysUnseen(place: ChildPlace): EventNote {
  const message = `Backup ${keyOf(place)}, if it is there, stays, and its snapshots with it: this operator does not look after namespace ${place.namespace}. Delete it there if it is not wanted.`;
  return { type: "Normal", reason: REASONS.snapshotOrphaned, message };
}

function decided(
  { backup, now }: ObservedChildren,
  readyState: ReadyState,
  fields: Partial<BackupStatus>,
  intents: readonly ChildIntent[] = [],
): Decision<BackupStatus> {
  const { progress: _, failure: __, ...kept } = backup.status ?? {};
  const { generation } = backup.metadata;
  return {
    status: {
      ...kept,
      origin: originOf(backup),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      conditions: conditionsFor(backup, readyState, [], now),
    },
    intents: intents.length > 0 ? [{ type: "Children", intents }] : [],
    events: newsOf(backup, readyState),
  };
}

function waiting(
  observed: ObservedChildren,
  problem: Problem,
  phase: "Pending" | "Deleting" = "Pending",
): Decision<BackupStatus> {
  const wakeAt = wakeFor(problem, observed.now);
  return { ...decided(observed, readyStateOf(problem), { phase }), wakeAt };
}

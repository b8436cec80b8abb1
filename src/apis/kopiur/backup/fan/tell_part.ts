import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { unreachable } from "../../../../lib/result.ts";
import type { Intent } from "../../decision.ts";
import { blocked, type Problem } from "../../problem.ts";
import { cut, LONGEST_OF_MANY } from "../../run_words.ts";
import { wakeFor } from "../../verdicts.ts";
import { CANCELLED } from "../backup_progress.ts";
import { isCancelled } from "../backup_wishes.ts";
import { isDelegateOf, partDraft } from "../delegate/delegate_of.ts";
import { goneAway, nameTaken, wordsOfDelegate } from "../delegate/delegate_words.ts";
import type { FanPart, ObservedFan } from "./decide_fan.ts";
import { type BackupPart, hasEnded, type ToldPart } from "./sum_of.ts";

/** How a Backup goes in one namespace, and what is to be done about it there. */
export function tellPart(observed: ObservedFan, part: FanPart): ToldPart {
  const { backup, problem, now } = observed;
  const { namespace, place, known, delegate, stand, unseen } = part;
  const kept = (entry: BackupPart): ToldPart => ({ entry, intents: [] });
  if (delegate) return toldBy(observed, part, delegate);
  // What cannot be seen from here is not gone.
  if (unseen && known?.name) return kept(known);
  if (known?.uid) return hasEnded(known) ? kept(known) : failed(part, goneAway(place).message);
  // What has ended is begun again only by an edit, and is not cancelled any more.
  if (known && hasEnded(known) && !isReopened(backup, known)) return kept(known);
  if (isCancelled(backup)) return failed(part, CANCELLED.message);
  if (problem) return waiting(part, problem, now);
  if (!stand) return failed(part, `The recipe is not about namespace ${namespace} any more.`);
  switch (stand.state) {
    case "failed":
      return failed(part, stand.message);
    case "empty":
      return { entry: entryOf(part, "Skipped", stand.message), intents: [] };
    case "ready":
      return made(backup, part);
    case "making":
    case "waiting":
      return waiting(part, { class: "transient", ...stand }, now);
    default:
      return unreachable(stand.state);
  }
}

/**
 * Whether a part may be begun again: the Backup has not ended, or failed and was edited since. What the API server
 * refused is not tried again with each look.
 */
function isReopened({ metadata, status }: Backup, { refused = false }: BackupPart): boolean {
  if (status?.phase === "Succeeded") return false;
  const final = status?.phase === "Failed" || refused;
  return !final || status?.observedGeneration !== metadata.generation;
}

function made(backup: Backup, { namespace, place, consent, config }: FanPart): ToldPart {
  const draft = partDraft(backup, consent, namespace, config);
  const make: Intent = { type: "Delegate", intent: { type: "Make", draft } };
  return { entry: { ...place, phase: "Pending" }, intents: [make] };
}

/** What the Backup there says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function toldBy({ backup, now }: ObservedFan, part: FanPart, delegate: Backup): ToldPart {
  const { place, consent, stand: reach, known } = part;
  if (!isDelegateOf(delegate, backup)) return failed(part, nameTaken(delegate).message);
  const problem = reach && blocked(reach.reason, reach.message);
  const { stand, intents, unheard } = wordsOfDelegate({ backup, problem, consent }, delegate);
  const phase = phaseOf(delegate, known);
  return {
    entry: {
      ...place,
      uid: delegate.metadata.uid,
      phase,
      snapshots: delegate.status?.snapshots?.length ?? 0,
      ...(phase === "Succeeded" ? {} : { message: cut(stand.message, LONGEST_OF_MANY) }),
    },
    intents,
    delegate,
    ...(unheard ? { wakeAt: wakeFor(unheard, now) } : {}),
  };
}

/** One that ended and goes afterwards has ended nonetheless. */
function phaseOf({ status }: Backup, known: BackupPart | undefined): BackupPart["phase"] {
  const phase = status?.phase ?? "Pending";
  if (phase === "Deleting" || phase === "Discovered") return known?.phase ?? "Pending";
  return phase;
}

function failed(part: FanPart, message: string): ToldPart {
  return { entry: entryOf(part, "Failed", message), intents: [] };
}

function waiting(part: FanPart, problem: Problem, now: number): ToldPart {
  return {
    entry: entryOf(part, "Pending", problem.message),
    intents: [],
    wakeAt: wakeFor(problem, now),
  };
}

/** What was noted before stays: by its name, one that was just made is found though no cache has it yet. */
function entryOf({ namespace, known }: FanPart, phase: BackupPart["phase"], message: string): BackupPart {
  const { refused: _, ...noted } = known ?? {};
  return { ...noted, namespace, phase, message: cut(message, LONGEST_OF_MANY) };
}

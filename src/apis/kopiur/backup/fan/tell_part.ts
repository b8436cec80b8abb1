import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { unreachable } from "../../../../lib/result.ts";
import type { Intent } from "../../decision.ts";
import { blocked, type Problem } from "../../problem.ts";
import { cut } from "../../run_words.ts";
import { wakeFor } from "../../verdicts.ts";
import { isDelegateOf, partDraft } from "../delegate/delegate_of.ts";
import { goneAway, nameTaken, wordsOfDelegate } from "../delegate/delegate_words.ts";
import { CANCELLED, isCancelled } from "../is_cancelled.ts";
import type { FanPart, ObservedFan } from "./decide_fan.ts";
import { type BackupPart, hasEnded, type ToldPart } from "./sum_of.ts";

/** With as many namespaces as there may be, a status has room for no more. */
const LONGEST_MESSAGE = 120;

/** How a Backup goes in one namespace, and what is to be done about it there. */
export function tellPart(observed: ObservedFan, part: FanPart): ToldPart {
  const { backup, problem, now } = observed;
  const { namespace, place, known, delegate, stand } = part;
  const kept = (entry: BackupPart): ToldPart => ({ entry, intents: [] });
  if (delegate) return toldBy(observed, part, delegate);
  if (known?.uid) {
    return hasEnded(known) ? kept(known) : failed(namespace, goneAway(place).message, known);
  }
  if (isCancelled(backup)) return failed(namespace, CANCELLED.message);
  // What has ended is begun again only by an edit.
  if (known && hasEnded(known) && !isReopened(backup)) return kept(known);
  if (problem) return waiting(namespace, problem, now);
  if (!stand) return failed(namespace, `The recipe is not about namespace ${namespace} any more.`);
  switch (stand.state) {
    case "failed":
      return failed(namespace, stand.message);
    case "empty":
      return kept({ namespace, phase: "Skipped", message: cut(stand.message, LONGEST_MESSAGE) });
    case "ready":
      return made(backup, part);
    case "making":
    case "waiting":
      return waiting(namespace, { class: "transient", ...stand }, now);
    default:
      return unreachable(stand.state);
  }
}

/** Whether it has not ended, or was edited since. */
function isReopened({ metadata, status }: Backup): boolean {
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
  return !ended || status.observedGeneration !== metadata.generation;
}

function made(backup: Backup, { namespace, place, consent, config }: FanPart): ToldPart {
  const draft = partDraft(backup, consent, namespace, config);
  const make: Intent = { type: "Delegate", intent: { type: "Make", draft } };
  return { entry: { ...place, phase: "Pending" }, intents: [make] };
}

/** What the Backup there says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function toldBy({ backup, now }: ObservedFan, part: FanPart, delegate: Backup): ToldPart {
  const { namespace, place, consent, stand: reach, known } = part;
  if (!isDelegateOf(delegate, backup)) return failed(namespace, nameTaken(delegate).message);
  const problem = reach && blocked(reach.reason, reach.message);
  const { stand, intents, unheard } = wordsOfDelegate({ backup, problem, consent }, delegate);
  const phase = phaseOf(delegate, known);
  return {
    entry: {
      ...place,
      uid: delegate.metadata.uid,
      phase,
      ...(phase === "Succeeded" ? {} : { message: cut(stand.message, LONGEST_MESSAGE) }),
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

function failed(namespace: string, message: string, known?: BackupPart): ToldPart {
  const entry = { ...known, namespace, phase: "Failed", message: cut(message, LONGEST_MESSAGE) } as const;
  return { entry, intents: [] };
}

function waiting(namespace: string, problem: Problem, now: number): ToldPart {
  const message = cut(problem.message, LONGEST_MESSAGE);
  return { entry: { namespace, phase: "Pending", message }, intents: [], wakeAt: wakeFor(problem, now) };
}

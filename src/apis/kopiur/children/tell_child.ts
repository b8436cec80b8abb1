import { isCancelled } from "../../../core/backup/backup_annotations.ts";
import { CANCELLED } from "../../../core/backup/backup_progress.ts";
import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import { wakeFor } from "../../../core/reconcile/ready_state.ts";
import { cut, LONGEST_OF_MANY } from "../../../core/reconcile/task_words.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { unreachable } from "../../../lib/result.ts";
import type { NamespaceState } from "../multi_namespace/namespace_state.ts";
import { type ChildEntry, type ChildPlace, type Consent, childDraft, isChildOf } from "./child.ts";
import { goneAway, nameTaken, wordsOfChild } from "./child_words.ts";
import { hasEnded, type ToldChild } from "./sum_of.ts";

/** A child in a namespace, whether or not it is there. */
export interface ObservedChild {
  readonly namespace: string;
  /** Where the child is, or would be. */
  readonly place: ChildPlace;
  /** What the status says of it so far. */
  readonly known: ChildEntry | undefined;
  /** What has its name. */
  readonly child: Backup | undefined;
  /** Who lets it do the work there. */
  readonly consent: Consent;
  /** Why that is not known. */
  readonly doubt: Problem | undefined;
  /** Name of the BackupConfig there. */
  readonly config: string;
  /** One of several: how the BackupConfig stands there; absent where it is not about that namespace any more. */
  readonly readyState: NamespaceState | undefined;
  /** One of several: this operator looks after another namespace alone, and does not know what is there. */
  readonly unseen: boolean;
}

export interface ObservedChildren {
  readonly backup: Backup;
  /** One does all the work, beside the BackupConfig in another namespace; or one in each of several namespaces. */
  readonly children: { readonly only: ObservedChild } | { readonly each: readonly ObservedChild[] };
  /** Why the BackupConfig is not to be run anywhere now. */
  readonly problem: Problem | undefined;
  /** The Backup's own namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
  readonly now: number;
}

/** How a Backup goes in one namespace, and what is to be done about it there. */
export function tellChild(
  observed: Pick<ObservedChildren, "backup" | "problem" | "now">,
  part: ObservedChild,
): ToldChild {
  const { backup, problem, now } = observed;
  const { namespace, place, known, child, readyState, unseen } = part;
  const kept = (entry: ChildEntry): ToldChild => ({ entry, intents: [] });
  if (child) return toldBy(observed, part, child);
  // What cannot be seen from here is not gone.
  if (unseen && known?.name) return kept(known);
  if (known?.uid) return hasEnded(known) ? kept(known) : failed(part, goneAway(place).message);
  // What has ended is begun again only by an edit, and is not cancelled any more.
  if (known && hasEnded(known) && !isReopened(backup, known)) return kept(known);
  if (isCancelled(backup)) return failed(part, CANCELLED.message);
  if (problem) return waiting(part, problem, now);
  if (!readyState) return failed(part, `The BackupConfig is not about namespace ${namespace} any more.`);
  switch (readyState.state) {
    case "failed":
      return failed(part, readyState.message);
    case "empty":
      return { entry: entryOf(part, "Skipped", readyState.message), intents: [] };
    case "ready":
      return made(backup, part);
    case "making":
    case "waiting":
      return waiting(part, { class: "transient", ...readyState }, now);
    default:
      return unreachable(readyState.state);
  }
}

/**
 * Whether a part may be begun again: the Backup has not ended, or failed and was edited since. What the API server
 * refused is not tried again with each look.
 */
function isReopened({ metadata, status }: Backup, { refused = false }: ChildEntry): boolean {
  if (status?.phase === "Succeeded") return false;
  const final = status?.phase === "Failed" || refused;
  return !final || status?.observedGeneration !== metadata.generation;
}

function made(backup: Backup, { namespace, place, consent, config }: ObservedChild): ToldChild {
  const draft = childDraft(backup, consent, namespace, config);
  return { entry: { ...place, phase: "Pending" }, intents: [{ type: "Make", draft }] };
}

/** What the Backup there says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function toldBy(
  { backup, now }: Pick<ObservedChildren, "backup" | "now">,
  part: ObservedChild,
  child: Backup,
): ToldChild {
  const { place, consent, readyState: reach, known } = part;
  if (!isChildOf(child, backup)) return failed(part, nameTaken(child).message);
  const problem = reach && blocked(reach.reason, reach.message);
  const { readyState, intents, unheard } = wordsOfChild({ backup, problem, consent }, child);
  const phase = phaseOf(child, known);
  return {
    entry: {
      ...place,
      uid: child.metadata.uid,
      phase,
      snapshots: child.status?.snapshots?.length ?? 0,
      ...(phase === "Succeeded" ? {} : { message: cut(readyState.message, LONGEST_OF_MANY) }),
    },
    intents,
    child,
    ...(unheard ? { wakeAt: wakeFor(unheard, now) } : {}),
  };
}

/** One that ended and goes afterwards has ended nonetheless. */
function phaseOf({ status }: Backup, known: ChildEntry | undefined): ChildEntry["phase"] {
  const phase = status?.phase ?? "Pending";
  if (phase === "Deleting" || phase === "Discovered") return known?.phase ?? "Pending";
  return phase;
}

function failed(part: ObservedChild, message: string): ToldChild {
  return { entry: entryOf(part, "Failed", message), intents: [] };
}

function waiting(part: ObservedChild, problem: Problem, now: number): ToldChild {
  return {
    entry: entryOf(part, "Pending", problem.message),
    intents: [],
    wakeAt: wakeFor(problem, now),
  };
}

/** What was noted before stays: by its name, one that was just made is found though no cache has it yet. */
function entryOf(
  { namespace, known }: ObservedChild,
  phase: ChildEntry["phase"],
  message: string,
): ChildEntry {
  const { refused: _, ...noted } = known ?? {};
  return { ...noted, namespace, phase, message: cut(message, LONGEST_OF_MANY) };
}

import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import { REASONS } from "../../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { EventNote } from "../../../../kube/write/events.ts";
import { someOf } from "../../../../lib/some_of.ts";
import type { Decision, Intent } from "../../decision.ts";
import { blocked, type Problem, waits } from "../../problem.ts";
import type { PartStand } from "../../reach/reached_part.ts";
import { soonest } from "../../soonest.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../../verdicts.ts";
import { originOf } from "../backup_labels.ts";
import { CANCELLED } from "../backup_progress.ts";
import { isCancelled } from "../backup_wishes.ts";
import type { Consent } from "../delegate/consent.ts";
import type { DelegatePlace } from "../delegate/delegate_of.ts";
import { type DelegateEnd, endOfDelegate } from "../delegate/delegate_words.ts";
import { type BackupPart, sumOf } from "./sum_of.ts";
import { tellPart } from "./tell_part.ts";

/** A namespace of several, and the Backup that does the work there. */
export interface FanPart {
  readonly namespace: string;
  /** Where that Backup is, or would be. */
  readonly place: DelegatePlace;
  /** What the status says of it so far. */
  readonly known: BackupPart | undefined;
  /** What has its name. */
  readonly delegate: Backup | undefined;
  /** Who lets the recipe be run there. */
  readonly consent: Consent;
  /** Name of the recipe there. */
  readonly config: string;
  /** How the recipe stands there; absent where it is not about that namespace any more. */
  readonly stand: PartStand | undefined;
  /** This operator looks after another namespace alone: what is there is not known. */
  readonly unseen: boolean;
}

export interface ObservedFan {
  readonly backup: Backup;
  readonly parts: readonly FanPart[];
  /** Why the recipe is not to be run anywhere now. */
  readonly problem: Problem | undefined;
  /** The Backup's own namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
  readonly now: number;
}

/**
 * What follows for a Backup of claims of several namespaces. A mover mounts claims of its own namespace alone: in each, a
 * Backup does the work and stands for the snapshots, and this one tells how they go.
 */
export function decideFan(observed: ObservedFan): Decision<BackupStatus> {
  const { backup, parts, problem, now } = observed;
  if (backup.metadata.deletionTimestamp) return decideEnd(observed);
  if (!backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP)) {
    const labels = { [LABELS.origin]: originOf(backup) };
    return { intents: [{ type: "Hold", finalizer: SNAPSHOT_CLEANUP, labels }] };
  }
  if (!backup.status?.backupRefs) {
    if (isCancelled(backup)) return decided(observed, CANCELLED, { phase: "Failed" });
    const hindrance = problem ?? nothingIn(parts);
    if (hindrance) return held(observed, hindrance, "Pending");
  }
  const told = parts.map((part) => tellPart(observed, part));
  const { stand, fields } = sumOf(backup, told, now);
  return {
    ...decided(
      observed,
      stand,
      fields,
      told.flatMap(({ intents }) => intents),
    ),
    wakeAt: soonest(...told.map(({ wakeAt }) => wakeAt)),
  };
}

function nothingIn(parts: readonly FanPart[]): Problem | undefined {
  if (!parts.every(({ stand }) => stand?.state === "empty")) return undefined;
  const where = someOf(parts.map(({ namespace }) => namespace));
  return blocked(
    "NoSources",
    `No claim of namespaces ${where} matches the selectors, so that there is nothing to back up. Label the claims, or correct spec.sources.`,
  );
}

/** This one goes, once each of the others has gone that is its own to take along. */
function decideEnd(observed: ObservedFan): Decision<BackupStatus> {
  const { backup, parts, namespaceGoing, now } = observed;
  if (!backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP)) return { intents: [] };
  const ends = parts.map(({ namespace, place, known, consent, delegate, unseen }): DelegateEnd => {
    if (unseen && known?.name) return { type: "Over", events: [staysUnseen(place)] };
    const problem = waits("NamespaceUnknown", `Whether namespace ${namespace} consents is not known yet.`);
    return endOfDelegate({ backup, problem, consent, delegate, namespaceGoing });
  });
  const of = <T extends DelegateEnd["type"]>(type: T) =>
    ends.filter((end): end is Extract<DelegateEnd, { readonly type: T }> => end.type === type);
  const [going] = of("Going");
  const [waiting] = of("Held");
  const intents = of("Going").flatMap((end) => end.intents);
  if (going) return decided(observed, going.stand, { phase: "Deleting" }, intents);
  if (waiting) {
    return { ...held(observed, waiting.problem, "Deleting"), wakeAt: wakeFor(waiting.problem, now) };
  }
  const events = of("Over").flatMap((end) => end.events);
  return { intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }], events };
}

/** Whoever looks after that namespace looks after what is there. */
function staysUnseen(place: DelegatePlace): EventNote {
  const message = `Backup ${keyOf(place)}, if it is there, stays, and its snapshots with it: this operator does not look after namespace ${place.namespace}. Delete it there if it is not wanted.`;
  return { type: "Normal", reason: REASONS.snapshotOrphaned, message };
}

function decided(
  { backup, now }: ObservedFan,
  stand: Stand,
  fields: Partial<BackupStatus>,
  intents: readonly Intent[] = [],
): Decision<BackupStatus> {
  const { generation } = backup.metadata;
  return {
    status: {
      ...backup.status,
      origin: originOf(backup),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      conditions: conditionsFor(backup, stand, [], now),
    },
    intents: together(intents),
    events: newsOf(backup, stand),
  };
}

function held(
  observed: ObservedFan,
  problem: Problem,
  phase: "Pending" | "Deleting",
): Decision<BackupStatus> {
  return { ...decided(observed, standOf(problem), { phase }), wakeAt: wakeFor(problem, observed.now) };
}

/** What is to be done in one namespace does not hang on what comes of another. */
function together(intents: readonly Intent[]): readonly Intent[] {
  const delegates = intents.flatMap((intent) => (intent.type === "Delegate" ? [intent.intent] : []));
  return delegates.length > 0 ? [{ type: "Delegates", intents: delegates }] : [];
}

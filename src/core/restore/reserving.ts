import { keyOf, type ObjectKey } from "../../kube/object.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Decision, Intent } from "../reconcile/decision.ts";
import { keepingReadyState } from "../reconcile/ready_state.ts";
import { ClaimRefused } from "../volumes/populator/carry_out_population.ts";
import type { Restore, RestoreState } from "./restore.ts";

/** Until a claim that was refused is tried again: somebody has to put something right. */
const TRY_AGAIN = 300_000;

interface Observed {
  readonly restore: Restore;
  readonly refusedAt?: number | undefined;
  readonly now: number;
}

/**
 * The decision, with the claim made that is to get the volume. It comes last: where it is refused, the run is looked
 * after all the same. That stays said until it is made, whatever else changes meanwhile.
 */
export function reserving(
  { restore, refusedAt, now }: Observed,
  decision: Decision<RestoreState>,
  making: readonly Intent[],
): Decision<RestoreState> {
  const { status, intents, wakeAt } = decision;
  // The failure is what there is to say, and there is nothing to hand over.
  if (making.length === 0 || status?.phase === "Failed") return decision;
  if (refusedAt === undefined) return { ...decision, intents: [...intents, ...making] };
  const again = refusedAt + TRY_AGAIN;
  // A clock may have been set back.
  const due = now >= again || now < refusedAt;
  return {
    ...asItStands({ restore, now }, decision),
    intents: due ? [...intents, ...making] : intents,
    wakeAt: due ? wakeAt : soonest(wakeAt, again),
  };
}

/** The decision, where what could not be done stays said while it is tried again. */
export function asItStands(
  { restore, now }: Pick<Observed, "restore" | "now">,
  { status, ...decision }: Decision<RestoreState>,
): Decision<RestoreState> {
  if (!status) return decision;
  const conditions = keepingReadyState(restore, status.conditions ?? [], now);
  return { ...decision, status: { ...status, conditions }, events: [] };
}

/**
 * The restores whose new claim was refused, and when. Only in memory: whoever begins anew tries once more, and tells it
 * once more.
 */
export class RefusedClaims {
  readonly #refused = new Map<
    ObjectKey,
    { readonly uid: string; readonly reason: string; readonly at: number }
  >();

  /** Undefined once something else is said of the restore. */
  at({ metadata, status }: Restore): number | undefined {
    const known = this.#refused.get(keyOf(metadata));
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return known?.uid === metadata.uid && known.reason === ready?.reason ? known.at : undefined;
  }

  /** What went wrong at a look at a restore. */
  note({ metadata }: Restore, error: unknown, at: number): void {
    if (!(error instanceof ClaimRefused)) return;
    this.#refused.set(keyOf(metadata), { uid: metadata.uid, reason: error.reason, at });
  }

  forget(key: ObjectKey): void {
    this.#refused.delete(key);
  }
}

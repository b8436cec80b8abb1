import type { Claim } from "../../../core/volumes/claim_request.ts";
import { decideNewClaim } from "../../../core/volumes/populator/decide_new_claim.ts";
import { lost } from "../../../core/volumes/populator/new_claim_words.ts";
import type { ResourceQuota } from "../../../core/volumes/populator/observed_population.ts";
import type { Hidden, Volume } from "../../../core/volumes/staging/observed_staging.ts";
import {
  type Restore,
  type RestoreStatus,
  restoreResource,
} from "../../../kinds/kopiur/generated/restore.ts";
import { unreachable } from "../../../lib/result.ts";
import type { Intent } from "../decision.ts";
import { blocked, type Problem } from "../problem.ts";
import type { Stand } from "../verdicts.ts";
import { HANDING_OVER, isLate, LOOK_FOR_TAKEN, NOT_TAKEN } from "./hand_over.ts";
import { completed } from "./restore_progress.ts";
import { isFilled } from "./restore_stage.ts";
import { claimRequest, type NewClaim } from "./restore_target.ts";

/** What a new claim is filled through, where volumes can be handed over. */
export interface Through {
  readonly prime?: Claim | undefined;
  /** The one behind the prime claim. */
  readonly volume?: Volume | Hidden | undefined;
  /** Somebody's own claim that has the prime claim's name. */
  readonly foreign?: Claim | undefined;
  /** Those of the namespace, while there is no prime claim. */
  readonly quotas?: readonly ResourceQuota[] | undefined;
}

/** What the run had to say when it ended, and is still to be said when the volume is handed over. */
type Told = Omit<RestoreStatus, "conditions" | "observedGeneration" | "phase">;

/** What is next for a new claim that nobody may have before its data is in it. */
export type NewClaimStep =
  | { readonly type: "Held"; readonly problem: Problem; readonly fields: Told }
  | {
      readonly type: "Stands";
      readonly stand: Stand;
      readonly fields: Told & Pick<RestoreStatus, "phase">;
      readonly intents: readonly Intent[];
      readonly wakeAt?: number | undefined;
    }
  /** The data is written into the prime claim. */
  | { readonly type: "Write"; readonly intents: readonly Intent[] };

export function newClaimStep(
  {
    restore,
    claim,
    now,
  }: { readonly restore: Restore; readonly claim?: Claim | undefined; readonly now: number },
  through: Through,
  target: NewClaim,
): NewClaimStep {
  const { name, uid } = restore.metadata;
  const source = { resource: restoreResource, name, uid };
  const request = claimRequest(restore, target);
  const filled = isFilled(restore);
  const { prime, volume, foreign, quotas } = through;
  const view = { request, source, claim, prime, volume, foreign, quotas, filled, now };
  const { state, intents, wakeAt } = decideNewClaim(view);
  const doing: readonly Intent[] = intents.length > 0 ? [{ type: "Populate", intents }] : [];
  const { conditions: _, observedGeneration: __, phase: ___, ...status } = restore.status ?? {};
  const told: Told = filled ? status : {};
  switch (state.phase) {
    case "Filling":
      return { type: "Write", intents: doing };
    case "Refused":
      return { type: "Held", problem: blocked(state.reason, state.message), fields: told };
    case "HandingOver": {
      const fields = { ...told, phase: "Restoring" } as const;
      // While there is something to do for us, it is not the claim that is late.
      if (intents.length === 0 && isLate(told.timing?.endTime, now)) {
        return { type: "Stands", stand: NOT_TAKEN, fields, intents: [], wakeAt: now + LOOK_FOR_TAKEN };
      }
      return { type: "Stands", stand: HANDING_OVER, fields, intents: doing, wakeAt };
    }
    case "Populated":
      return {
        type: "Stands",
        stand: completed(told.progress),
        fields: { ...told, phase: "Completed" },
        intents: [],
      };
    case "Waiting": {
      const fields = { ...told, phase: filled ? "Restoring" : "Resolving" } as const;
      return { type: "Stands", stand: { ...state, state: "reconciling" }, fields, intents: doing, wakeAt };
    }
    case "Bypassed":
    case "Ending":
      return { type: "Write", intents: [] };
    default:
      return unreachable(state);
  }
}

/** The prime claim went while a mover wrote into it. */
export function lostUnderWay({ name }: Pick<NewClaim, "name">): Problem {
  const { reason, message } = lost({ name });
  return blocked(reason, message);
}

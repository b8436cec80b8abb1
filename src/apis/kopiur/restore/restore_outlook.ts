import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { Outlook } from "../outlook.ts";
import { type Problem, waits } from "../problem.ts";

/** A run for a Restore, and why its repository cannot be used now. */
export interface RestoreOutlook extends Outlook {
  readonly away?: Problem;
}

/** Why there is no run. */
export interface NoRun extends Problem {
  /** Its repository is not there, which is waited for like the source. Anything else goes on once it is put right. */
  readonly away?: boolean;
}

/** The repository that keeps a run waiting which has not begun. */
export function repositoryAway({ decision, away }: RestoreOutlook, begun: boolean): Problem | undefined {
  const { state } = decision;
  if (state.phase !== "Held" || begun) return undefined;
  const { reason, message } = state;
  return reason === away?.reason || reason === REASONS.breakerOpen ? waits(reason, message) : undefined;
}

import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { HiddenWorkload, Workload } from "../../../core/workloads/scaling/workload.ts";
import type { Result } from "../../../lib/result.ts";
import type { Problem } from "../problem.ts";
import type { Through } from "./new_claim.ts";
import type { Resolution, Sources } from "./resolution.ts";
import type { NoRun, RestoreOutlook } from "./restore_outlook.ts";

/** What there is of a Restore with a target. */
export interface ObservedRestore extends Sources {
  readonly resolution: Result<Resolution, Problem>;
  /** The claim of the target's name, where there is one. */
  readonly claim?: Claim | undefined;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreOutlook, NoRun> | undefined;
  /** The run that writes the data, once it is known what and where to. */
  readonly run?: Result<RestoreOutlook, NoRun> | undefined;
  /** Whether the target's volume may be written, or who gets it while it is. */
  readonly use?: UseDecision;
  /** What a new claim is filled through. */
  readonly through?: Through;
  /** When the new claim was refused last, which is what the Restore says then. */
  readonly refusedAt?: number | undefined;
  /** What was scaled down for this, as it is now. */
  readonly scaled: readonly Workload[];
  /** What of that we may not read. */
  readonly hidden?: readonly HiddenWorkload[];
}

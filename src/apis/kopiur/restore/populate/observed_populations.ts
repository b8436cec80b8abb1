import type { ObservedPopulation } from "../../../../core/volumes/populator/observed_population.ts";
import type { RunIntent } from "../../../../core/work/task_decision.ts";
import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import type { Result } from "../../../../lib/result.ts";
import type { Problem } from "../../problem.ts";
import type { Resolution, Sources } from "../resolution.ts";
import type { NoRun, RestoreOutlook } from "../restore_outlook.ts";
import type { ClaimMemory } from "./population_memory.ts";

/** How a prime claim gets its content. */
export interface ObservedFilling {
  readonly sources: Sources;
  readonly resolution: Result<Resolution, Problem>;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreOutlook, NoRun> | undefined;
  /** The run that writes the data. */
  readonly run?: Result<RestoreOutlook, NoRun> | undefined;
}

/** One claim that names a Restore, or a prime claim whose claim is gone. */
export interface ObservedClaim extends ObservedPopulation {
  /** The name of the claim. */
  readonly name: string;
  readonly memory: ClaimMemory;
  /** Absent unless it is one of those that are filled now. */
  readonly filling?: ObservedFilling | undefined;
  /** What is left to be done about the runs of one that failed. */
  readonly leftovers?: readonly RunIntent[];
}

/** Every claim that names a Restore. */
export interface ObservedPopulations {
  /** The name that the claims give. */
  readonly name: string;
  /** Absent where there is none of that name. */
  readonly restore: Restore | undefined;
  /** Why no claim can be filled from it. */
  readonly problem: Problem | undefined;
  readonly claims: readonly ObservedClaim[];
  readonly now: number;
}

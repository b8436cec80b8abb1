import { fingerprint } from "../../lib/hash.ts";
import type { ScheduleMark } from "../policy/schedule.ts";
import { recordsOf } from "../reconcile/records.ts";
import type { MaintenanceState, Which } from "./maintenance.ts";

/** One time that a repository is maintained: by schedule, or because somebody asked. */
export interface MaintenanceRun {
  readonly mode: "Quick" | "Full";
  /** What is done now. */
  readonly step: "Maintain" | "Check";
  /** The slot or the request that it is for: the same one names the same runs. */
  readonly cause: string;
  /** Space is given back at once. Default: after the engine's safety delay. */
  readonly immediate?: boolean;
  /** The last check found damage: only a better one lets the repository be maintained. */
  readonly checkFirst?: boolean;
  /** How much of the stored data a check reads. Default: as the spec says. */
  readonly dataPercent?: number;
  /** The one snapshot that is read as a whole, in place of a check. */
  readonly snapshot?: string;
}

/** What is remembered beside the runs. The names are stored: earlier versions wrote them. */
export interface MaintenanceMemory {
  readonly marks: Readonly<Partial<Record<Which, ScheduleMark>>>;
  /** Whether it was suspended when it was last looked at. */
  readonly suspended: boolean;
  /** When the last suspension was seen to have ended: slots before it do not count. */
  readonly resumedAt?: number;
  /** The last run, or the one under way. */
  readonly turn?: MaintenanceRun;
}

/** Where the memory is kept, among the records of the runs. */
export const MEMORY = "schedule";

export function memoryOf(status: MaintenanceState | undefined): MaintenanceMemory {
  // It was written here, so its shape is not checked again.
  const kept = recordsOf(status)[MEMORY] as MaintenanceMemory | undefined;
  return kept ?? { marks: {}, suspended: false };
}

export function whichOf({ mode }: Pick<MaintenanceRun, "mode">): Which {
  return mode === "Full" ? "full" : "quick";
}

/** The purpose of the run's present step. */
export function purposeOf(run: MaintenanceRun): string {
  return `${run.step === "Check" ? "check" : whichOf(run)}-${fingerprint(`${run.mode} ${run.cause}`)}`;
}

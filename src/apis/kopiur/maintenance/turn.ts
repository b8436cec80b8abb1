import type { ScheduleMark } from "../../../core/policy/schedule.ts";
import type { MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { recordsOf } from "../records.ts";

/** The two schedules of a Maintenance. */
export type Which = "quick" | "full";

/** One time that a repository is maintained: by schedule, or because somebody asked. */
export interface Turn {
  readonly mode: "Quick" | "Full";
  /** What is done now. */
  readonly step: "Maintain" | "Check";
  /** The slot or the request that it is for: the same one names the same runs. */
  readonly cause: string;
  /** Space is given back at once. Default: after the engine's safety delay. */
  readonly immediate?: boolean;
  /** The last check found damage: only a better one lets the repository be maintained. */
  readonly checkFirst?: boolean;
}

/** What a Maintenance remembers beside its runs. */
export interface MaintenanceMemory {
  readonly marks: Readonly<Partial<Record<Which, ScheduleMark>>>;
  /** Whether it was suspended when it was last looked at. */
  readonly suspended: boolean;
  /** When the last suspension was seen to have ended: slots before it do not count. */
  readonly resumedAt?: number;
  /** The last one, or the one under way. */
  readonly turn?: Turn;
}

/** Where the memory is kept, among the records of the runs. */
export const MEMORY = "schedule";

export function memoryOf(status: MaintenanceStatus | undefined): MaintenanceMemory {
  // It was written here, so its shape is not checked again.
  const kept = recordsOf(status)[MEMORY] as MaintenanceMemory | undefined;
  return kept ?? { marks: {}, suspended: false };
}

export function whichOf({ mode }: Pick<Turn, "mode">): Which {
  return mode === "Full" ? "full" : "quick";
}

/** The purpose of the run that is the turn's present step. */
export function purposeOf(turn: Turn): string {
  return `${turn.step === "Check" ? "check" : whichOf(turn)}-${fingerprint(`${turn.mode} ${turn.cause}`)}`;
}

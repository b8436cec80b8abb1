import type { MaintenanceRun } from "./maintenance_run.ts";

/** What somebody asked for by annotation. */
export interface RequestedRun {
  readonly text: string;
  /** Undefined where nobody can tell what is meant. */
  readonly run?: Pick<MaintenanceRun, "mode" | "immediate" | "dataPercent" | "snapshot"> &
    Partial<Pick<MaintenanceRun, "step">>;
}

/** As much of a request is remembered, so that it is carried out once. */
const REMEMBERED = 128;

const REQUEST = /^(quick|full-immediate|full|check)(?![a-z])/;
/** How much of the data a check reads, in percent. */
const PERCENT = /^check-(\d{1,3})(?!\w)/;
/** The snapshot that is read as a whole. */
const SNAPSHOT = /^snapshot-(\w+)(?!\S)/;

/** A request that was not answered yet. Its first word says what for; the rest makes it a new one. */
export function requestedRun(
  annotation: string | undefined,
  handled: string | undefined,
): RequestedRun | undefined {
  const text = annotation?.slice(0, REMEMBERED);
  if (!text || text === handled) return undefined;
  const snapshot = SNAPSHOT.exec(text)?.[1];
  if (snapshot) return { text, run: { mode: "Full", step: "Check", snapshot } };
  const percent = PERCENT.exec(text)?.[1];
  if (percent !== undefined) {
    const dataPercent = Number(percent);
    return dataPercent > 100 ? { text } : { text, run: { mode: "Full", step: "Check", dataPercent } };
  }
  const word = REQUEST.exec(text)?.[1];
  if (!word) return { text };
  if (word === "quick") return { text, run: { mode: "Quick" } };
  if (word === "check") return { text, run: { mode: "Full", step: "Check" } };
  return { text, run: { mode: "Full", ...(word === "full-immediate" ? { immediate: true } : {}) } };
}

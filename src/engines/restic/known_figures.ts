import type { Progress } from "../../wire/progress.ts";

/** Those figures that a line of restic's holds. */
export function knownFigures(figures: Readonly<Partial<Record<keyof Progress, unknown>>>): Progress {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => typeof value === "number"));
}

import type { Turn } from "./turn.ts";

/** What somebody asked for by annotation. */
export interface RunWish {
  readonly text: string;
  /** Undefined where nobody can tell what is meant. */
  readonly turn?: Pick<Turn, "mode" | "immediate"> & Partial<Pick<Turn, "step">>;
}

/** As much of a request is remembered, so that it is carried out once. */
const REMEMBERED = 128;

const WISH = /^(quick|full-immediate|full|check)(?![a-z])/;

/** A request that was not answered yet. Its first word says what for; the rest makes it a new one. */
export function runWish(annotation: string | undefined, handled: string | undefined): RunWish | undefined {
  const text = annotation?.slice(0, REMEMBERED);
  if (!text || text === handled) return undefined;
  const word = WISH.exec(text)?.[1];
  if (!word) return { text };
  if (word === "quick") return { text, turn: { mode: "Quick" } };
  if (word === "check") return { text, turn: { mode: "Full", step: "Check" } };
  return { text, turn: { mode: "Full", ...(word === "full-immediate" ? { immediate: true } : {}) } };
}

import type { Output } from "../screen.ts";

/** The person in front, or the program that stands in for one. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  /** Asks, and waits for a line; undefined when the input ends (Ctrl-D). Absent where nobody can answer. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** What a piece of text means, which decides its colour. */
export type Tone = "good" | "bad" | "warn" | "dim" | "strong";

/** Colours text, or leaves it as it is. */
export type Paint = (tone: Tone | undefined, text: string) => string;

const CODES: Readonly<Record<Tone, string>> = { good: "32", bad: "31", warn: "33", dim: "2", strong: "1" };

/** Colours only on a terminal, and only where nobody asked for none. */
export function paintFor(output: Output, env: Readonly<Record<string, string | undefined>>): Paint {
  if (!output.isTTY || env.NO_COLOR || env.TERM === "dumb") return (_, text) => text;
  return (tone, text) => (tone && text ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text);
}

/** What is known of a hook that was begun. */
export type HookSight =
  /** There is no trace of it. */
  | { readonly phase: "Unknown" }
  | {
      readonly phase: "Running";
      readonly job?: string;
      /** What it is at, or waits for: told when its time is up. */
      readonly note?: string;
    }
  | { readonly phase: "Ended"; readonly job?: string; readonly result: HookResult };

/** How a hook ended. */
export type HookResult =
  | { readonly ok: true /** What its pod left to be read. */; readonly report?: string }
  | { readonly ok: false; readonly message: string };

export function failed(message: string): HookResult {
  return { ok: false, message };
}

/** The end of what something wrote, as a message shows it. */
export function lastWords(output: string): string {
  const text = output
    .trim()
    .replace(/\s*\n\s*/g, " | ")
    .replace(/[^\P{C}\t]/gu, "?");
  if (text === "") return "It wrote nothing.";
  return `Its last words: ${text.length > LONGEST_TAIL ? `…${text.slice(-LONGEST_TAIL)}` : text}`;
}

const LONGEST_TAIL = 240;

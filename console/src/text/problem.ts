import type { Problem } from "../../../src/cli/console/contract.ts";

/** Whatever was thrown, as a message with why and what to do. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  const why = "why" in error && typeof error.why === "string" ? error.why : undefined;
  const fix = "fix" in error && typeof error.fix === "string" ? error.fix : undefined;
  return { message, why, fix };
}

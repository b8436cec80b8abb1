import type { Violation } from "../rules/violation.ts";
import { fieldText } from "./check.ts";

/** As many problems are told at once. */
const MOST_TOLD = 8;

/** How violations are told to whoever wrote the object. */
export function refusal(violations: readonly Violation[]): {
  readonly message: string;
  readonly code: number;
} {
  const code = violations.some(({ forbidden }) => forbidden) ? 403 : 422;
  const texts = violations.slice(0, MOST_TOLD).map(fieldText);
  if (violations.length === 1) return { code, message: texts.join("") };
  const more = violations.length - texts.length;
  const list = texts.map((text, index) => `(${index + 1}) ${text}`).join(" ");
  return { code, message: `${violations.length} problems: ${list}${more > 0 ? ` (${more} more)` : ""}` };
}

import type { Finding } from "../reconcile/finding.ts";
import { type Violation, violationText } from "../reconcile/violation.ts";

/** What a check may look at, beside the object. `Lookup`: what an API knows of its other objects. */
export interface Around<Lookup> {
  readonly lookup: Lookup;
  /** The operator itself writes. */
  readonly isOperator: boolean;
  readonly operatorNamespace: string;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

/** An object on its way in, and the one that it replaces. */
export interface Change<T> {
  readonly object: T;
  readonly old: T | undefined;
}

export type Check<T, Lookup> = (change: Change<T>, around: Around<Lookup>) => readonly Finding[];

/** What came of a check. */
export interface Report {
  readonly errors: readonly Violation[];
  readonly warnings: readonly string[];
}

/**
 * Checks a change. What was wrong before and still is does not hold up an edit of something else: it becomes a warning,
 * and the controller goes on saying it.
 */
export function examine<T, Lookup>(
  check: Check<T, Lookup>,
  { object, old }: Change<T>,
  around: Around<Lookup>,
): Report {
  const found = check({ object, old }, around);
  const before = old === undefined ? [] : check({ object: old, old }, around);
  const known = new Set(
    before.flatMap((finding) => ("refuse" in finding ? [fieldText(finding.refuse)] : [])),
  );
  const errors: Violation[] = [];
  const warnings: string[] = [];
  for (const finding of found) {
    if ("warn" in finding) warnings.push(finding.warn);
    else if (known.has(fieldText(finding.refuse))) warnings.push(shortText(finding.refuse));
    else errors.push(finding.refuse);
  }
  return { errors, warnings: [...new Set(warnings)] };
}

/** A warning has little room; what to do is in the object's condition. */
function shortText({ field, what, why }: Violation): string {
  return `${field}: ${what}: ${why}`;
}

/** The violation with the field that it is about. */
function fieldText(violation: Violation): string {
  return `${violation.field}: ${violationText(violation)}`;
}

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

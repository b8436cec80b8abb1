import { type Violation, violationText } from "../rules/violation.ts";
import type { Lookup } from "./lookup.ts";

/** What a check finds: a rule that is broken, or something that is good to know. */
export type Finding = { readonly refuse: Violation } | { readonly warn: string };

/** What a check may look at, beside the object. */
export interface Around {
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

export type Check<T> = (change: Change<T>, around: Around) => readonly Finding[];

/** What came of a check. */
export interface Report {
  readonly errors: readonly Violation[];
  readonly warnings: readonly string[];
}

export function refuseAll(violations: readonly (Violation | undefined)[]): readonly Finding[] {
  return violations.flatMap((violation) => (violation ? [{ refuse: violation }] : []));
}

/**
 * Checks a change. What was wrong before and still is does not hold up an edit of something else: it becomes a warning,
 * and the controller goes on saying it.
 */
export function examine<T>(check: Check<T>, { object, old }: Change<T>, around: Around): Report {
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
export function fieldText(violation: Violation): string {
  return `${violation.field}: ${violationText(violation)}`;
}

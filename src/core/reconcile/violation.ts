import { blocked, type Problem, refused } from "./problem.ts";

/** A rule that an object breaks. The same one refuses it at the door and shows in its condition. */
export interface Violation {
  /** One CamelCase word: the same in the condition, the event, the log and the metric. */
  readonly reason: string;
  /** Such as `spec.repository`. */
  readonly field: string;
  /** The three parts of the message; none ends in a full stop. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** Somebody else has to allow it. Otherwise only an edit of the object helps. Default false. */
  readonly forbidden?: boolean;
}

/** What is wrong, why, and what to do. */
export function violationText({ what, why, fix }: Violation): string {
  return `${what}: ${why}. ${fix}.`;
}

/** The violation as a controller shows it. */
export function problemOf(violation: Violation): Problem {
  const text = violationText(violation);
  const message = text.charAt(0).toUpperCase() + text.slice(1);
  return violation.forbidden ? blocked(violation.reason, message) : refused(violation.reason, message);
}

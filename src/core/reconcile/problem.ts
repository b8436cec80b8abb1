import type { FailureClass } from "../../kube/failure.ts";

/** Why an object cannot go on, in the words of its condition. */
export interface Problem {
  /** One CamelCase word: the same in the condition, the event, the log and the metric. */
  readonly reason: string;
  /** What is wrong, why, and what to do. */
  readonly message: string;
  /**
   * `transient`: it waits for something that comes by itself. `structural`: something around it has to be put right.
   * `terminal`: only an edit of the object helps.
   */
  readonly class: FailureClass;
}

export function waits(reason: string, message: string): Problem {
  return { class: "transient", reason, message };
}

export function blocked(reason: string, message: string): Problem {
  return { class: "structural", reason, message };
}

export function refused(reason: string, message: string): Problem {
  return { class: "terminal", reason, message };
}

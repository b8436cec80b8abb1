import { boundedMessage } from "./message.ts";
import { timestamp } from "./timestamp.ts";

/** One condition of a status, as Kubernetes' `metav1.Condition` has it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** A condition as it should be; when it last changed follows from what it was. */
export type WantedCondition = Omit<Condition, "lastTransitionTime">;

/** Why an object is as it is, and of which of its generations that is said. */
export interface Verdict {
  /** One CamelCase word: the same in the condition, the event, the log and the metric. */
  readonly reason: string;
  readonly message: string;
  readonly generation: number | undefined;
}

/** Bad news by their presence: kstatus reads them only while they are True, and they are absent otherwise. */
const ABNORMAL_TRUE: readonly string[] = ["Reconciling", "Stalled"];

/** The object is as its spec asks. */
export function ready(verdict: Verdict): readonly WantedCondition[] {
  return triple(verdict, { Ready: "True", Reconciling: "False", Stalled: "False" });
}

/** The object is on its way to what its spec asks, retries after a failure included. */
export function reconciling(verdict: Verdict): readonly WantedCondition[] {
  return triple(verdict, { Ready: "False", Reconciling: "True", Stalled: "False" });
}

/** Nothing will happen until someone changes something. */
export function stalled(verdict: Verdict): readonly WantedCondition[] {
  return triple(verdict, { Ready: "False", Reconciling: "False", Stalled: "True" });
}

type Triple = Readonly<Record<"Ready" | "Reconciling" | "Stalled", "True" | "False">>;

function triple(verdict: Verdict, statuses: Triple): readonly WantedCondition[] {
  const { reason, message, generation } = verdict;
  const said = { reason, message, ...(generation === undefined ? {} : { observedGeneration: generation }) };
  return [
    { type: "Ready", status: statuses.Ready, ...said },
    { type: "Reconciling", status: statuses.Reconciling, ...said },
    { type: "Stalled", status: statuses.Stalled, ...said },
  ];
}

/**
 * The conditions after `wanted` is put into `present`. A condition keeps its transition time while its status
 * stays, and its place in the list; new ones come last. Conditions of other types are left alone. Reconciling
 * and Stalled are removed unless they are True.
 *
 * Throws a TypeError on a reason that is not one CamelCase word.
 */
export function mergeConditions(
  present: readonly Condition[],
  wanted: readonly WantedCondition[],
  now: number,
): readonly Condition[] {
  const merged = new Map(present.map((condition) => [condition.type, condition]));
  for (const condition of wanted) {
    checkReason(condition);
    if (ABNORMAL_TRUE.includes(condition.type) && condition.status !== "True") {
      merged.delete(condition.type);
      continue;
    }
    const previous = merged.get(condition.type);
    merged.set(condition.type, {
      ...condition,
      message: boundedMessage(condition.message),
      lastTransitionTime:
        previous?.status === condition.status ? previous.lastTransitionTime : timestamp(now),
    });
  }
  return [...merged.values()];
}

function checkReason(condition: WantedCondition): void {
  if (!/^[A-Z][A-Za-z0-9]{0,127}$/.test(condition.reason)) {
    throw new TypeError(
      `condition ${condition.type}: the reason ${JSON.stringify(condition.reason)} is not one CamelCase word`,
    );
  }
}

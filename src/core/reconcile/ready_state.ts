import type { KubeObject } from "../../kube/object.ts";
import {
  type Condition,
  mergeConditions,
  ready,
  reconciling,
  stalled,
  type WantedCondition,
} from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import type { Problem } from "./problem.ts";
import { REASONS } from "./reasons.ts";

/** How an object stands: as its spec asks, on its way, or until somebody changes something. */
export interface ReadyState {
  readonly state: "ready" | "reconciling" | "stalled";
  readonly reason: string;
  readonly message: string;
  /** Something went wrong, though it may heal by itself. */
  readonly warning?: boolean;
}

interface Conditioned {
  readonly conditions?: readonly Condition[];
}

/** What says how an object stands. */
const STANDING: readonly string[] = ["Ready", "Reconciling", "Stalled"];
const TRIPLES = { ready, reconciling, stalled };

/** The conditions after it stands like this, with more that are said of it. */
export function conditionsFor(
  object: KubeObject & { readonly status?: Conditioned },
  readyState: ReadyState,
  more: readonly WantedCondition[],
  now: number,
): readonly Condition[] {
  const { generation } = object.metadata;
  const { reason, message } = readyState;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return mergeConditions(
    object.status?.conditions ?? [],
    [
      ...TRIPLES[readyState.state]({ reason, message, generation }),
      ...more.map((condition) => ({ ...observed, ...condition })),
    ],
    now,
  );
}

/** The conditions where it stands as it did, whatever more is wanted of it now. */
export function keepingReadyState(
  object: { readonly status?: Conditioned },
  wanted: readonly Condition[],
  now: number,
): readonly Condition[] {
  const more = wanted.filter(({ type }) => !STANDING.includes(type));
  return mergeConditions(object.status?.conditions ?? [], more, now);
}

/**
 * What is told when an object comes to stand otherwise than before; nothing while it stays. To wait for one's turn is
 * no news: the condition says it, and a thousand Backups at once would be a thousand Events before any that matters.
 */
export function newsOf(
  object: { readonly status?: Conditioned },
  readyState: ReadyState,
): readonly EventNote[] {
  if (readyState.reason === REASONS.queued) return [];
  const before = object.status?.conditions?.find(({ type }) => type === "Ready");
  if (before?.reason === readyState.reason && isSaid(readyState.message, before.message)) return [];
  const type = readyState.state === "stalled" || readyState.warning ? "Warning" : "Normal";
  return [{ type, reason: readyState.reason, message: readyState.message }];
}

/** Whether a text is what is shown, where a long one may have been cut. */
export function isSaid(text: string, shown: string): boolean {
  return text === shown || (shown.endsWith("…") && text.startsWith(shown.slice(0, -1)));
}

/** How an object stands by its conditions. */
export function readyStateIn(status: Conditioned | undefined): ReadyState {
  const find = (type: string) => status?.conditions?.find((one) => one.type === type);
  const { status: ready, reason = "Pending", message = "" } = find("Ready") ?? {};
  const stalled = find("Stalled")?.status === "True";
  return { state: ready === "True" ? "ready" : stalled ? "stalled" : "reconciling", reason, message };
}

/** How an object stands that has this problem. */
export function readyStateOf(problem: Problem): ReadyState {
  const { reason, message } = problem;
  if (problem.class === "terminal") return { state: "stalled", reason, message };
  return { state: "reconciling", reason, message, warning: problem.class === "structural" };
}

const LOOK_AGAIN = { transient: 30_000, structural: 300_000 } as const;

/** When to look again at what has this problem, if no change says so sooner. */
export function wakeFor(problem: Problem, now: number): number | undefined {
  return problem.class === "terminal" ? undefined : now + LOOK_AGAIN[problem.class];
}

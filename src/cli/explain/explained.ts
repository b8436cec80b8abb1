import type { ApiView } from "../../core/view/api_view.ts";
import type { ShownObject } from "../../core/view/shown_object.ts";
import { agoText } from "../../core/view/times_text.ts";
import type { CoreEvent } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";

/** What an explanation is made from. */
export interface ExplainFacts {
  readonly object: ShownObject;
  readonly view: Pick<ApiView, "nextTry" | "remedies">;
  readonly events: readonly (KubeObject & CoreEvent)[];
  /** What it depends on, where that is not as it should be, each in a sentence. */
  readonly around: readonly string[];
  /** What `status` says is wrong with it. Default: nothing. */
  readonly wrong?: readonly string[];
  readonly now: number;
}

const EVENTS = 5;

/** Why an object is in its state, in sentences: what, since when, why, what stands around it, and what helps. */
export function explained(facts: ExplainFacts): readonly string[] {
  const { object, view, events, around, wrong = [], now } = facts;
  const { kind, metadata, status } = object;
  const phase = status?.phase;
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const others = conditions.filter(({ type }) => !["Ready", "Reconciling", "Stalled"].includes(type));
  // It was not ready before it failed, either.
  const sinceWhen = (phase === "Failed" && status?.failure?.at) || ready?.lastTransitionTime;
  const since = sinceWhen ? `, for ${agoText(sinceWhen, now).replace(" ago", "")}` : "";
  const said = [...conditions.map(({ message }) => message), object.status?.failure?.message ?? ""];
  return [
    phase === undefined
      ? `${kind} ${metadata.name} has no status yet: the operator has not looked at it. Is it running? holdfast doctor tells.`
      : `${kind} ${metadata.name} is ${phase}${since}.`,
    ...(metadata.deletionTimestamp
      ? [
          `It is being deleted since ${agoText(metadata.deletionTimestamp, now)}; it goes when ${finalizersText(object)} let it.`,
        ]
      : []),
    ...(ready?.message ? [`Because: ${ready.message}`] : []),
    ...stale(object),
    ...failureLines(object, view, now),
    ...others.map(
      ({ type, status: holds, message, reason }) => `${type} is ${holds} (${reason}): ${message}`,
    ),
    ...around,
    ...wrong.filter((why) => !said.includes(why)).map((why) => `Wrong: ${why}`),
    ...eventLines(events, now),
    ...view.remedies(object).map((step) => `What you can do: ${step}`),
  ];
}

function finalizersText({ metadata }: ShownObject): string {
  return metadata.finalizers?.join(" and ") ?? "its owner";
}

function stale({ metadata, status }: ShownObject): readonly string[] {
  const observedGeneration = status?.observedGeneration;
  if (observedGeneration === undefined || metadata.generation === undefined) return [];
  // Deletion counts as an edit, and is told by itself.
  if (observedGeneration >= metadata.generation || metadata.deletionTimestamp) return [];
  return [
    "The status speaks of an earlier form of the spec: the operator has not looked at the last edit yet.",
  ];
}

function failureLines(object: ShownObject, view: ExplainFacts["view"], now: number): readonly string[] {
  const { failure } = object.status ?? {};
  if (!failure) return [];
  const { errorClass, message, remedy, at, attempt, stderrTail } = failure;
  const when = at ? `, ${agoText(at, now)}` : "";
  return [
    `The last failure${when}${attempt === undefined ? "" : `, in attempt ${attempt}`}, is of class ${errorClass}: ${message}`,
    view.nextTry(object, failure.retry),
    ...(stderrTail ? [`The engine's own words: ${stderrTail.trim()}`] : []),
    ...(remedy ? [`Its remedy: ${remedy}`] : []),
  ];
}

function eventLines(events: ExplainFacts["events"], now: number): readonly string[] {
  const newest = events
    .toSorted((a, b) => Date.parse(timeOf(b)) - Date.parse(timeOf(a)))
    .slice(0, EVENTS)
    .toReversed();
  return newest.map((event) => {
    const times = (event.count ?? 1) > 1 ? ` (${event.count} times)` : "";
    return `${agoText(timeOf(event), now)}, ${event.reason}${times}: ${event.message}`;
  });
}

function timeOf({ lastTimestamp, metadata }: KubeObject & CoreEvent): string {
  return lastTimestamp ?? metadata.creationTimestamp;
}

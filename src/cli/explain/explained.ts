import type { CoreEvent } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { NativeObject } from "../frame/kinds.ts";
import { agoText } from "../frame/times_text.ts";
import { nextSteps } from "./next_steps.ts";
import { nextTry } from "./next_try.ts";

/** What an explanation is made from. */
export interface ExplainFacts {
  readonly object: NativeObject;
  readonly events: readonly (KubeObject & CoreEvent)[];
  /** What it depends on, where that is not as it should be, each in a sentence. */
  readonly around: readonly string[];
  readonly now: number;
}

const EVENTS = 5;

/** Why an object is in its state, in sentences: what, since when, why, what stands around it, and what helps. */
export function explained({ object, events, around, now }: ExplainFacts): readonly string[] {
  const { kind, metadata, status } = object;
  const phase = status?.phase;
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const others = conditions.filter(({ type }) => !["Ready", "Reconciling", "Stalled"].includes(type));
  const since = ready ? `, for ${agoText(ready.lastTransitionTime, now).replace(" ago", "")}` : "";
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
    ...failureLines(object, now),
    ...others.map(
      ({ type, status: holds, message, reason }) => `${type} is ${holds} (${reason}): ${message}`,
    ),
    ...around,
    ...eventLines(events, now),
    ...nextSteps(object).map((step) => `What you can do: ${step}`),
  ];
}

function finalizersText({ metadata }: NativeObject): string {
  return metadata.finalizers?.join(" and ") ?? "its owner";
}

function stale({ metadata, status }: NativeObject): readonly string[] {
  const observedGeneration = status?.observedGeneration;
  if (observedGeneration === undefined || metadata.generation === undefined) return [];
  if (observedGeneration >= metadata.generation) return [];
  return [
    "The status speaks of an earlier form of the spec: the operator has not looked at the last edit yet.",
  ];
}

function failureLines(object: NativeObject, now: number): readonly string[] {
  const { failure } = object.status ?? {};
  if (!failure) return [];
  const { errorClass, message, remedy, at, attempt } = failure;
  const when = at ? `, ${agoText(at, now)}` : "";
  return [
    `The last failure${when}${attempt === undefined ? "" : `, in attempt ${attempt}`}, is of class ${errorClass}: ${message}`,
    nextTry(object, failure.retry),
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

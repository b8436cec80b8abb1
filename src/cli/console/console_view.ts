import { complaintOf, refOf, type ShownObject } from "../../core/view/shown_object.ts";
import { keyOf } from "../../kube/object.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { ConsoleView, FailedRun } from "./contract.ts";
import { daysOf } from "./days.ts";
import type { Looked } from "./fresh_views.ts";

const DAYS = 30;
const MOST_FAILURES = 50;

/** What the overview, volumes, activity, repositories and the lost cluster show. */
export function consoleView({ view, runs, at: now }: Looked): ConsoleView {
  const failed = runs.map(({ object }) => object).filter(isFailed);
  const begun = new Map(runs.map(({ object }) => [`${object.kind} ${keyOf(object)}`, beginOf(object)]));
  return {
    now: timestamp(now),
    volumes: view.volumes,
    repositories: view.repositories,
    activity: view.activity.map((one) => ({
      ...one,
      since: begun.get(`${one.object.kind} ${keyOf(one.object)}`),
    })),
    problems: view.problems,
    lost: view.lost,
    next: view.schedules
      .flatMap(({ object, nextRun, suspended }) => (nextRun && !suspended ? [{ object, at: nextRun }] : []))
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    days: daysOf({ snapshots: view.snapshots(), failures: failed.map(endOf), now, count: DAYS }),
    failures: failed
      .map(failedRun)
      .toSorted((a, b) => Date.parse(b.at ?? "") - Date.parse(a.at ?? ""))
      .slice(0, MOST_FAILURES),
  };
}

export function isFailed({ status }: ShownObject): boolean {
  return status?.phase === "Failed";
}

function failedRun(object: ShownObject): FailedRun {
  const remedy = object.status?.failure?.remedy;
  return {
    object: refOf(object),
    at: endOf(object),
    message: complaintOf(object) ?? "it gives no reason",
    ...(remedy ? { remedy } : {}),
  };
}

interface Timed {
  readonly timing?: { readonly startTime?: string; readonly endTime?: string };
  readonly startTime?: string;
  readonly startTimestamp?: string;
  readonly completionTime?: string;
  readonly completionTimestamp?: string;
}

/** When a run ended, as far as its API tells. */
export function endOf({ status, metadata }: ShownObject): string {
  const { timing, completionTime, completionTimestamp } = (status ?? {}) as Timed;
  return (
    timing?.endTime ??
    completionTime ??
    completionTimestamp ??
    status?.failure?.at ??
    metadata.creationTimestamp
  );
}

function beginOf({ status, metadata }: ShownObject): string {
  const { timing, startTime, startTimestamp } = (status ?? {}) as Timed;
  return timing?.startTime ?? startTime ?? startTimestamp ?? metadata.creationTimestamp;
}

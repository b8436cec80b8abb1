import { groupOf, type KubeObject, keyOf } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { APIS } from "../../../src/main/apis.ts";
import { type OperatorCounters, operatorMetrics } from "../../../src/main/operator_metrics.ts";
import { Metrics } from "../../../src/observe/metrics.ts";

/** One line of what the operator tells. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

const QUEUES = ["kopiur-backup", "kopiur-catalog"] as const;

export interface World {
  /** What the API server holds. */
  readonly objects?: readonly KubeObject[];
  readonly isLeader?: boolean;
  /** How long ago the API server last confirmed the caches. Default 0. */
  readonly stalenessMs?: number;
  /** How long the longest running reconcile has been running. Default 0. */
  readonly longestMs?: number;
  /** Whose reconcile that is. Default `kopiur-backup`. */
  readonly queue?: (typeof QUEUES)[number];
  /** The first API alone was asked for, and is not served. */
  readonly closed?: true;
  /** What has happened. */
  readonly events?: (counters: OperatorCounters, metrics: Metrics) => void;
}

/** What an operator that looks at this world answers to a scrape. */
export async function exposition(world: World): Promise<readonly Series[]> {
  const { objects = [], isLeader = true, stalenessMs = 0, closed, events } = world;
  const { longestMs = 0, queue = "kopiur-backup" } = world;
  const metrics = new Metrics();
  const cacheOf = ({ group, kind }: Pick<Resource, "group" | "kind">) => {
    const values = objects.filter((object) => object.kind === kind && groupOf(object) === group);
    const byKey = new Map(values.map((object) => [keyOf(object.metadata), object]));
    return { values: () => values, get: byKey.get.bind(byKey) };
  };
  const informers: Parameters<typeof operatorMetrics>[1]["informers"] = {
    for: () => informers,
    cache: ({ resource }: { readonly resource: Pick<Resource, "group" | "kind"> }) =>
      cacheOf(resource) as never,
    caches: () => [["backups", { size: objects.length, staleness: stalenessMs }]] as never,
  };
  for (const name of QUEUES) {
    const longestRunning = name === queue ? longestMs : 0;
    metrics.addQueue(name, { depth: 0, delayed: 0, inFlight: [], longestRunning });
  }
  const apis = closed ? [] : APIS;
  const asked = closed ? APIS.slice(0, 1) : APIS;
  const counters = operatorMetrics(metrics, { informers, isLeader: () => isLeader, apis, asked });
  events?.(counters, metrics);
  return (await metrics.text()).split("\n").flatMap((line) => seriesIn(line));
}

function seriesIn(line: string): readonly Series[] {
  const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) return [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text]);
  return [{ name, labels: Object.fromEntries(pairs), value }];
}

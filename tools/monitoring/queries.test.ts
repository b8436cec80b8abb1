import { beforeAll, describe, expect, test } from "vitest";
import { progressCheck } from "../../src/kube/controller/checks.ts";
import { ALERTS } from "./alerts.ts";
import { DASHBOARD } from "./dashboard/dashboard.ts";
import { promqlNames, type Selector } from "./promql_names.ts";
import { BUSY } from "./testing/busy_world.ts";
import { exposition, type Series } from "./testing/exposition.ts";

/** What Prometheus gives to every series that it scrapes from a pod. */
const OF_THE_TARGET = ["namespace", "pod", "instance", "job"];
/** Prometheus tells this one itself. */
const OF_PROMETHEUS = "ALERTS";

const panels = DASHBOARD.flatMap((row) => row.panels);
const queries: readonly (readonly [name: string, expr: string])[] = [
  ...ALERTS.map(({ name, expr }) => [name, expr] as const),
  ...panels.flatMap(({ title, queries: own }) =>
    own.map(({ expr, legend }) => [`${title}: ${legend}`, expr] as const),
  ),
];

let told: readonly Series[];
beforeAll(async () => {
  told = await exposition(BUSY);
});

const seriesOf = ({ metric }: Selector) => told.filter(({ name }) => name === metric);

describe("an expression", () => {
  test.each(queries)("asks for metrics that the operator tells, by labels that they have: %s", (_, expr) => {
    const { selectors, grouping } = promqlNames(expr);
    const asked = selectors.filter(({ metric }) => metric !== OF_PROMETHEUS);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of asked) {
      const [one] = seriesOf(selector);
      expect(one, selector.metric).toBeDefined();
      const labels = Object.keys(one?.labels ?? {});
      expect(labels, selector.metric).toEqual(expect.arrayContaining(Object.keys(selector.matchers)));
    }
    const known = asked.flatMap((selector) => Object.keys(seriesOf(selector)[0]?.labels ?? {}));
    expect([...known, ...OF_THE_TARGET]).toEqual(expect.arrayContaining([...grouping]));
  });

  test.each(queries)("asks for values that some series has: %s", (_, expr) => {
    for (const selector of promqlNames(expr).selectors.filter(({ metric }) => metric !== OF_PROMETHEUS)) {
      const found = seriesOf(selector).filter(({ labels }) =>
        Object.entries(selector.matchers).every(([label, text]) => matches(labels[label] ?? "", text)),
      );
      expect(found, JSON.stringify(selector)).not.toEqual([]);
    }
  });
});

test("alerts and legends name labels only that their expressions leave", () => {
  const texts = [
    ...ALERTS.map(
      ({ expr, summary, description }) => [expr, summary + description, /\$labels\.(\w+)/g] as const,
    ),
    ...panels
      .flatMap((panel) => panel.queries)
      .map(({ expr, legend }) => [expr, legend, /\{\{(\w+)\}\}/g] as const),
  ];
  for (const [expr, text, pattern] of texts) {
    const named = [...text.matchAll(pattern)].map(([, label = ""]) => label);
    const { grouping, selectors } = promqlNames(expr);
    const left = /\bby\b/.test(expr) ? grouping : [...grouping, ...selectors.flatMap(() => OF_THE_TARGET)];
    expect(left, text).toEqual(expect.arrayContaining(named));
  }
});

test("a reconcile that does not end is seen at some scrapes before the replica is killed for it", () => {
  const { expr = "" } = ALERTS.find(({ name }) => name === "HoldfastOperatorUnhealthy") ?? {};
  const limits = Array.from(expr.matchAll(/longest_running_seconds.*> (\d+)/g), ([, limit]) => Number(limit));
  const outcomes = [120_000, 1_800_000].map((deadline, i) => {
    const longestRunning = ((limits[i] ?? 0) + 180) * 1_000;
    const queue = { depth: 0, delayed: 0, longestRunning, inFlight: [] };
    return { longer: longestRunning > deadline, ...progressCheck({ name: "some", deadline, queue }).check() };
  });
  expect(outcomes).toEqual([
    { longer: true, ok: true },
    { longer: true, ok: true },
  ]);
});

/** As Grafana would fill it in for all namespaces. */
function matches(value: string, matcher: string): boolean {
  const [, operator = "", text = ""] =
    /^(=~|!~|!=|=)\s*"(.*)"$/.exec(matcher.replace("$namespace", ".*")) ?? [];
  const same = operator.includes("~") ? new RegExp(`^(?:${text})$`).test(value) : value === text;
  return operator.startsWith("!") ? !same : same;
}

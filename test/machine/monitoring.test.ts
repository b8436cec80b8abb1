import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ALERTS } from "../../tools/monitoring/alerts.ts";
import { DASHBOARD } from "../../tools/monitoring/dashboard/dashboard.ts";
import { BUSY } from "../../tools/monitoring/testing/busy_world.ts";
import type { AlertCase } from "./alert_case.ts";
import { ALERT_CASES } from "./alert_cases.ts";
import { inputSeries, promtool } from "./promtool.ts";
import { CHART, one, type Rendered, rendered, type Values } from "./rendered_chart.ts";

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const MONITORING = ["monitoring.coreos.com/v1"];
const ALL = {
  "metrics.serviceMonitor.enabled": true,
  "metrics.prometheusRule.enabled": true,
  "metrics.prometheusRule.volumeUnprotected": true,
  "metrics.prometheusRule.labels.release": "prometheus",
  "metrics.prometheusRule.runbookUrl": "https://example.org/runbooks/",
  "grafanaDashboard.enabled": true,
  "grafanaDashboard.annotations.grafana_folder": "Backups",
};
const rulesOf = (objects: readonly Rendered[]) => one(objects, "PrometheusRule").spec as Rules;

describe("the alerts that the chart installs", () => {
  test("are as Prometheus wants them, and all there", () => {
    const rules = rulesOf(rendered(ALL, MONITORING));
    expect(promtool(["check", "rules", "--lint=all", "--lint-fatal"], { "rules.yaml": rules })).toMatchObject(
      {
        status: 0,
        text: expect.stringContaining(`${ALERTS.length} rules found`),
      },
    );
  });

  test("are without those that somebody has to switch on", () => {
    const { groups } = rulesOf(
      rendered({ ...ALL, "metrics.prometheusRule.volumeUnprotected": false }, MONITORING),
    );
    expect(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))).toEqual(
      ALERTS.filter(({ optional }) => optional === undefined).map(({ name }) => name),
    );
  });

  test("lead to their runbooks, where somebody says where these are", () => {
    const urls = (values: typeof ALL) =>
      rulesOf(rendered(values, MONITORING)).groups.flatMap(({ rules }) =>
        rules.map(({ annotations }) => annotations.runbook_url),
      );
    expect(urls(ALL)).toEqual(ALERTS.map(({ name }) => `https://example.org/runbooks/${name}.md`));
    expect(new Set(urls({ ...ALL, "metrics.prometheusRule.runbookUrl": "" }))).toEqual(new Set([undefined]));
  });

  test("have a story each in which they fire and end", () => {
    expect([...new Set(ALERT_CASES.map(({ alert }) => alert))]).toEqual(ALERTS.map(({ name }) => name));
  });

  test.each(ALERT_CASES.map((story) => [story.alert, story.story, story] as const))(
    "%s fires once and ends: %s",
    async (_, __, story) => {
      const { status, text } = promtool(["test", "rules"], {
        "rules.yaml": summariesOnly(rulesOf(rendered(ALL, MONITORING))),
        "test.yaml": {
          rule_files: ["rules.yaml"],
          evaluation_interval: "1m",
          tests: [await ruleTest(story)],
        },
      });
      expect(text).toContain("SUCCESS");
      expect(status).toBe(0);
    },
  );
});

describe("the dashboard", () => {
  test("has an answer to each of its questions, of what the operator tells", async () => {
    const queries = DASHBOARD.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries));
    const asked = queries.map(({ expr }) =>
      expr.replaceAll("$namespace", ".*").replaceAll("$__rate_interval", "5m"),
    );
    const { text, status } = promtool(["test", "rules"], {
      "rules.yaml": { groups: [] },
      "test.yaml": {
        rule_files: ["rules.yaml"],
        tests: [
          {
            interval: "1m",
            input_series: await inputSeries([{ minutes: 20, world: BUSY }]),
            promql_expr_test: asked.map((expr) => ({
              expr: `count(${expr}) > bool 0`,
              eval_time: "15m",
              exp_samples: [{ labels: "{}", value: 1 }],
            })),
          },
        ],
      },
    });
    expect(text).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  test("is in a ConfigMap that Grafana's sidecar finds", () => {
    const { metadata, data } = one(
      rendered(ALL, MONITORING),
      "ConfigMap",
      "holdfast-dashboard",
    ) as Rendered & {
      readonly data: Readonly<Record<string, string>>;
    };
    expect(metadata.labels).toMatchObject({ grafana_dashboard: "1" });
    expect(metadata.annotations).toEqual({ grafana_folder: "Backups" });
    const { title, panels } = JSON.parse(data["holdfast.json"] ?? "") as { title: string; panels: unknown[] };
    const rows = DASHBOARD.map((row) => row.panels.length + 1);
    expect({ title, panels: panels.length }).toEqual({
      title: "Holdfast",
      panels: rows.reduce((sum, count) => sum + count),
    });
  });
});

test("metrics keep the namespace of their object when they are scraped, whichever switch asks for it", () => {
  for (const key of ["metrics.serviceMonitor.enabled", "webhook.serviceMonitor.enabled"]) {
    const monitors = rendered({ [key]: true }, MONITORING).filter(({ kind }) => kind === "ServiceMonitor");
    expect(monitors).toMatchObject([{ spec: { endpoints: [{ path: "/metrics", honorLabels: true }] } }]);
  }
});

test("the overlay turns all of it on", () => {
  const overlay = parse(readFileSync(join(CHART, "observability-values.yaml"), "utf8")) as object;
  const kinds = rendered(flattened(overlay), MONITORING).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["ServiceMonitor", "PrometheusRule", "ConfigMap"]));
});

test("by default there is none of it", () => {
  const kinds = rendered({}, MONITORING).map(({ kind }) => kind);
  for (const kind of ["ServiceMonitor", "PrometheusRule", "ConfigMap"]) expect(kinds).not.toContain(kind);
});

/** As `--set` takes values. */
function flattened(values: object, prefix = ""): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]: [string, Values[string] | object]) =>
      typeof value === "object"
        ? Object.entries(flattened(value, `${prefix}${key}.`))
        : [[prefix + key, value]],
    ),
  );
}

async function ruleTest({ alert, stretches, notYet, fires, ended, labels, summary }: AlertCase) {
  const severity = ALERTS.find(({ name }) => name === alert)?.severity;
  const silent = (minutes: number) => ({ alertname: alert, eval_time: `${minutes}m`, exp_alerts: [] });
  const firing = { exp_labels: { severity, ...labels }, exp_annotations: { summary } };
  return {
    interval: "1m",
    input_series: await inputSeries(stretches),
    alert_rule_test: [
      silent(notYet),
      { alertname: alert, eval_time: `${fires}m`, exp_alerts: [firing] },
      silent(ended),
    ],
  };
}

/** The tester compares annotations to the letter; summaries show well enough that templates are filled in. */
function summariesOnly({ groups }: Rules): Rules {
  return {
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({ ...rule, annotations: { summary: rule.annotations.summary ?? "" } })),
    })),
  };
}

import { expect, test } from "vitest";
import { promqlNames } from "./promql_names.ts";

test.each([
  [
    'sum by (le, operation) (rate(a_bucket{result=~"failed|lost", kind="b"}[5m]))',
    [{ metric: "a_bucket", matchers: { result: '=~"failed|lost"', kind: '="b"' } }],
    ["le", "operation"],
  ],
  [
    "(time() - max by (namespace, name) (a) > 0)\nunless on (namespace, name) b",
    [
      { metric: "a", matchers: {} },
      { metric: "b", matchers: {} },
    ],
    ["namespace", "name"],
  ],
  ["absent(a) or vector(0)", [{ metric: "a", matchers: {} }], []],
  ['label_replace(a, "b", "c", "", "")', [{ metric: "a", matchers: {} }], []],
  ["clamp_max(a, 86400) > 1.5e3", [{ metric: "a", matchers: {} }], []],
  [
    'rate(a[$__rate_interval]) and on (job) b{c!=""}',
    [
      { metric: "a", matchers: {} },
      { metric: "b", matchers: { c: '!=""' } },
    ],
    ["job"],
  ],
])("the names in %j are found", (expr, selectors, grouping) => {
  expect(promqlNames(expr)).toEqual({ selectors, grouping });
});

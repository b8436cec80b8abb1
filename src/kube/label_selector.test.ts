import { expect, test } from "vitest";
import { type LabelSelector, selects } from "./label_selector.ts";

const expression = (
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist",
  key: string,
  values?: string[],
) => ({
  matchExpressions: [{ key, operator, ...(values ? { values } : {}) }],
});

test.each<[LabelSelector, boolean]>([
  [{}, true],
  [{ matchLabels: { tier: "gold" } }, true],
  [{ matchLabels: { tier: "tin" } }, false],
  [{ matchLabels: { tier: "gold", team: "a" } }, false],
  [expression("In", "tier", ["gold", "tin"]), true],
  [expression("In", "team", ["a"]), false],
  [expression("NotIn", "tier", ["gold"]), false],
  [expression("NotIn", "team", ["a"]), true],
  [expression("Exists", "tier"), true],
  [expression("Exists", "constructor"), false],
  [expression("DoesNotExist", "tier"), false],
  [expression("DoesNotExist", "team"), true],
  [{ matchLabels: { tier: "gold" }, ...expression("Exists", "team") }, false],
])("%j selects: %s", (selector, selected) => {
  expect(selects(selector, { tier: "gold" })).toBe(selected);
});

import { expect, test } from "vitest";
import { selectorText } from "./selector_text.ts";

test("selectorText() writes a selector as a query has it", () => {
  const matchExpressions = [
    { key: "tier", operator: "In", values: ["a", "b"] },
    { key: "zone", operator: "NotIn", values: ["c"] },
    { key: "here", operator: "Exists" },
    { key: "gone", operator: "DoesNotExist" },
  ] as const;
  expect(selectorText({ matchLabels: { app: "db", x: "" }, matchExpressions })).toBe(
    "app=db,x=,tier in (a,b),zone notin (c),here,!gone",
  );
  expect(selectorText({})).toBe("");
});

import { expect, test } from "vitest";
import { listed } from "./permission.ts";

const tenant = { namespace: "billing", labels: { tier: "gold" } };
const unread = { namespace: "billing", labels: undefined };
const gold = { selector: { matchLabels: { tier: "gold" } } };

test.each([
  ["nobody is listed without a list", undefined, tenant, "denied"],
  ["a list names the namespace", { list: ["a", "billing"] }, tenant, "granted"],
  ["a list does not name the namespace", { list: ["a"] }, tenant, "denied"],
  ["an empty list names nobody", { list: [] }, tenant, "denied"],
  ["all are listed", { all: true }, unread, "granted"],
  ["a selector selects the namespace", gold, tenant, "granted"],
  ["a selector selects others", gold, { ...tenant, labels: {} }, "denied"],
  ["labels that were not read decide nothing", gold, unread, "unknown"],
] as const)("%s", (_, allowed, who, permission) => {
  expect(listed(allowed, who)).toBe(permission);
});

import { expect, test } from "vitest";
import type { Condition } from "../../kube/write/conditions.ts";
import { clusterRepository, NOW } from "../testing/samples.ts";
import type { Repository } from "./repository.ts";
import { withTenancy } from "./with_tenancy.ts";

const NOTHING = { intents: [] };

function told(repository: Repository, count: number) {
  const { status } = withTenancy(NOTHING, { repository, count, now: NOW });
  return status?.conditions?.find(({ type }) => type === "TenancyEnforced");
}

test.each([
  [
    { list: ["billing", "shop"] },
    "List",
    "No namespace may use it but those that it lists: 2 of them are there now.",
  ],
  [
    { selector: { matchLabels: { tier: "gold" } } },
    "Selector",
    "No namespace may use it but those that it selects: 2 of them are there now.",
  ],
  [{ all: true }, "All", "Every namespace may use it: there are 2 now."],
] as const)(
  "a repository of the whole cluster says that tenancy is enforced, and for whom it is: %o",
  (allowed, reason, message) => {
    const repository = clusterRepository({ spec: { allowedNamespaces: allowed } });
    expect(told(repository, 2)).toMatchObject({ status: "True", reason, message });
  },
);

test("it is said with whatever else is new, and what else was said stays", () => {
  const connected = { type: "Connected", status: "True", reason: "Created", message: "m" } as const;
  const conditions: Condition[] = [{ ...connected, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const fresh = { ...NOTHING, status: { phase: "Ready", conditions } as const };
  const { status } = withTenancy(fresh, { repository: clusterRepository(), count: 1, now: NOW });
  expect(status).toMatchObject({ phase: "Ready", allowedNamespaceCount: 1 });
  expect(status?.conditions?.map(({ type }) => type)).toEqual(["Connected", "TenancyEnforced"]);
});

test("what is said already is not said again, until the number or the spec changes", () => {
  const repository = clusterRepository({ metadata: { generation: 1 } });
  const { status } = withTenancy(NOTHING, { repository, count: 1, now: NOW });
  const known = { ...repository, status: { ...status, phase: "Ready" as const } };
  expect(withTenancy(NOTHING, { repository: known, count: 1, now: NOW })).toBe(NOTHING);
  expect(withTenancy(NOTHING, { repository: known, count: 2, now: NOW }).status).toMatchObject({
    phase: "Ready",
    allowedNamespaceCount: 2,
  });
  const edited = { ...known, metadata: { ...known.metadata, generation: 2 } };
  expect(withTenancy(NOTHING, { repository: edited, count: 1, now: NOW }).status).toBeDefined();
});

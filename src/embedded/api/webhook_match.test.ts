import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { MemoryStore } from "../store/memory_store.ts";
import type { Stored } from "../store/store.ts";
import type { Attempt } from "./admission.ts";
import { matchedKind, type Webhook, type WebhookRule } from "./webhook_match.ts";

const kindOf = (name: string) => builtinKinds.find(({ resource }) => resource.kind === name) as KindInfo;

function object(labels: Record<string, string> = {}): Stored {
  const metadata = {
    name: "x",
    namespace: "ns",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
    labels,
  };
  return { apiVersion: "v1", kind: "Pod", metadata };
}

async function matches(webhook: Partial<Webhook>, attempt: Partial<Attempt> = {}): Promise<boolean> {
  const store = new MemoryStore({ clock: new VirtualClock() });
  const namespace = { ...object({ team: "a" }), kind: "Namespace" };
  await store.put({ resource: "namespaces", namespace: "", name: "ns" }, namespace, undefined);
  const complete: Attempt = {
    operation: "CREATE",
    kind: kindOf("Pod"),
    subresource: undefined,
    namespace: "ns",
    name: "x",
    object: object(),
    user: { username: "admin", groups: [] },
    dryRun: false,
    warn: () => {},
    ...attempt,
  };
  const all: Webhook = { name: "hook", clientConfig: {}, rules: [rule()], ...webhook };
  return matchedKind(all, complete, [], store) !== undefined;
}

function rule(more: Partial<WebhookRule> = {}): WebhookRule {
  return { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], ...more };
}

describe("matchedKind()", () => {
  test.each([
    [{ operations: ["UPDATE", "DELETE"] }, false],
    [{ operations: ["CREATE"] }, true],
    [{ apiGroups: ["apps"] }, false],
    [{ apiGroups: [""] }, true],
    [{ apiVersions: ["v2"] }, false],
    [{ resources: ["configmaps"] }, false],
    [{ resources: ["pods/status"] }, false],
    [{ resources: ["pods/*"] }, false],
    [{ resources: ["*/*"] }, true],
    [{ scope: "Cluster" }, false],
    [{ scope: "Namespaced" }, true],
  ] as const)("with the rule %j asks about a new pod: %s", async (more, expected) => {
    expect(await matches({ rules: [rule(more)] })).toBe(expected);
  });

  test.each([
    [["pods"], false],
    [["*"], false],
    [["pods/status"], true],
    [["pods/*"], true],
    [["*/status"], true],
    [["*/*"], true],
  ])("with the resources %j asks about a pod's status: %s", async (resources, expected) => {
    expect(await matches({ rules: [rule({ resources })] }, { subresource: "status" })).toBe(expected);
  });

  test("an object is selected by its labels before or after the write", async () => {
    const webhook: Partial<Webhook> = { objectSelector: { matchLabels: { app: "a" } } };
    expect(await matches(webhook)).toBe(false);
    expect(await matches(webhook, { object: object({ app: "a" }) })).toBe(true);
    expect(await matches(webhook, { operation: "UPDATE", old: object({ app: "a" }) })).toBe(true);
  });

  test.each([
    [{ key: "team", operator: "In", values: ["a", "b"] }, true],
    [{ key: "team", operator: "NotIn", values: ["a"] }, false],
    [{ key: "team", operator: "Exists" }, true],
    [{ key: "team", operator: "DoesNotExist" }, false],
    [{ key: "other", operator: "NotIn", values: ["a"] }, true],
  ] as const)(
    "with the namespace selector %j asks in a namespace of team a: %s",
    async (expression, expected) => {
      expect(await matches({ namespaceSelector: { matchExpressions: [expression] } })).toBe(expected);
    },
  );

  test("what has no namespace is not narrowed by a namespace selector", async () => {
    const namespaceSelector = { matchLabels: { nobody: "has this" } };
    expect(await matches({ namespaceSelector }, { kind: kindOf("Node"), namespace: "" })).toBe(true);
    expect(await matches({ namespaceSelector }, { kind: kindOf("Namespace"), namespace: "" })).toBe(false);
  });
});

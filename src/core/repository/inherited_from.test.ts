import { expect, test } from "vitest";
import type { Client } from "../../kube/client.ts";
import { err, ok } from "../../lib/result.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { TaskView } from "../work/task_view.ts";
import { sampleTask } from "../work/testing/samples.ts";
import { type Inherited, planInheriting } from "./inherited_from.ts";

const FROM = {
  inheritSecurityContextFrom: { podSelector: { matchLabels: { app: "db" } } },
  privilegedMode: false,
};
const pod = (app: string) => ({
  metadata: { namespace: "shop", name: app, labels: { app }, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main" }], securityContext: { runAsUser: 1000 } },
  status: { phase: "Running" },
});

interface Given {
  readonly mover?: typeof FROM;
  readonly record?: Partial<RunRecord>;
  readonly pods?: readonly object[];
}

/** With what the task is made in the end, and whether the pods were looked at. */
async function made({ mover, record, pods = [pod("db"), pod("web")] }: Given) {
  let looked = false;
  const tasks = {
    decide: async ({ record: known }: TaskView) => ({ record: known ?? FIRST_ATTEMPT, intents: [] }),
  };
  const client = {
    list: async (_: unknown, { namespace }: { readonly namespace: string }) => {
      looked = true;
      expect(namespace).toBe("shop");
      return { items: pods };
    },
  } as unknown as Client;
  const given: Inherited[] = [];
  const make = (inherited: Inherited) => {
    given.push(inherited);
    return inherited.ok ? ok(sampleTask) : err(inherited.error);
  };
  const status = record ? { work: { snapshot: { ...FIRST_ATTEMPT, edition: "e1", ...record } } } : {};
  const heir = { namespace: "shop", mover, status, edition: "e1" };
  const ports = { client, tasks } as unknown as Parameters<typeof planInheriting>[0];
  const plan = await planInheriting(ports, heir, make, {}, new AbortController().signal);
  const last = given.at(-1);
  const remembered = plan.ok ? plan.value.decision.record.inherited?.securityContext.runAsUser : undefined;
  return { looked, remembered, user: last?.ok ? last.value.securityContext.runAsUser : undefined, plan };
}

test.each<[string, Given, boolean, number | undefined]>([
  ["names no workload", {}, false, undefined],
  ["names one", { mover: FROM }, true, 1000],
  ["names one, and has its Job", { mover: FROM, record: { job: "uid-1" } }, false, undefined],
  ["names one, and has ended", { mover: FROM, record: { outcome: "Failed" } }, false, undefined],
  [
    "names one, and was edited since it ended",
    { mover: FROM, record: { outcome: "Failed", edition: "e0" } },
    true,
    1000,
  ],
])("a task whose object %s", async (_, given, looked, user) => {
  expect(await made(given)).toMatchObject({ looked, user, remembered: user, plan: { ok: true } });
});

test("a task whose workload was scaled down for it runs as its pod did", async () => {
  const inherited = { podSecurityContext: {}, securityContext: { runAsUser: 999 } };
  const later = { mover: FROM, pods: [], record: { inherited } };
  expect(await made(later)).toMatchObject({ looked: false, user: 999, remembered: 999 });
  const edited = { ...later, pods: [pod("db")], record: { inherited, edition: "e0" } };
  expect(await made(edited)).toMatchObject({ looked: true, user: 1000, remembered: 1000 });
});

test("a task without a pod to inherit from says so", async () => {
  const { plan } = await made({ mover: FROM, pods: [pod("web")] });
  expect(plan).toMatchObject({ ok: false, error: { reason: "NoWorkloadPod" } });
});

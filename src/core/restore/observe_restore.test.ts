import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { ok } from "../../lib/result.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, NOW, readyNas, SETTINGS } from "../testing/samples.ts";
import { type Claim, MADE_FOR } from "../volumes/claim_request.ts";
import { FOREVER } from "../work/run_policy.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import { observeRestore } from "./observe_restore.ts";
import type { Resolution } from "./resolution.ts";
import type { Restore } from "./restore.ts";
import type { KnownRestore, RestorePorts } from "./restore_ports.ts";
import { RESTORE } from "./restore_tasks.ts";
import { ASK, claimOf, primeOf, RESTORES, restore } from "./testing/restore_samples.ts";

const resolved = { repository: { kind: "Repository", name: "nas" }, snapshotID: "k1", pinnedAt: AT } as const;
const prime = primeOf();
const others = claimOf({ name: "restored", annotations: { [MADE_FOR]: "uid-other" } });

/** With these claims, and nothing else. */
function portsOf(
  claims: readonly ReturnType<typeof claimOf>[],
  {
    cached = claims,
    views = [],
    asked = [],
  }: { readonly cached?: readonly Claim[]; readonly views?: object[]; readonly asked?: object[] } = {},
): RestorePorts {
  const found = (name: string) => claims.find(({ metadata }) => metadata.name === name);
  const client = new RecordingClient(({ resource, name }) => {
    const claim = resource.kind === "PersistentVolumeClaim" && found(name?.name ?? "");
    if (claim) return claim;
    if (!name) return { items: [] };
    throw new ApiError({ request: "get", code: 404, status: { code: 404, reason: "NotFound" } });
  });
  const named = (key: string) =>
    cached.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);
  const tasks = { decide: (view: object) => Promise.resolve({ intents: [], seen: views.push(view) }) };
  const queues = {
    ask: (question: object) => {
      asked.push(question);
      return { place: { seated: true }, running: 0, waiting: 0 };
    },
  };
  return {
    client,
    api: RESTORES,
    claims: { get: named },
    tasks,
    queues,
    clock: new VirtualClock(NOW),
  } as unknown as RestorePorts;
}

/** The restore, with its repository; without anything pinned, that is asked. */
function known(object: Restore): KnownRestore {
  const context = { repository: readyNas(), namespace: "billing", settings: SETTINGS, consent: false };
  const source = (pinned: Restore["status"]): Resolution =>
    pinned?.resolved ? { type: "Pinned", pinned: pinned.resolved } : ASK;
  return {
    restore: object,
    source: () => ({ resolution: ok(source(object.status)) }),
    repository: async () => ok({ context, ready: ok(true) }),
    intoSameClaim: () => [object],
  };
}

const observe = (claims: readonly ReturnType<typeof claimOf>[], work: object = {}) =>
  observeRestore(
    portsOf(claims),
    known(restore({ status: { resolved, work } })),
    AbortSignal.timeout(60_000),
  );

test("a mover is seen that writes into the prime claim, also when there is another's claim of the target's name", async () => {
  const writing = { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } };
  const observed = await observe([prime, others], writing);
  expect(observed).toMatchObject({ claim: others, through: { prime } });
  expect(observed.run).toBeDefined();
});

test("another's claim of the target's name is all that is seen where nothing was begun", async () => {
  const observed = await observe([others]);
  expect(observed).toMatchObject({ claim: others });
  expect(observed).not.toHaveProperty("through");
  expect(observed).not.toHaveProperty("run");
});

test("whoever has given up asks for no slot, until an edit", async () => {
  const waiting = { since: AT, edition: specFingerprint(restore()) };
  const slots = async (metadata: object, more: object) => {
    const asked: object[] = [];
    const object = restore({ metadata, status: { phase: "Failed", waiting, ...more } });
    await observeRestore(portsOf([prime], { asked }), known(object), AbortSignal.timeout(60_000));
    return asked.length;
  };
  for (const status of [{}, { resolved }]) {
    expect(await slots({}, status)).toBe(0);
    expect(await slots({ generation: 2 }, status)).toBe(1);
  }
});

test.each([
  ["for as long as it takes where workloads wait for the answer", true, FOREVER],
  ["as often as the policy says otherwise", false, restore().spec.failurePolicy],
])("a repository is asked %s", async (_, holdWorkloads, policy) => {
  const views: object[] = [];
  const target = { pvcRef: { name: "data", scaleDownWorkloads: true, holdWorkloads } };
  const object = restore({ spec: { target } });
  await observeRestore(portsOf([], { views }), known(object), AbortSignal.timeout(60_000));
  expect(views).toMatchObject([{ policy }]);
});

describe("what a mover writes into", () => {
  const ours = claimOf({ name: "restored", uid: "uid-claim", annotations: { [MADE_FOR]: "uid-again" } });
  const status = {
    resolved,
    target: { pvcRef: { name: "restored", uid: "uid-claim" } },
    work: { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } },
  };
  const look = async (claims: readonly Claim[], cached: readonly Claim[], of: object = status) => {
    const views: object[] = [];
    const ports = { ...portsOf(claims, { cached, views }), namespace: "billing" };
    const observed = await observeRestore(ports, known(restore({ status: of })), AbortSignal.timeout(60_000));
    return { observed, views };
  };

  test("is not taken for gone by what the cache has not heard of", async () => {
    const { observed, views } = await look([ours], []);
    expect(observed).toMatchObject({ claim: ours, run: { ok: true } });
    expect(views).toMatchObject([{ task: { purpose: RESTORE } }]);
    expect(views[0]).not.toHaveProperty("cancel");
  });

  test.each<[string, Claim[]]>([
    ["is gone", []],
    ["is going", [{ ...ours, metadata: { ...ours.metadata, deletionTimestamp: AT } }]],
    ["is another one", [{ ...ours, metadata: { ...ours.metadata, uid: "uid-newer" } }]],
    ["is somebody's", [others]],
  ])("is written no further when it %s: the mover is told to end", async (_, claims) => {
    const { observed, views } = await look(claims, [ours]);
    expect(observed.run).toMatchObject({ ok: true });
    expect(views).toMatchObject([{ task: { purpose: RESTORE }, cancel: true }]);
  });

  test("is not needed to tidy up after a run that has failed", async () => {
    const record = { ...FIRST_ATTEMPT, edition: specFingerprint(restore()), outcome: "Failed" };
    const { observed } = await look([], [], { resolved, phase: "Failed", work: { [RESTORE]: record } });
    expect(observed.run).toMatchObject({ ok: true });
  });

  test("is looked for also as a prime claim that the cache has not heard of", async () => {
    const target = { pvcRef: { name: "restored" }, pvcPrime: prime.metadata.name };
    const views: object[] = [];
    const ports = portsOf([prime], { cached: [], views });
    const object = restore({ status: { ...status, target } });
    const observed = await observeRestore(ports, known(object), AbortSignal.timeout(60_000));
    expect(observed.through).toMatchObject({ prime });
    expect(views[0]).not.toHaveProperty("cancel");
  });
});

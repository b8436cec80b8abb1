import { describe, expect, test } from "vitest";
import { refused, waits } from "../../../core/reconcile/problem.ts";
import { NOW } from "../../../core/testing/samples.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { MAX_STATUS } from "../../../kube/write/status.ts";
import { err, ok } from "../../../lib/result.ts";
import { config, readyNas } from "../testing/samples.ts";
import { decideMultiNamespace } from "./decide_multi_namespace.ts";
import { derivedDraft } from "./derived_config.ts";
import { type ObservedNamespace, stateInNamespace } from "./namespace_state.ts";
import { MOST_NAMESPACES } from "./namespaces_of.ts";

const recipe = config({
  spec: {
    sources: [
      {
        pvcSelector: { namespaceSelector: { matchNames: ["billing", "lab", "shop"] } },
        sourcePathStrategy: "PVCName",
      },
    ],
  },
  status: { resolved: { identity: { username: "old", hostname: "old" } } },
});

const place = (name: string, metadata: object = {}): KubeObject =>
  ({ apiVersion: "v1", kind: "Namespace", metadata: { name, uid: name, ...metadata } }) as KubeObject;

function draftIn(namespace: string) {
  const draft = derivedDraft({ config: recipe, namespace });
  if (!draft.ok) throw new Error("no draft");
  return draft.value;
}

/** The BackupConfig in a namespace, as the API server holds it. */
function there(namespace: string, status: BackupConfigStatus = {}, more: object = {}): BackupConfig {
  const { metadata, spec } = draftIn(namespace);
  const stored = config({ metadata: { ...metadata, uid: `uid-${namespace}` } as never });
  return {
    ...stored,
    spec: spec as BackupConfig["spec"],
    status: { observedGeneration: 1, ...status },
    ...more,
  };
}

const part = (namespace: string, more: Partial<ObservedNamespace> = {}): ObservedNamespace => ({
  config: recipe,
  namespace,
  place: place(namespace),
  consent: "namespace",
  derived: there(namespace, { phase: "Ready" }),
  draft: draftIn(namespace),
  ...more,
});

const use = { ready: ok(readyNas()) } as never;
const decide = (...parts: readonly ObservedNamespace[]) =>
  decideMultiNamespace({ config: recipe, use, parts: ok(parts), now: NOW });
const failing = (reason: string) =>
  ({
    phase: "Failed",
    conditions: [{ type: "Ready", status: "False", reason, message: "Why.", lastTransitionTime: "" }],
  }) as BackupConfigStatus;

describe("a BackupConfig for several namespaces", () => {
  test("can be run when it can be in each, and records nothing itself", () => {
    const { status, intents, wakeAt } = decide(part("billing"), part("shop"));
    expect(status).toMatchObject({
      phase: "Ready",
      observedGeneration: 1,
      resolved: { repository: { name: "nas" } },
      namespaces: [
        { namespace: "billing", reason: "Ready" },
        { namespace: "shop", reason: "Ready" },
      ],
    });
    expect(status?.resolved).not.toHaveProperty("identity");
    expect([intents, wakeAt]).toEqual([[], undefined]);
  });

  test.each<[string, Partial<ObservedNamespace>, string]>([
    ["does not consent", { consent: "nobody" }, "CrossNamespaceForbidden"],
    ["does not exist", { place: "absent" }, "NamespaceNotFound"],
    ["goes", { place: place("lab", { deletionTimestamp: "now" }) }, "NamespaceGoing"],
    ["holds another BackupConfig of that name", { derived: config() }, "NameTaken"],
    [
      "may not use the repository",
      { derived: there("lab", failing("NamespaceNotAllowed")) },
      "NamespaceNotAllowed",
    ],
  ])("is run in the others, and says so, where one %s", (_, more, reason) => {
    const { status, intents, events } = decide(part("billing"), part("lab", more));
    expect(status).toMatchObject({ phase: "Degraded", namespaces: [{}, { namespace: "lab", reason }] });
    expect(intents).toEqual([]);
    expect(events).toMatchObject([{ type: "Warning", reason: "ResolvedInPart" }]);
    expect(events?.[0]?.message).toContain("lab: ");
  });

  test.each<[string, Partial<ObservedNamespace>, object]>([
    ["made", { derived: undefined }, { type: "Make", draft: draftIn("lab") }],
    [
      "set right, when it says other things",
      { derived: there("lab", { phase: "Ready" }, { spec: recipe.spec }) },
      { type: "Adapt", draft: draftIn("lab") },
    ],
  ])("is repeated: the BackupConfig there is %s", (_, more, intent) => {
    const { status, intents } = decide(part("lab", more));
    expect(intents).toMatchObject([{ type: "DerivedConfigs", intents: [intent] }]);
    expect(status?.phase).toBe("Pending");
  });

  test("waits until what repeated one of its name before is gone", () => {
    const before = there("lab", { phase: "Ready" });
    const annotations = { ...before.metadata.annotations, [DERIVED_ANNOTATIONS.uid]: "uid-before" };
    const derived = { ...before, metadata: { ...before.metadata, annotations } };
    const { status, intents } = decide(part("lab", { derived }));
    expect(status).toMatchObject({ phase: "Pending", namespaces: [{ reason: "Deriving" }] });
    expect(intents).toEqual([]);
  });

  test.each<[string, Partial<ObservedNamespace>, string]>([
    ["made", { derived: undefined }, "Make"],
    ["edited", { derived: there("lab", { phase: "Ready" }, { spec: recipe.spec }) }, "Adapt"],
  ])("is not waited for where it could not be %s, and tried again", (_, more, type) => {
    const told = {
      type: "Ready",
      status: "False",
      reason: "RecipeRefused",
      message: "Why.",
      lastTransitionTime: "",
    };
    const refusal = { namespace: "lab", reason: "RecipeRefused", message: "It is refused there: no." };
    const status = { observedGeneration: 1, conditions: [told], namespaces: [refusal] } as BackupConfigStatus;
    const refused = { ...recipe, status };
    const lab = part("lab", { ...more, config: refused });
    const parts = ok([part("billing"), lab]);
    const decision = decideMultiNamespace({ config: refused, use, parts, now: NOW });
    expect(decision.status).toMatchObject({ phase: "Degraded", namespaces: [{}, refusal] });
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ ...told, lastTransitionTime: expect.anything() }),
    );
    expect(decision.events).toEqual([]);
    expect(decision.intents).toMatchObject([{ intents: [{ type }], namespaces: [{}, refusal] }]);
    const edited = { ...refused, metadata: { ...refused.metadata, generation: 2 } };
    expect(stateInNamespace({ ...lab, config: edited }).state).toBe("making");
    expect(stateInNamespace(part("lab", { config: refused })).state).toBe("ready");
  });

  test("says in how many namespaces more it cannot be run", () => {
    const empty = { derived: there("lab", failing("NoSources")) };
    const failed = { consent: "nobody" as const };
    const message = (...parts: readonly ObservedNamespace[]) => decide(...parts).events?.[0]?.message;
    expect(message(part("billing"), part("lab", empty), part("shop", failed))).not.toContain("more");
    const two = [part("lab", failed), part("shop", failed)];
    expect(message(part("billing"), ...two)).toContain("So it is in 1 more");
  });

  test("makes nothing in a namespace that does not consent", () => {
    expect(decide(part("lab", { consent: "nobody", derived: undefined })).intents).toEqual([]);
    expect(decide(part("lab", { consent: "unknown", derived: undefined })).intents).toEqual([]);
  });

  test("is in order where one namespace has nothing to back up, and not where none has", () => {
    const empty = { derived: there("lab", failing("NoSources")) };
    expect(decide(part("billing"), part("lab", empty)).status?.phase).toBe("Ready");
    expect(decide(part("lab", empty)).status).toMatchObject({
      phase: "Failed",
      namespaces: [{ namespace: "lab", reason: "NoSources" }],
    });
  });

  test("waits for what is not known yet", () => {
    const unread = { derived: there("lab", { phase: "Ready", observedGeneration: 0 }) };
    for (const more of [unread, { place: "unknown" as const }, { consent: "unknown" as const }]) {
      expect(decide(part("lab", more))).toMatchObject({ status: { phase: "Pending" }, wakeAt: NOW + 30_000 });
    }
  });

  test.each([
    [waits("RepositoryNotFound", "Why."), "Pending"],
    [refused("GroupAcrossNamespaces", "Why."), "Failed"],
  ])("is run nowhere where it may not be at all", (problem, phase) => {
    const { status, intents } = decideMultiNamespace({ config: recipe, use, parts: err(problem), now: NOW });
    expect(status).toMatchObject({ phase });
    expect(status?.namespaces).toBeUndefined();
    expect(intents).toEqual([]);
  });

  test("has room in its status for as many namespaces as there may be, and for why it cannot be run in them", () => {
    const message = "x".repeat(1024);
    const parts = Array.from({ length: MOST_NAMESPACES }, (_, n) => {
      const namespace = `${n}-`.padEnd(63, "n");
      const { conditions = [] } = failing("NamespaceNotAllowed");
      const told = { phase: "Failed", conditions: conditions.map((one) => ({ ...one, message })) } as const;
      return part(namespace, { derived: there(namespace, told) });
    });
    const { status } = decide(...parts);
    expect(status?.namespaces).toHaveLength(MOST_NAMESPACES);
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(MAX_STATUS);
    const shown = status?.conditions?.map((one) => one.message.length) ?? [];
    expect(Math.max(...shown)).toBeLessThan(1024);
  });
});

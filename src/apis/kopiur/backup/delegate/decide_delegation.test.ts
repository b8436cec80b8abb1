import { describe, expect, test } from "vitest";
import { ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupSpec, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import { edition } from "../../editions.ts";
import { blocked, waits } from "../../problem.ts";
import { AT, backup, NOW } from "../../testing/samples.ts";
import { decideDelegation, type ObservedDelegation } from "./decide_delegation.ts";
import { delegateDraft, delegateName } from "./delegate_of.ts";
import { isDelegated } from "./is_delegated.ts";

const configRef = { name: "data", namespace: "shop" };

const asking = (
  metadata: Partial<ObjectMeta> = {},
  status: BackupStatus = {},
  spec: Partial<BackupSpec> = {},
): Backup =>
  backup({
    metadata: { finalizers: [SNAPSHOT_CLEANUP], ...metadata },
    spec: { configRef, ...spec },
    status,
  });

const NAME = delegateName(asking());

/** What it is told when it is made for a Backup without a policy. */
const TOLD = {
  [REQUEST_ANNOTATIONS.by]: "billing/first",
  [REQUEST_ANNOTATIONS.edition]: edition(asking()),
  [REQUEST_ANNOTATIONS.consent]: "recipe",
};

function working(
  status: BackupStatus = {},
  metadata: Partial<ObjectMeta> = {},
  spec: Partial<BackupSpec> = {},
) {
  const annotations = TOLD;
  return backup({
    metadata: { ...NAME, uid: "uid-delegate", annotations, ...metadata },
    spec: { configRef: { name: "data" }, ...spec },
    status,
  });
}

const decide = (observed: Partial<ObservedDelegation>) =>
  decideDelegation({
    backup: asking(),
    problem: undefined,
    consent: "recipe",
    delegate: undefined,
    namespaceGoing: false,
    now: NOW,
    ...observed,
  });

const does = (observed: Partial<ObservedDelegation>) =>
  decide(observed).intents.map((intent) => (intent.type === "Delegate" ? intent.intent.type : intent.type));

/** What the other one is changed to. */
const patchOf = (observed: Partial<ObservedDelegation>) =>
  decide(observed).intents.flatMap((intent) =>
    intent.type === "Delegate" && intent.intent.type === "Adapt" ? [intent.intent.patch] : [],
  )[0];

const ready = (status: BackupStatus) => status.conditions?.find(({ type }) => type === "Ready");

test("a recipe of another namespace is run by a Backup beside it, one of the own namespace is not", () => {
  expect(isDelegated(asking())).toBe(true);
  expect(isDelegated(backup())).toBe(false);
  expect(isDelegated(backup({ spec: { configRef: { name: "data", namespace: "billing" } } }))).toBe(false);
});

test("what was begun is brought to its end as it was begun, whatever the spec says since", () => {
  expect(isDelegated(asking({}, { resolved: { engine: "kopia" } }))).toBe(false);
  const begun = asking({}, { backupRef: NAME }, { configRef: { name: "data" } });
  expect(isDelegated(begun)).toBe(true);
  expect(delegateName(begun)).toEqual(NAME);
});

describe("the Backup that does the work", () => {
  test("is made beside the recipe, with all that was asked for", () => {
    const wanted = asking({}, {}, { tags: { why: "upgrade" }, deletionPolicy: "Retain" });
    expect(delegateDraft(wanted, "recipe")).toEqual({
      metadata: {
        ...NAME,
        annotations: { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" },
      },
      spec: { configRef: { name: "data" }, tags: { why: "upgrade" }, deletionPolicy: "Retain" },
    });
    expect(NAME.namespace).toBe("shop");
    expect(delegateName(asking({ uid: "another" })).name).not.toBe(NAME.name);
  });

  test("is made only once the asking one cannot go without a word", () => {
    expect(does({ backup: asking({ finalizers: [] }) })).toEqual(["Hold"]);
    expect(does({})).toEqual(["Make"]);
    expect(decide({}).status).toMatchObject({ phase: "Pending", backupRef: NAME });
  });

  test("is not made while the recipe may not be run from here, or once that was cancelled", () => {
    const problem = waits("ConfigNotFound", "There is none.");
    const { status, intents, wakeAt } = decide({ problem });
    expect(intents).toEqual([]);
    expect(wakeAt).toBeGreaterThan(NOW);
    expect(ready(status ?? {})).toMatchObject({ reason: "ConfigNotFound" });
    const cancelled = asking({ annotations: { [ANNOTATIONS.cancel]: "true" } });
    expect(decide({ backup: cancelled })).toMatchObject({ intents: [], status: { phase: "Failed" } });
    expect(does({ backup: asking({}, { phase: "Failed" }) })).toEqual(["Make"]);
  });

  test("is told of, and its snapshots are left to it", () => {
    const snapshots = [
      { kopiaSnapshotID: "k1", identity: { username: "data", hostname: "shop", sourcePath: "/pvc/data" } },
    ];
    const conditions = [
      { type: "Ready", status: "True", reason: "Succeeded", message: "Made.", lastTransitionTime: AT },
    ] as const;
    const delegate = working({
      phase: "Succeeded",
      snapshots,
      stats: { sizeBytes: 5 },
      conditions: [...conditions],
      resolved: { engine: "kopia" },
    });
    const { status = {}, intents } = decide({ delegate });
    expect(intents).toEqual([]);
    expect(status).toMatchObject({
      phase: "Succeeded",
      backupRef: { ...NAME, uid: "uid-delegate" },
      stats: { sizeBytes: 5 },
    });
    expect(status.snapshots ?? status.resolved).toBeUndefined();
    expect(ready(status)).toMatchObject({ status: "True", reason: "Succeeded" });
    expect(ready(status)?.message).toBe(`Backup shop/${NAME.name}: Made.`);
  });

  const cancelled = asking({ annotations: { [ANNOTATIONS.cancel]: "true" } });
  const retained = asking({ generation: 2 }, {}, { deletionPolicy: "Retain" });

  test("is cancelled, tried and deleted as the asking one says", () => {
    expect(patchOf({ backup: cancelled, delegate: working({ phase: "Running" }) })).toMatchObject({
      metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } },
    });
    const failurePolicy = { backoffLimit: 5 };
    const patient = asking({ generation: 2 }, {}, { failurePolicy });
    expect(patchOf({ backup: patient, delegate: working() })).toMatchObject({ spec: { failurePolicy } });
    expect(patchOf({ backup: retained, delegate: working() })).toMatchObject({
      metadata: { annotations: { [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" } },
      spec: { deletionPolicy: "Retain" },
    });
    const { annotations = {} } = delegateDraft(retained, "recipe").metadata;
    expect(does({ backup: retained, delegate: working({}, { annotations }) })).toEqual([]);
  });

  test("is tried again after an edit of the asking one, and after that one alone", () => {
    const delegate = working({ phase: "Failed" });
    expect(does({ delegate })).toEqual([]);
    const backup = asking({ generation: 2 }, { phase: "Failed" });
    const patch = patchOf({ backup, delegate }) as Pick<Backup, "metadata">;
    const annotations = { ...TOLD, ...patch.metadata.annotations };
    const retold = working({ phase: "Failed" }, { annotations });
    expect(edition(retold)).not.toBe(edition(delegate));
    expect(does({ backup, delegate: retold })).toEqual([]);
  });

  test("is protected by those whose data it is, until the asking one says something else", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" };
    const delegate = working({}, { annotations }, { deletionPolicy: "Retain" });
    const asked = (failurePolicy: BackupSpec["failurePolicy"], deletionPolicy: "Delete" | "Orphan") =>
      asking({ generation: 2 }, {}, { ...(failurePolicy ? { failurePolicy } : {}), deletionPolicy });
    expect(does({ backup: asking({}, {}, { deletionPolicy: "Delete" }), delegate })).toEqual([]);
    expect(patchOf({ backup: asked({ backoffLimit: 5 }, "Delete"), delegate })).toMatchObject({
      spec: expect.not.objectContaining({ deletionPolicy: "Delete" }),
    });
    expect(patchOf({ backup: asked(undefined, "Orphan"), delegate })).toMatchObject({
      spec: { deletionPolicy: "Orphan" },
    });
  });

  test("is not given over to a weaker policy while it goes", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" };
    const leaving = { annotations, deletionTimestamp: AT };
    const backup = asking({ generation: 2 }, {}, { deletionPolicy: "Delete" });
    const spec = { deletionPolicy: "Retain" } as const;
    expect(patchOf({ backup, delegate: working({}, leaving, spec) })).toMatchObject({
      spec: expect.not.objectContaining({ deletionPolicy: "Delete" }),
    });
    expect(patchOf({ backup, delegate: working({}, { annotations }, spec) })).toMatchObject({
      spec: { deletionPolicy: "Delete" },
    });
  });

  test("is told nothing but to end once nobody consents, and the asking one says so", () => {
    const problem = blocked("CrossNamespaceForbidden", "It is not listed.");
    const withdrawn = { consent: "nobody", problem } as const;
    const { intents, status, wakeAt } = decide({ ...withdrawn, backup: retained, delegate: working() });
    expect(intents).toEqual([]);
    expect(wakeAt).toBeGreaterThan(NOW);
    expect(ready(status ?? {})?.message).toContain("Edits are not passed on: It is not listed.");
    expect(decide({ ...withdrawn, delegate: working() }).wakeAt).toBeUndefined();
    expect(patchOf({ ...withdrawn, backup: cancelled, delegate: working() })).toEqual({
      metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } },
    });
  });

  test("is not taken for it when it was made for somebody else", () => {
    const delegate = working({ phase: "Succeeded" }, { annotations: {} });
    const { status, intents } = decide({ delegate });
    expect(intents).toEqual([]);
    expect(ready(status ?? {})).toMatchObject({ status: "False", reason: "NameTaken" });
  });

  test("is not made again once it was there and is gone", () => {
    const seen = asking({}, { phase: "Running", backupRef: { ...NAME, uid: "uid-delegate" } });
    const { status, intents } = decide({ backup: seen });
    expect(intents).toEqual([]);
    expect(status?.phase).toBe("Failed");
    expect(ready(status ?? {})).toMatchObject({ reason: "DelegateDeleted" });
    const ended = asking({}, { phase: "Succeeded", backupRef: { ...NAME, uid: "uid-delegate" } });
    expect(decide({ backup: ended })).toEqual({ intents: [] });
  });
});

describe("a Backup that goes, and had another one do its work", () => {
  const going = (spec: Partial<BackupSpec> = {}, annotations: Readonly<Record<string, string>> = {}) =>
    // To be deleted makes a generation of its own.
    asking({ deletionTimestamp: AT, annotations, generation: 2 }, { phase: "Succeeded" }, spec);
  const skips = { [ANNOTATIONS.skipSnapshotCleanup]: "true" };

  test("takes it along, and waits for it", () => {
    expect(does({ backup: going(), delegate: working({ phase: "Succeeded" }) })).toEqual(["Remove"]);
    const leaving = working({ phase: "Deleting" }, { deletionTimestamp: AT });
    expect(does({ backup: going(), delegate: leaving })).toEqual([]);
    expect(decide({ backup: going(), delegate: leaving }).status?.phase).toBe("Deleting");
    expect(does({ backup: going() })).toEqual(["LetGo"]);
  });

  test.each<[string, Partial<ObservedDelegation>]>([
    ["its policy is Retain", { backup: going({ deletionPolicy: "Retain" }) }],
    ["its policy is Orphan", { backup: going({ deletionPolicy: "Orphan" }) }],
    ["somebody says so", { backup: going({}, skips) }],
    ["its namespace goes with it", { backup: going(), namespaceGoing: true }],
    ["nobody consents any more", { backup: going(), consent: "nobody" }],
  ])("leaves it where it is when %s", (_, observed) => {
    const decision = decide({ delegate: working({ phase: "Succeeded" }), ...observed });
    expect(decision.intents.map(({ type }) => type)).toEqual(["LetGo"]);
    expect(decision.events).toMatchObject([{ reason: "SnapshotOrphaned" }]);
  });

  test("tells it first how it is deleted, where that was not said yet", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" };
    const retained = working({ phase: "Succeeded" }, { annotations }, { deletionPolicy: "Retain" });
    const backup = going({ deletionPolicy: "Delete" });
    expect(patchOf({ backup, delegate: retained })).toEqual({
      metadata: { annotations: { [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" } },
      spec: { deletionPolicy: "Delete" },
    });
    const told = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" };
    expect(does({ backup, delegate: working({}, { annotations: told }) })).toEqual(["Remove"]);
  });

  test.each<[string, Backup, object, Readonly<Record<string, string>>]>([
    [
      "its policy",
      going({ deletionPolicy: "Retain" }),
      { spec: { deletionPolicy: "Retain" } },
      { [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" },
    ],
    ["an annotation", going({}, skips), { metadata: { annotations: skips } }, skips],
  ])("keeps the snapshots of one that goes already by %s, and waits for it", (_, backup, patch, told) => {
    const leaving = (annotations: Readonly<Record<string, string>>) =>
      working({ phase: "Deleting" }, { annotations, deletionTimestamp: AT });
    const first = decide({ backup, delegate: leaving(TOLD) });
    expect(patchOf({ backup, delegate: leaving(TOLD) })).toMatchObject(patch);
    expect(first.status?.phase).toBe("Deleting");
    expect(first.events?.map(({ reason }) => reason)).not.toContain("SnapshotOrphaned");
    expect(does({ backup, delegate: leaving({ ...TOLD, ...told }) })).toEqual([]);
  });

  test("says nothing of the snapshots of one that goes and is not its own any more", () => {
    const delegate = working({ phase: "Deleting" }, { deletionTimestamp: AT });
    const backup = going({ deletionPolicy: "Retain" });
    expect(decide({ backup, delegate, consent: "nobody" })).toEqual({
      intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }],
      events: [],
    });
  });

  test("waits while it is not known whether anybody consents", () => {
    const problem = waits("NamespaceUnknown", "It is not known yet.");
    const decision = decide({ backup: going(), delegate: working(), consent: "unknown", problem });
    expect(decision).toMatchObject({ intents: [], status: { phase: "Deleting" } });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    const kept = { backup: going({}, skips), delegate: working(), consent: "unknown", problem } as const;
    expect(does(kept)).toEqual(["LetGo"]);
  });

  test("leaves alone what was made for somebody else", () => {
    const delegate = working({ phase: "Succeeded" }, { annotations: {} });
    expect(does({ backup: going(), delegate })).toEqual(["LetGo"]);
  });
});

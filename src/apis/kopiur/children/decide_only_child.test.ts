import { describe, expect, test } from "vitest";
import { blocked, waits } from "../../../core/reconcile/problem.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import { AT, NOW } from "../../../core/testing/samples.ts";
import { ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupSpec, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { backup } from "../testing/samples.ts";
import { isCrossNamespace, onlyChildDraft, onlyChildPlace } from "./child.ts";
import { decideChildren } from "./decide_children.ts";
import type { ObservedChild, ObservedChildren } from "./tell_child.ts";

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

const NAME = onlyChildPlace(asking());

/** What it is told when it is made for a Backup without a policy. */
const TOLD = {
  [REQUEST_ANNOTATIONS.by]: "billing/first",
  [REQUEST_ANNOTATIONS.edition]: specFingerprint(asking()),
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

type Scene = Partial<Pick<ObservedChildren, "backup" | "problem" | "namespaceGoing">> &
  Partial<Pick<ObservedChild, "consent" | "child">>;

function decide({ consent = "recipe", child, ...more }: Scene) {
  const { backup: parent = asking(), problem, namespaceGoing = false } = more;
  const only: ObservedChild = {
    namespace: "shop",
    place: onlyChildPlace(parent),
    known: parent.status?.backupRef && { ...parent.status.backupRef, phase: "Pending" },
    child,
    consent,
    doubt: problem,
    config: "data",
    readyState: undefined,
    unseen: false,
  };
  return decideChildren({ backup: parent, children: { only }, problem, namespaceGoing, now: NOW });
}

const does = (scene: Scene) =>
  decide(scene).intents.flatMap((intent): readonly string[] =>
    intent.type === "Children" ? intent.intents.map(({ type }) => type) : [intent.type],
  );

/** What the child is changed to. */
const patchOf = (scene: Scene) =>
  decide(scene)
    .intents.flatMap((intent) => (intent.type === "Children" ? intent.intents : []))
    .flatMap((intent) => (intent.type === "Adapt" ? [intent.patch] : []))[0];

const ready = (status: BackupStatus) => status.conditions?.find(({ type }) => type === "Ready");

test("a recipe of another namespace is run by a Backup beside it, one of the own namespace is not", () => {
  expect(isCrossNamespace(asking())).toBe(true);
  expect(isCrossNamespace(backup())).toBe(false);
  expect(isCrossNamespace(backup({ spec: { configRef: { name: "data", namespace: "billing" } } }))).toBe(
    false,
  );
});

test("what was begun is brought to its end as it was begun, whatever the spec says since", () => {
  expect(isCrossNamespace(asking({}, { resolved: { engine: "kopia" } }))).toBe(false);
  const begun = asking({}, { backupRef: NAME }, { configRef: { name: "data" } });
  expect(isCrossNamespace(begun)).toBe(true);
  expect(onlyChildPlace(begun)).toEqual(NAME);
});

describe("the Backup that does the work", () => {
  test("is made beside the recipe, with all that was asked for", () => {
    const wanted = asking({}, {}, { tags: { why: "upgrade" }, deletionPolicy: "Retain" });
    expect(onlyChildDraft(wanted, "recipe")).toEqual({
      metadata: {
        ...NAME,
        annotations: { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" },
      },
      spec: { configRef: { name: "data" }, tags: { why: "upgrade" }, deletionPolicy: "Retain" },
    });
    expect(NAME.namespace).toBe("shop");
    expect(onlyChildPlace(asking({ uid: "another" })).name).not.toBe(NAME.name);
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
    const child = working({
      phase: "Succeeded",
      snapshots,
      stats: { sizeBytes: 5 },
      conditions: [...conditions],
      resolved: { engine: "kopia" },
    });
    const { status = {}, intents } = decide({ child });
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
    expect(patchOf({ backup: cancelled, child: working({ phase: "Running" }) })).toMatchObject({
      metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } },
    });
    const failurePolicy = { backoffLimit: 5 };
    const patient = asking({ generation: 2 }, {}, { failurePolicy });
    expect(patchOf({ backup: patient, child: working() })).toMatchObject({ spec: { failurePolicy } });
    expect(patchOf({ backup: retained, child: working() })).toMatchObject({
      metadata: { annotations: { [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" } },
      spec: { deletionPolicy: "Retain" },
    });
    const { annotations = {} } = onlyChildDraft(retained, "recipe").metadata;
    expect(does({ backup: retained, child: working({}, { annotations }) })).toEqual([]);
  });

  test("is tried again after an edit of the asking one, and after that one alone", () => {
    const child = working({ phase: "Failed" });
    expect(does({ child })).toEqual([]);
    const backup = asking({ generation: 2 }, { phase: "Failed" });
    const patch = patchOf({ backup, child }) as Pick<Backup, "metadata">;
    const annotations = { ...TOLD, ...patch.metadata.annotations };
    const retold = working({ phase: "Failed" }, { annotations });
    expect(specFingerprint(retold)).not.toBe(specFingerprint(child));
    expect(does({ backup, child: retold })).toEqual([]);
  });

  test("is protected by those whose data it is, until the asking one says something else", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" };
    const child = working({}, { annotations }, { deletionPolicy: "Retain" });
    const asked = (failurePolicy: BackupSpec["failurePolicy"], deletionPolicy: "Delete" | "Orphan") =>
      asking({ generation: 2 }, {}, { ...(failurePolicy ? { failurePolicy } : {}), deletionPolicy });
    expect(does({ backup: asking({}, {}, { deletionPolicy: "Delete" }), child })).toEqual([]);
    expect(patchOf({ backup: asked({ backoffLimit: 5 }, "Delete"), child })).toMatchObject({
      spec: expect.not.objectContaining({ deletionPolicy: "Delete" }),
    });
    expect(patchOf({ backup: asked(undefined, "Orphan"), child })).toMatchObject({
      spec: { deletionPolicy: "Orphan" },
    });
  });

  test("is not given over to a weaker policy while it goes", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" };
    const leaving = { annotations, deletionTimestamp: AT };
    const backup = asking({ generation: 2 }, {}, { deletionPolicy: "Delete" });
    const spec = { deletionPolicy: "Retain" } as const;
    expect(patchOf({ backup, child: working({}, leaving, spec) })).toMatchObject({
      spec: expect.not.objectContaining({ deletionPolicy: "Delete" }),
    });
    expect(patchOf({ backup, child: working({}, { annotations }, spec) })).toMatchObject({
      spec: { deletionPolicy: "Delete" },
    });
  });

  test("is told nothing but to end once nobody consents, and the asking one says so", () => {
    const problem = blocked("CrossNamespaceForbidden", "It is not listed.");
    const withdrawn = { consent: "nobody", problem } as const;
    const { intents, status, wakeAt } = decide({ ...withdrawn, backup: retained, child: working() });
    expect(intents).toEqual([]);
    expect(wakeAt).toBeGreaterThan(NOW);
    expect(ready(status ?? {})?.message).toContain("Edits are not passed on: It is not listed.");
    expect(decide({ ...withdrawn, child: working() }).wakeAt).toBeUndefined();
    expect(patchOf({ ...withdrawn, backup: cancelled, child: working() })).toEqual({
      metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } },
    });
  });

  test("is not taken for it when it was made for somebody else", () => {
    const child = working({ phase: "Succeeded" }, { annotations: {} });
    const { status, intents } = decide({ child });
    expect(intents).toEqual([]);
    expect(ready(status ?? {})).toMatchObject({ status: "False", reason: "NameTaken" });
  });

  test("is not made again once it was there and is gone", () => {
    const seen = asking({}, { phase: "Running", backupRef: { ...NAME, uid: "uid-delegate" } });
    const { status, intents } = decide({ backup: seen });
    expect(intents).toEqual([]);
    expect(status?.phase).toBe("Failed");
    expect(ready(status ?? {})).toMatchObject({ reason: "OtherBackupDeleted" });
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
    expect(does({ backup: going(), child: working({ phase: "Succeeded" }) })).toEqual(["Remove"]);
    const leaving = working({ phase: "Deleting" }, { deletionTimestamp: AT });
    expect(does({ backup: going(), child: leaving })).toEqual([]);
    expect(decide({ backup: going(), child: leaving }).status?.phase).toBe("Deleting");
    expect(does({ backup: going() })).toEqual(["LetGo"]);
  });

  test.each<[string, Scene]>([
    ["its policy is Retain", { backup: going({ deletionPolicy: "Retain" }) }],
    ["its policy is Orphan", { backup: going({ deletionPolicy: "Orphan" }) }],
    ["somebody says so", { backup: going({}, skips) }],
    ["its namespace goes with it", { backup: going(), namespaceGoing: true }],
    ["nobody consents any more", { backup: going(), consent: "nobody" }],
  ])("leaves it where it is when %s", (_, observed) => {
    const decision = decide({ child: working({ phase: "Succeeded" }), ...observed });
    expect(decision.intents.map(({ type }) => type)).toEqual(["LetGo"]);
    expect(decision.events).toMatchObject([{ reason: "SnapshotOrphaned" }]);
  });

  test("tells it first how it is deleted, where that was not said yet", () => {
    const annotations = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Retain" };
    const retained = working({ phase: "Succeeded" }, { annotations }, { deletionPolicy: "Retain" });
    const backup = going({ deletionPolicy: "Delete" });
    expect(patchOf({ backup, child: retained })).toEqual({
      metadata: { annotations: { [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" } },
      spec: { deletionPolicy: "Delete" },
    });
    const told = { ...TOLD, [REQUEST_ANNOTATIONS.deletionPolicy]: "Delete" };
    expect(does({ backup, child: working({}, { annotations: told }) })).toEqual(["Remove"]);
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
    const first = decide({ backup, child: leaving(TOLD) });
    expect(patchOf({ backup, child: leaving(TOLD) })).toMatchObject(patch);
    expect(first.status?.phase).toBe("Deleting");
    expect(first.events?.map(({ reason }) => reason)).not.toContain("SnapshotOrphaned");
    expect(does({ backup, child: leaving({ ...TOLD, ...told }) })).toEqual([]);
  });

  test("says nothing of the snapshots of one that goes and is not its own any more", () => {
    const child = working({ phase: "Deleting" }, { deletionTimestamp: AT });
    const backup = going({ deletionPolicy: "Retain" });
    expect(decide({ backup, child, consent: "nobody" })).toEqual({
      intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }],
      events: [],
    });
  });

  test("waits while it is not known whether anybody consents", () => {
    const problem = waits("NamespaceUnknown", "It is not known yet.");
    const decision = decide({ backup: going(), child: working(), consent: "unknown", problem });
    expect(decision).toMatchObject({ intents: [], status: { phase: "Deleting" } });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    const kept = { backup: going({}, skips), child: working(), consent: "unknown", problem } as const;
    expect(does(kept)).toEqual(["LetGo"]);
  });

  test("leaves alone what was made for somebody else", () => {
    const child = working({ phase: "Succeeded" }, { annotations: {} });
    expect(does({ backup: going(), child })).toEqual(["LetGo"]);
  });
});

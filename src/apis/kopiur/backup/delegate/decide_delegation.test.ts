import { describe, expect, test } from "vitest";
import { ANNOTATIONS, REQUESTED_BY_ANNOTATION } from "../../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupSpec, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import { waits } from "../../problem.ts";
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

function working(
  status: BackupStatus = {},
  metadata: Partial<ObjectMeta> = {},
  spec: Partial<BackupSpec> = {},
) {
  const annotations = { [REQUESTED_BY_ANNOTATION]: "billing/first" };
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
    delegate: undefined,
    namespaceGoing: false,
    now: NOW,
    ...observed,
  });

const does = (observed: Partial<ObservedDelegation>) =>
  decide(observed).intents.map((intent) => (intent.type === "Delegate" ? intent.intent.type : intent.type));

const ready = (status: BackupStatus) => status.conditions?.find(({ type }) => type === "Ready");

test("a recipe of another namespace is run by a Backup beside it, one of the own namespace is not", () => {
  expect(isDelegated(asking())).toBe(true);
  expect(isDelegated(backup())).toBe(false);
  expect(isDelegated(backup({ spec: { configRef: { name: "data", namespace: "billing" } } }))).toBe(false);
});

describe("the Backup that does the work", () => {
  test("is made beside the recipe, with all that was asked for", () => {
    const wanted = asking({}, {}, { tags: { why: "upgrade" }, deletionPolicy: "Retain" });
    expect(delegateDraft(wanted)).toEqual({
      metadata: { ...NAME, annotations: { [REQUESTED_BY_ANNOTATION]: "billing/first" } },
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

  test("is cancelled, tried and deleted as the asking one says", () => {
    const cancelled = asking({ annotations: { [ANNOTATIONS.cancel]: "true" } });
    expect(does({ backup: cancelled, delegate: working({ phase: "Running" }) })).toEqual(["Adapt"]);
    const retained = asking({}, {}, { deletionPolicy: "Retain" });
    expect(decide({ backup: retained, delegate: working() }).intents).toMatchObject([
      { intent: { type: "Adapt", patch: { spec: { deletionPolicy: "Retain" } } } },
    ]);
    expect(does({ backup: retained, delegate: working({}, {}, { deletionPolicy: "Retain" }) })).toEqual([]);
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
    asking({ deletionTimestamp: AT, annotations }, { phase: "Succeeded" }, spec);

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
    ["somebody says so", { backup: going({}, { [ANNOTATIONS.skipSnapshotCleanup]: "true" }) }],
    ["its namespace goes with it", { backup: going(), namespaceGoing: true }],
  ])("leaves it where it is when %s", (_, observed) => {
    const decision = decide({ delegate: working({ phase: "Succeeded" }), ...observed });
    expect(decision.intents.map(({ type }) => type)).toEqual(["LetGo"]);
    expect(decision.events).toMatchObject([{ reason: "SnapshotOrphaned" }]);
  });

  test("leaves alone what was made for somebody else", () => {
    const delegate = working({ phase: "Succeeded" }, { annotations: {} });
    expect(does({ backup: going(), delegate })).toEqual(["LetGo"]);
  });
});

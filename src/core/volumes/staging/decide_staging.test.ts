import { describe, expect, test } from "vitest";
import { HIDDEN, type ObservedSource, type SnapshotOffer } from "./observed_staging.ts";
import { HELD, stagedName } from "./staged_marks.ts";
import type { StagingRequest } from "./staging_request.ts";
import { type Case, decide, draftOf, gone, LATE } from "./testing/decide_one.ts";
import {
  claim,
  copy,
  DRIVER,
  NOW,
  nfsVolume,
  owner,
  readySnapshot,
  snapshot,
  snapshotClass,
  source,
} from "./testing/staging_samples.ts";

const copyName = stagedName(owner, source, "copy");

describe("whatever the copy method", () => {
  const methods = ["Snapshot", "Clone", "Direct"] as const;
  const rows: [string, Partial<ObservedSource>, object][] = [
    ["a claim that is missing", { claim: undefined }, { phase: "Waiting", reason: "SourceNotFound" }],
    [
      "a claim without a volume",
      { claim: claim({}, { phase: "Pending" }), volume: undefined },
      { phase: "Waiting", reason: "SourceNotBound" },
    ],
    [
      "a claim that lost its volume",
      { claim: claim({}, { phase: "Lost" }) },
      { phase: "Refused", reason: "SourceLost", class: "structural" },
    ],
    [
      "a raw block device",
      { claim: claim({ volumeMode: "Block" }) },
      { phase: "Refused", reason: "BlockVolume", class: "terminal" },
    ],
    [
      "a claim that is being deleted",
      { claim: claim({}, { phase: "Bound" }, gone) },
      { phase: "Refused", reason: "SourceDeleted", class: "structural" },
    ],
  ];
  for (const method of methods) {
    test.each(rows)(`${method} of %s`, (_, seen, state) => {
      const decision = decide({ request: { method }, seen });
      expect(decision.state).toMatchObject(state);
      expect(decision.intents).toEqual([]);
    });
  }

  const meant = { ...source, uid: "uid-of-data" };
  const others: [string, Partial<ObservedSource>, object][] = [
    [
      "a claim that was there and is gone",
      { claim: undefined },
      {
        reason: "SourceGone",
        class: "terminal",
        message:
          "PersistentVolumeClaim shop/data was deleted after this backup had been created, and before it was captured. To back up a claim that is made anew, create another backup.",
      },
    ],
    [
      "another claim of its name",
      { claim: claim({}, undefined, { uid: "another" }) },
      {
        reason: "SourceReplaced",
        class: "terminal",
        message:
          "PersistentVolumeClaim shop/data is not the one that was there when this backup was created: that was deleted before it was captured, and another one has its name, which need not hold its data. To back up that one, create another backup.",
      },
    ],
    [
      "another claim of its name, of no CSI driver",
      { claim: claim({}, undefined, { uid: "another" }), volume: nfsVolume },
      { reason: "SourceReplaced" },
    ],
  ];
  for (const method of methods) {
    test.each(others)(`${method} of %s is refused`, (_, seen, state) => {
      const decision = decide({ request: { method, source: meant }, seen });
      expect(decision.state).toMatchObject({ phase: "Refused", ...state });
      expect(decision.intents).toEqual([]);
    });

    test(`${method} of the claim that is meant goes on`, () => {
      expect(decide({ request: { method, source: meant } }).state.phase).not.toBe("Refused");
    });

    test(`${method} of a volume that is held is refused`, () => {
      const hold = { reason: "VolumeBeingRestored", message: "Somebody writes." };
      expect(decide({ request: { method, source: { ...source, hold } } })).toEqual({
        state: { phase: "Refused", class: "structural", ...hold },
        intents: [],
      });
    });
  }

  test("a claim that never gets a volume is given up at the deadline", () => {
    const unbound = { claim: claim({}, { phase: "Pending" }), volume: undefined };
    expect(decide({ seen: unbound }).wakeAt).toBe(NOW + 5_000);
    expect(decide({ seen: unbound, now: LATE - 10 }).wakeAt).toBe(LATE);
    expect(decide({ seen: unbound, now: LATE })).toEqual({
      state: {
        phase: "Refused",
        reason: "SourceNotBound",
        class: "structural",
        message:
          "It took longer than allowed, and was given up. The last state: PersistentVolumeClaim shop/data is not bound to its volume pv-data yet, so that there is nothing to read. It goes on once the claim is bound; some claims are only bound when a pod first uses them.",
      },
      intents: [],
    });
  });
});

describe("Snapshot", () => {
  test("takes a snapshot first, in the driver's class, which goes with its owner", () => {
    const decision = decide({ request: { labels: { team: "shop" } } });
    expect(decision.state).toEqual({
      phase: "Waiting",
      captured: false,
      reason: "SnapshotPending",
      message: "A snapshot of PersistentVolumeClaim shop/data is being taken.",
    });
    expect(decision.intents).toEqual([
      {
        type: "CreateSnapshot",
        owner,
        draft: {
          metadata: {
            namespace: "shop",
            name: stagedName(owner, source, "snapshot"),
            labels: {
              team: "shop",
              "app.kubernetes.io/managed-by": "holdfast",
              "holdfast.dev/staged-for": "owner-1",
            },
            annotations: {
              "holdfast.dev/staged-for": "example.com/v1 Keeper shop/nightly",
              "holdfast.dev/staged-of": "data",
            },
            ownerReferences: [owner.reference],
          },
          spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "daily" },
        },
      },
    ]);
  });

  test("an owner in another namespace is named by marks alone", () => {
    const { metadata } = draftOf({ request: { owner: { ...owner, namespace: "elsewhere" } } });
    expect(metadata.ownerReferences).toBeUndefined();
    expect(metadata.annotations).toMatchObject({
      "holdfast.dev/staged-for": "example.com/v1 Keeper elsewhere/nightly",
    });
  });

  test("a snapshot of a class that retains is held", () => {
    const classes = [snapshotClass("daily", { deletionPolicy: "Retain" })];
    expect(draftOf({ offer: { classes } }).metadata.finalizers).toEqual([HELD]);
  });

  const other = snapshotClass("other", { driver: "other.example.com" });
  const [a, b] = [snapshotClass("a"), snapshotClass("b")];
  test.each<[string, string, SnapshotOffer["classes"], string | undefined]>([
    ["the only one of the driver", "daily", [other, snapshotClass("daily")], undefined],
    ["the default of several", "b", [a, snapshotClass("b", {}, true)], undefined],
    ["the one that is named", "a", [a, snapshotClass("b", {}, true)], "a"],
    ["the one that is named, unseen", "a", HIDDEN, "a"],
  ])("its class is %s", (_, expected, classes, snapshotClassName) => {
    const draft = draftOf({ offer: { classes }, request: { snapshotClassName } });
    expect(draft.spec).toMatchObject({ volumeSnapshotClassName: expected });
  });

  test("its class is left to the cluster where none can be seen", () => {
    const draft = draftOf({ seen: { volume: HIDDEN, storageClass: HIDDEN }, offer: { classes: HIDDEN } });
    expect(draft.spec).toEqual({ source: { persistentVolumeClaimName: "data" } });
  });

  test.each<[string, Case, string, string]>([
    [
      "without the API",
      { offer: { served: false } },
      "SnapshotsUnsupported",
      "This cluster has no API for volume snapshots (snapshot.storage.k8s.io/v1). Install the snapshot controller and its CustomResourceDefinitions, or use the copy method Clone or Direct.",
    ],
    [
      "without a class for the driver",
      { offer: { classes: [other] } },
      "SnapshotClassMissing",
      `There is no VolumeSnapshotClass for the driver ${DRIVER}. Create one if the driver can take such snapshots.`,
    ],
    [
      "with several classes and no default",
      { offer: { classes: [b, a] } },
      "SnapshotClassAmbiguous",
      `The driver ${DRIVER} has several of VolumeSnapshotClass (a, b), and none is the default. Name the one to use, or annotate exactly one with snapshot.storage.kubernetes.io/is-default-class=true.`,
    ],
    [
      "with several defaults",
      { offer: { classes: [snapshotClass("a", {}, true), snapshotClass("b", {}, true)] } },
      "SnapshotClassAmbiguous",
      `The driver ${DRIVER} has several of VolumeSnapshotClass (a, b), and more than one is the default. Name the one to use, or annotate exactly one with snapshot.storage.kubernetes.io/is-default-class=true.`,
    ],
    [
      "with a class that does not exist",
      { request: { snapshotClassName: "none" } },
      "SnapshotClassNotFound",
      "VolumeSnapshotClass none does not exist. Create it, or name another one.",
    ],
    [
      "with a class of another driver",
      { request: { snapshotClassName: "other" }, offer: { classes: [other] } },
      "SnapshotClassMismatch",
      `VolumeSnapshotClass other is for the driver other.example.com, and the volume is of the driver ${DRIVER}. Name a class of that driver.`,
    ],
    [
      "of a volume without a CSI driver",
      { seen: { volume: nfsVolume } },
      "NotACsiVolume",
      "The volume of PersistentVolumeClaim shop/data belongs to no CSI driver, and only those can copy one. Use the copy method Direct, or move the data to a volume of a CSI driver.",
    ],
  ])("is refused %s", (_, given, reason, message) => {
    expect(decide(given)).toEqual({
      state: { phase: "Refused", class: "structural", reason, message },
      intents: [],
    });
  });

  test("is awaited while the snapshot is not ready, and says when the moment has been captured", () => {
    expect(decide({ seen: { staged: { snapshot: snapshot() } } })).toMatchObject({
      state: { phase: "Waiting", reason: "SnapshotPending", captured: false },
      intents: [],
      wakeAt: NOW + 5_000,
    });
    const uploading = snapshot({ readyToUse: false, creationTime: "2026-01-01T00:00:05Z" });
    expect(decide({ seen: { staged: { snapshot: uploading } } }).state).toMatchObject({ captured: true });
  });

  test("tells the driver's error, and fails with it at the deadline, leaving nothing", () => {
    const failed = snapshot({ readyToUse: false, error: { message: "rpc error: pool is full." } });
    const seen = { staged: { snapshot: failed } };
    expect(decide({ seen }).state).toMatchObject({
      phase: "Waiting",
      reason: "SnapshotFailing",
      message: `VolumeSnapshot shop/${failed.metadata.name} cannot be taken: rpc error: pool is full. The driver tries again.`,
    });
    const late = decide({ seen, now: LATE });
    expect(late.state).toMatchObject({ phase: "Refused", reason: "SnapshotFailed", class: "transient" });
    expect(late.state).toMatchObject({ message: expect.stringContaining("pool is full") });
    expect(late.intents).toMatchObject([{ type: "Delete", object: failed }]);
    expect(late.wakeAt).toBeUndefined();
  });

  test.each([
    ["SnapshotTimedOut", { snapshot: snapshot() }],
    ["SnapshotTimedOut", { snapshot: snapshot({ readyToUse: true }, gone) }],
    ["CopyTimedOut", { snapshot: readySnapshot(), claim: copy("Pending") }],
  ])("ends as %s when it takes too long", (reason, staged) => {
    expect(decide({ seen: { staged }, now: LATE }).state).toMatchObject({ phase: "Refused", reason });
  });

  test("leaves a snapshot alone that was made for somebody else", () => {
    const foreign = snapshot({ readyToUse: true }, { labels: {} });
    const decision = decide({ seen: { staged: { snapshot: foreign } } });
    expect(decision).toEqual({
      state: {
        phase: "Refused",
        class: "structural",
        reason: "ForeignObject",
        message: `VolumeSnapshot shop/${foreign.metadata.name} is there already and was not made for Keeper nightly, so it is left alone and nothing can be staged. Delete or rename it.`,
      },
      intents: [],
    });
  });

  test("makes the copy from the ready snapshot, as large as that says", () => {
    const decision = decide({ seen: { staged: { snapshot: readySnapshot() } } });
    expect(decision.state).toMatchObject({ phase: "Waiting", reason: "CopyPending", captured: true });
    expect(decision.intents).toMatchObject([
      {
        type: "CreateClaim",
        draft: {
          metadata: { name: copyName, ownerReferences: [owner.reference] },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "12Gi" } },
            storageClassName: "fast",
            volumeMode: "Filesystem",
            dataSource: {
              apiGroup: "snapshot.storage.k8s.io",
              kind: "VolumeSnapshot",
              name: stagedName(owner, source, "snapshot"),
            },
          },
        },
      },
    ]);
  });

  test("is ready with the bound copy, also when source and snapshot are gone by then", () => {
    const staged = { snapshot: readySnapshot(), claim: copy() };
    const volumes = [{ source, claim: copyName, capturedAt: "2026-01-01T00:00:05Z" }];
    expect(decide({ seen: { staged }, now: LATE })).toEqual({
      state: { phase: "Ready", captured: true, volumes },
      intents: [],
    });
    const alone = decide({ seen: { claim: undefined, volume: undefined, staged: { claim: copy() } } });
    expect(alone.state).toMatchObject({ phase: "Ready", volumes: [{ claim: copyName }] });
  });
});

describe("what happens to a claim", () => {
  const hold = { reason: "VolumeBeingRestored", message: "Somebody writes." };
  const meant = { source: { ...source, uid: "uid-of-data" } };
  const held = { source: { ...source, hold } };
  const another = { claim: claim({}, undefined, { uid: "another" }) };
  const method = "Clone";

  test.each<[string, Partial<StagingRequest>, Partial<ObservedSource>]>([
    ["another one has its name", meant, another],
    ["it is gone", meant, { claim: undefined }],
    ["somebody writes into it", held, {}],
  ])("after it was captured does not concern the copy: %s", (_, request, seen) => {
    const uploading = snapshot({ readyToUse: false, creationTime: "2026-01-01T00:00:05Z" });
    expect(decide({ request, seen: { ...seen, staged: { snapshot: uploading } } }).state).toMatchObject({
      phase: "Waiting",
      reason: "SnapshotPending",
    });
    const staged = { snapshot: readySnapshot(), claim: copy() };
    expect(decide({ request, seen: { ...seen, staged } }).state.phase).toBe("Ready");
    const clone = decide({ request: { ...request, method }, seen: { ...seen, staged: { claim: copy() } } });
    expect(clone.state.phase).toBe("Ready");
  });

  test.each<[string, Partial<StagingRequest>, Partial<ObservedSource>]>([
    ["SourceReplaced", meant, another],
    ["SourceGone", meant, { claim: undefined }],
    ["VolumeBeingRestored", held, {}],
  ])("before it was captured ends the try, and removes what it began: %s", (reason, request, seen) => {
    const asked = snapshot();
    const taking = decide({ request, seen: { ...seen, staged: { snapshot: asked } } });
    expect(taking.state).toMatchObject({ phase: "Refused", reason });
    expect(taking.intents).toMatchObject([{ type: "Delete", object: asked }]);
    const begun = copy("Pending");
    const cloning = decide({ request: { ...request, method }, seen: { ...seen, staged: { claim: begun } } });
    expect(cloning.state).toMatchObject({ phase: "Refused", reason });
    expect(cloning.intents).toMatchObject([{ type: "Delete", object: begun }]);
  });
});

describe("Clone", () => {
  const method = "Clone";

  test("makes the copy from the claim itself, as large as its volume", () => {
    const decision = decide({ request: { method } });
    expect(decision.state).toMatchObject({ phase: "Waiting", reason: "CopyPending", captured: false });
    expect(decision.intents).toMatchObject([
      {
        type: "CreateClaim",
        draft: {
          metadata: { name: copyName },
          spec: {
            resources: { requests: { storage: "10Gi" } },
            dataSource: { kind: "PersistentVolumeClaim", name: "data" },
          },
        },
      },
    ]);
  });

  test("is ready when the copy is bound, and only then has captured the moment", () => {
    const pending = { seen: { staged: { claim: copy("Pending") } }, request: { method } } as const;
    expect(decide(pending).state).toMatchObject({ reason: "CopyPending", captured: false });
    expect(decide({ seen: { staged: { claim: copy() } }, request: { method } }).state).toEqual({
      phase: "Ready",
      captured: true,
      volumes: [{ source, claim: copyName }],
    });
  });
});

import { describe, expect, test } from "vitest";
import { HIDDEN, type ObservedSource } from "./observed_staging.ts";
import { HELD, stagedName } from "./staged_marks.ts";
import { type Case, decide, draftOf, gone, LATE } from "./testing/decide_one.ts";
import {
  claim,
  copy,
  owner,
  readySnapshot,
  source,
  storageClass,
  volume,
} from "./testing/staging_samples.ts";

const copyName = stagedName(owner, source, "copy");

describe("a copy", () => {
  const snapshotReady = { staged: { snapshot: readySnapshot() } };
  const cephfs = volume({ csi: { driver: "rook-ceph.cephfs.csi.ceph.com", volumeHandle: "x" } });
  const cephfsClass = storageClass({ provisioner: "rook-ceph.cephfs.csi.ceph.com" });

  test.each<[string, readonly string[], Case]>([
    ["the source's own", ["ReadWriteMany"], { seen: { claim: claim({ accessModes: ["ReadWriteMany"] }) } }],
    [
      "one node's, where the source is for one pod",
      ["ReadWriteOnce"],
      { seen: { claim: claim({ accessModes: ["ReadWriteOncePod"] }) } },
    ],
    ["what was asked for", ["ReadOnlyMany"], { request: { accessModes: ["ReadOnlyMany"] } }],
    [
      "read-only, where the driver shows a snapshot",
      ["ReadOnlyMany"],
      { seen: { volume: cephfs, storageClass: cephfsClass } },
    ],
  ])("has an access mode: %s", (_, accessModes, given) => {
    const draft = draftOf({ ...given, seen: { ...given.seen, ...snapshotReady } });
    expect(draft.spec).toMatchObject({ accessModes });
  });

  test("of such a driver's clone is as its source", () => {
    const draft = draftOf({
      request: { method: "Clone" },
      seen: { volume: cephfs, storageClass: cephfsClass },
    });
    expect(draft.spec).toMatchObject({ accessModes: ["ReadWriteOnce"] });
  });

  test("has the class that was asked for, and is held where that retains", () => {
    const draft = draftOf({
      request: { method: "Clone", storageClassName: "copies" },
      seen: { storageClass: storageClass({ reclaimPolicy: "Retain" }) },
    });
    expect(draft.spec).toMatchObject({ storageClassName: "copies" });
    expect(draft.metadata.finalizers).toEqual([HELD]);
  });

  test.each<[string, Partial<ObservedSource>]>([
    ["StorageClassMissing", { claim: claim({ storageClassName: "" }) }],
    ["StorageClassNotFound", { storageClass: undefined }],
    ["StorageClassMismatch", { storageClass: storageClass({ provisioner: "other.example.com" }) }],
  ])("is refused with %s, and takes the snapshot along", (reason, seen) => {
    const decision = decide({ seen: { ...seen, ...snapshotReady } });
    expect(decision.state).toMatchObject({ phase: "Refused", reason, class: "structural" });
    expect(decision.intents).toMatchObject([{ type: "Delete", object: { kind: "VolumeSnapshot" } }]);
  });

  test("that waits for its first consumer is ready: the mover is the consumer, where the volume can be copied", () => {
    const waits = storageClass({ volumeBindingMode: "WaitForFirstConsumer" });
    const terms = [{ matchExpressions: [{ key: "zone", operator: "In", values: ["b"] }] }];
    const zonal = volume({ nodeAffinity: { required: { nodeSelectorTerms: terms } } });
    const staged = { claim: copy("Pending") };
    expect(decide({ seen: { storageClass: waits, volume: zonal, staged } }).state).toEqual({
      phase: "Ready",
      captured: true,
      volumes: [{ source, claim: copyName, placement: { terms, tolerations: [] } }],
    });
    expect(decide({ seen: { storageClass: HIDDEN, volume: HIDDEN, staged } }).state.phase).toBe("Ready");
    expect(
      decide({ request: { method: "Clone" }, seen: { storageClass: waits, staged } }).state,
    ).toMatchObject({
      phase: "Ready",
      captured: false,
    });
  });

  test("that the driver cannot make says so in its words", () => {
    const events = [
      { reason: "ProvisioningFailed", message: "old", lastTimestamp: "2026-01-01T00:00:00Z" },
      { reason: "ProvisioningFailed", message: "no clones here.", lastTimestamp: "2026-01-01T00:00:09Z" },
    ];
    const seen = { staged: { claim: copy("Pending"), events } };
    const given = { request: { method: "Clone" }, seen } as const;
    expect(decide(given).state).toMatchObject({
      phase: "Waiting",
      reason: "CopyFailing",
      message: `The copy shop/${copyName} of PersistentVolumeClaim shop/data cannot be made: no clones here. The driver tries again.`,
    });
    const late = decide({ ...given, now: LATE });
    expect(late.state).toMatchObject({ phase: "Refused", reason: "CopyFailed", class: "transient" });
    expect(late.intents).toMatchObject([{ type: "Delete", object: { metadata: { name: copyName } } }]);
  });

  test("that is lost or going is not mounted", () => {
    const staged = (phase: string, metadata = {}) => ({ staged: { claim: copy(phase, metadata) } });
    expect(decide({ seen: staged("Lost") }).state).toMatchObject({ phase: "Refused", reason: "CopyLost" });
    expect(decide({ seen: staged("Bound", gone) }).state).toMatchObject({
      phase: "Waiting",
      reason: "CopyGoing",
    });
    expect(decide({ seen: staged("Bound", { labels: {} }) }).state).toMatchObject({
      reason: "ForeignObject",
    });
  });
});

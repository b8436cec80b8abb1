import { describe, expect, test } from "vitest";
import { PersistentVolumes } from "../../../kube/builtin.ts";
import { type CaptureQuestion, captureProblem, captureSupport } from "./capture_support.ts";
import type { StagingReader } from "./observe_source.ts";
import { HIDDEN, type SnapshotOffer } from "./observed_staging.ts";
import { VolumeSnapshotClasses } from "./snapshot_kinds.ts";
import { claim, nfsVolume, offer, snapshotClass, source, volume } from "./testing/staging_samples.ts";

type Seen = Parameters<typeof captureProblem>[1][number];

const bound: Seen = { claim: claim(), volume: volume() };
const notOfCsi: Seen = { ...bound, volume: nfsVolume };
const block: Seen = { ...bound, claim: claim({ volumeMode: "Block" }) };
const missing: Seen = { claim: undefined, volume: undefined };
const unbound: Seen = { claim: claim({}, { phase: "Pending" }), volume: undefined };
const hidden: Seen = { ...bound, volume: HIDDEN };
const none: SnapshotOffer = { served: false, classes: [] };
const other: SnapshotOffer = { served: true, classes: [snapshotClass("other", { driver: "other" })] };

describe("whether volumes can be captured at all", () => {
  test.each<[string, CaptureQuestion["method"], Seen, SnapshotOffer | undefined, string | undefined]>([
    ["a snapshot of a volume whose driver has a class", "Snapshot", bound, offer, undefined],
    ["a snapshot on a cluster without the API", "Snapshot", bound, none, "SnapshotsUnsupported"],
    ["a snapshot whose driver has no class", "Snapshot", bound, other, "SnapshotClassMissing"],
    ["a snapshot of a volume of no CSI driver", "Snapshot", notOfCsi, offer, "NotACsiVolume"],
    ["a snapshot of volumes together, of no CSI driver", "Snapshot", notOfCsi, undefined, "NotACsiVolume"],
    ["a clone of a volume of no CSI driver", "Clone", notOfCsi, undefined, "NotACsiVolume"],
    ["a clone without the API for snapshots", "Clone", bound, undefined, undefined],
    ["a volume of no CSI driver that is read itself", "Direct", notOfCsi, undefined, undefined],
    ["a raw block device", "Clone", block, undefined, "BlockVolume"],
    ["a claim that is not there, without the API", "Snapshot", missing, none, "SnapshotsUnsupported"],
    ["a claim that is not there", "Snapshot", missing, offer, undefined],
    ["a claim that has no volume yet", "Snapshot", unbound, offer, undefined],
    ["a volume that may not be looked at", "Snapshot", hidden, { ...offer, classes: HIDDEN }, undefined],
  ])("%s", (_, method, seen, offered, reason) => {
    expect(captureProblem({ method, snapshotClassName: undefined }, [bound, seen], offered)?.reason).toBe(
      reason,
    );
  });

  test("is asked of the volumes, and classes only for single snapshots; what is read itself asks nothing", async () => {
    const asked: string[] = [];
    const reader = {
      get: async ({ kind }: { readonly kind: string }) => {
        asked.push(kind);
        return nfsVolume;
      },
      list: async ({ kind }: { readonly kind: string }) => {
        asked.push(kind);
        return { items: [] };
      },
      serves: async () => true,
    } as unknown as StagingReader;
    const support = (method: CaptureQuestion["method"]) =>
      captureSupport(
        reader,
        { method, groupBy: "None", sources: [source], snapshotClassName: undefined, claimOf: () => claim() },
        {},
      );
    expect(await support("Direct")).toBeUndefined();
    expect(asked).toEqual([]);
    expect((await support("Clone"))?.reason).toBe("NotACsiVolume");
    expect(asked).toEqual([PersistentVolumes.kind]);
    await support("Snapshot");
    expect(asked.slice(1)).toEqual([PersistentVolumes.kind, VolumeSnapshotClasses.kind]);
  });
});

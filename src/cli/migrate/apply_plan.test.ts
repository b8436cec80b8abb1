import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { applyPlan } from "./apply_plan.ts";
import { migrate } from "./migration.ts";

const volsync = (kind: string, name: string, spec: object) =>
  ({
    apiVersion: "volsync.backube/v1alpha1",
    kind,
    metadata: { namespace: "media", name },
    spec,
  }) as unknown as KubeObject;
const source = (more: object) =>
  volsync("ReplicationSource", "photos", { sourcePVC: "photos", kopia: { repository: "store" }, ...more });
const destination = (name: string, kopia: object) =>
  volsync("ReplicationDestination", name, { kopia: { repository: "store", ...kopia } });
const addresses = new Map([["media/store", { KOPIA_REPOSITORY: "s3://bucket" }]]);

const planned = (objects: readonly KubeObject[]) => {
  const { applied, left } = applyPlan(objects, migrate({ objects, addresses }).manifests);
  const words = (all: typeof applied) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return { applied: words(applied), left: words(left) };
};

describe("applyPlan()", () => {
  test("leaves out every Restore that would write at once", () => {
    const objects = [
      source({ trigger: { schedule: "@daily" }, paused: true }),
      destination("named-by-claims", { copyMethod: "Snapshot", capacity: "1Gi" }),
      destination("in-place", { destinationPVC: "photos" }),
      destination("new-claim", { copyMethod: "Direct", capacity: "1Gi" }),
    ];
    expect(planned(objects)).toEqual({
      applied: [
        "Repository store",
        "BackupConfig photos",
        "BackupSchedule photos",
        "Restore named-by-claims",
      ],
      left: ["Restore in-place", "Restore new-claim"],
    });
  });

  test.each<[what: string, spec: object]>([
    ["has a schedule", { trigger: { schedule: "@daily" } }],
    ["is said not to be paused", { trigger: { schedule: "@daily" }, paused: false }],
    ["has no trigger, and so runs all the time", {}],
    ["has a trigger that says nothing", { trigger: {} }],
  ])("applies nothing beside a source that %s", (_, spec) => {
    expect(() => planned([source(spec)])).toThrow(
      expect.objectContaining({ why: expect.stringContaining("not paused: media/photos.") }),
    );
  });

  test.each<[what: string, object: KubeObject]>([
    ["runs by hand", source({ trigger: { manual: "once" } })],
    [
      "keeps no backups",
      volsync("ReplicationSource", "copy", { trigger: { schedule: "@daily" }, rsync: {} }),
    ],
  ])("does not mind a source that %s", (_, object) => {
    expect(planned([object]).left).toEqual([]);
  });
});

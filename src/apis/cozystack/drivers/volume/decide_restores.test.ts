import { describe, expect, test } from "vitest";
import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { KEEPS_DOWN } from "../../../../core/workloads/scaling/scaling_marks.ts";
import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import { sampleClaim as claim, meta, sampleBackup } from "../../testing/samples.ts";
import { restoreWork, sampleVolume } from "../../testing/works.ts";
import { decideRestores } from "./decide_restores.ts";
import { MADE_FOR } from "./native_objects.ts";
import { METADATA } from "./volume_record.ts";

describe("a restore of volumes", () => {
  const volumes = JSON.stringify([
    { name: "data-db-0", capacity: "5Gi", modes: ["ReadWriteOnce"], class: "fast", labels: { app: "db" } },
  ]);
  const backup = sampleBackup("first", {
    driverMetadata: { [METADATA.backup]: "native", [METADATA.volumes]: volumes },
  });
  const restore = (status: object) =>
    ({
      metadata: meta("again-data-db-0", "tenant", { annotations: { [MADE_FOR]: "uid-again" } }),
      spec: {},
      status,
    }) as unknown as Restore;
  const decide = (claims: readonly Claim[], more: object = {}, found?: Restore) =>
    decideRestores({
      work: restoreWork(sampleVolume(), { backup, ...more }),
      claims,
      native: { backup: () => undefined, restore: () => found, keepingDown: () => [] },
    });

  test("writes over a volume that is there, and deletes what the Backup does not hold", () => {
    expect(decide([claim("data-db-0")])).toMatchObject({
      type: "Running",
      intents: [
        {
          type: "Ensure",
          draft: {
            metadata: {
              name: expect.stringMatching(/^again-data-db-0-\w{6}$/),
              ownerReferences: [{ kind: "RestoreJob", uid: "uid-again" }],
            },
            spec: {
              source: { backupRef: { name: "native", pvc: "data-db-0" } },
              target: { pvcRef: { name: "data-db-0", scaleDownWorkloads: true, backupFirst: false } },
              options: { enableFileDeletion: true },
            },
          },
        },
      ],
    });
  });

  test("makes a volume that is gone anew", () => {
    expect(decide([])).toMatchObject({
      intents: [
        {
          draft: {
            spec: { target: { pvc: { name: "data-db-0", capacity: "5Gi", storageClassName: "fast" } } },
          },
        },
      ],
    });
  });

  test("into another application makes volumes of its own, with its labels", () => {
    const applicationRef = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };
    expect(decide([claim("data-db-0")], { applicationRef })).toMatchObject({
      intents: [
        { draft: { spec: { target: { pvc: { name: "data-copy-0", labels: { app: "copy", ...marks } } } } } },
      ],
    });
  });

  const copy = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };
  const labelled = (labels: object, namespace = "tenant") => {
    const named = claim("data-copy-0");
    return { ...named, metadata: { ...named.metadata, namespace, labels } } as Claim;
  };
  const marks = {
    "backups.cozystack.io/application": "copy",
    "backups.cozystack.io/application-kind": "Postgres",
    "backups.cozystack.io/application-group": "apps.cozystack.io",
  };

  test.each([
    ["is another application's", { "app.kubernetes.io/instance": "shop" }, false],
    ["is nobody's", {}, false],
    [
      "was made for one of another kind",
      { ...marks, "backups.cozystack.io/application-kind": "Redis" },
      false,
    ],
    ["has the label of the target's release", { "app.kubernetes.io/instance": "copy" }, true],
    ["was made by a restore before", marks, true],
  ])("into another application: a PVC of the name that %s", (_, labels, written) => {
    const step = decide([labelled(labels)], { applicationRef: copy, application: undefined });
    if (written) {
      expect(step).toMatchObject({ intents: [{ draft: { spec: { target: { pvcRef: {} } } } }] });
      return;
    }
    expect(step).toEqual({
      type: "Failed",
      reason: "TargetTaken",
      message:
        "PVC tenant/data-copy-0 exists and does not belong to Postgres copy: it would be written over. Name another application, or delete the PVC. If it is one of Postgres copy, label it as the Volume it asks.",
    });
  });

  test("into another application writes over the PVCs that the target mounts, and those that it owns", () => {
    const of = (spec: object, uid = "uid-copy") => ({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { ...meta("copy", "tenant"), uid },
      spec,
    });
    const templates = { volumeClaimTemplates: [{ metadata: { name: "data" } }] };
    const into = (application: object, one: Claim) =>
      decide([one], { applicationRef: { ...copy, apiGroup: "apps", kind: "StatefulSet" }, application });
    const owned = labelled({});
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "copy", uid: "uid-copy" }];
    const ofCopy = { ...owned, metadata: { ...owned.metadata, ownerReferences } } as Claim;
    expect(into(of(templates), labelled({}))).toMatchObject({ type: "Running" });
    expect(into(of({}), ofCopy)).toMatchObject({ type: "Running" });
    expect(into(of({}, "uid-other"), ofCopy)).toMatchObject({ type: "Failed", reason: "TargetTaken" });
  });

  test("into another namespace writes over no PVC of its own name that is not the application's", () => {
    const there = (labels: object) => {
      const one = claim("data-db-0");
      return { ...one, metadata: { ...one.metadata, namespace: "other", labels } } as Claim;
    };
    const into = (labels: object) =>
      decide([there(labels)], { targetNamespace: "other", application: undefined });
    expect(into({ "app.kubernetes.io/instance": "shop" })).toMatchObject({ reason: "TargetTaken" });
    expect(into({ "app.kubernetes.io/instance": "db" })).toMatchObject({ type: "Running" });
  });

  test("in place writes over the PVCs that were backed up, whatever their labels are by now", () => {
    const bare = { ...claim("data-db-0"), metadata: meta("data-db-0", "tenant") } as Claim;
    expect(decide([bare], { application: undefined })).toMatchObject({
      intents: [{ draft: { spec: { target: { pvcRef: { name: "data-db-0" } } } } }],
    });
  });

  test("into another namespace is done there, from the Backup here, and belongs to nothing there", () => {
    const step = decide([], { targetNamespace: "other" });
    expect(step).toMatchObject({
      intents: [
        {
          draft: {
            metadata: {
              name: expect.stringMatching(/^again-data-db-0-\w{6}$/),
              namespace: "other",
              annotations: { "backups.cozystack.io/job": "RestoreJob/tenant/again" },
            },
            spec: { source: { backupRef: { name: "native", namespace: "tenant", pvc: "data-db-0" } } },
          },
        },
      ],
    });
    expect(JSON.stringify(step)).not.toContain("ownerReferences");
  });

  test.each([
    ["goes on", { phase: "Restoring" }, { type: "Running" }],
    ["has failed", { phase: "Failed" }, { type: "Failed", reason: "RestoreFailed" }],
    ["has ended", { phase: "Completed" }, { type: "Succeeded", message: "1 volume is restored." }],
    [
      "has not brought all back",
      { phase: "Completed", losses: [{ kind: "Owner", count: 3, reason: "no privileges" }] },
      {
        type: "Succeeded",
        message: "1 volume is restored. Not brought back: 3 × Owner (no privileges).",
      },
    ],
  ])("%s with its Restores", (_, status, step) => {
    expect(decide([claim("data-db-0")], {}, restore(status))).toMatchObject(step);
  });

  describe("of several volumes", () => {
    const records = ["data-db-0", "data-db-1"].map((name) => ({ name, capacity: "5Gi" }));
    const driverMetadata = { [METADATA.backup]: "native", [METADATA.volumes]: JSON.stringify(records) };
    const work = restoreWork(sampleVolume(), { backup: sampleBackup("first", { driverMetadata }) });
    const one = (name: string, phase: string, uid = "uid-again", keeps = true): Restore => {
      const annotations = { [MADE_FOR]: uid, ...(keeps ? { [KEEPS_DOWN]: "true" } : {}) };
      const spec = { target: { pvcRef: { name } } };
      const metadata = meta(`${uid}-${name}`, "tenant", { annotations });
      return { metadata, spec, status: { phase } } as unknown as Restore;
    };
    const all = (restores: readonly Restore[], others: readonly Restore[] = []) => {
      const found = [...restores];
      const claims = [claim("data-db-0"), claim("data-db-1")];
      const native = { backup: () => undefined, restore: () => found.shift(), keepingDown: () => others };
      // Each is asked for twice.
      found.push(...restores);
      return decideRestores({ work, claims, native });
    };

    test("keeps the workloads down that they share", () => {
      expect(all([])).toMatchObject({
        intents: records.map(() => ({ draft: { metadata: { annotations: { [KEEPS_DOWN]: "true" } } } })),
      });
    });

    test("brings them back when all are whole, with what earlier jobs kept down, and is over then", () => {
      const whole = [one("data-db-0", "Completed"), one("data-db-1", "Completed")];
      const earlier = one("data-db-0", "Completed", "uid-earlier");
      const others = [
        earlier,
        one("data-db-1", "Restoring", "uid-running"),
        one("files", "Failed", "uid-other"),
      ];
      expect(all(whole, others)).toMatchObject({
        type: "Running",
        intents: [...whole, earlier].map((object) => ({ type: "Unmark", object, annotation: KEEPS_DOWN })),
      });
      const released = ["data-db-0", "data-db-1"].map((name) => one(name, "Completed", "uid-again", false));
      expect(all(released)).toEqual({ type: "Succeeded", message: "2 volumes are restored." });
    });

    test("leaves them down when one has failed, and says how they come back", () => {
      expect(all([one("data-db-0", "Completed"), one("data-db-1", "Failed")])).toMatchObject({
        type: "Failed",
        message: expect.stringContaining(
          "stay down until another RestoreJob into these volumes succeeds, or this one is deleted.",
        ),
      });
    });
  });

  test("into an application of another type, but of the same name, does not write over the original", () => {
    const applicationRef = { apiGroup: "apps.cozystack.io", kind: "Redis", name: "db" };
    expect(decide([claim("data-db-0")], { applicationRef })).toEqual({
      type: "Failed",
      reason: "TargetUnsupported",
      message:
        "The PVCs of Redis db would have the names of those of Postgres db, and be written over. Name an application that is called otherwise.",
    });
    expect(decide([], { applicationRef, targetNamespace: "other" })).toMatchObject({ type: "Running" });
  });

  test("never writes two volumes into one", () => {
    const both = JSON.stringify([
      { name: "db-files", capacity: "5Gi" },
      { name: "files", capacity: "5Gi" },
    ]);
    const driverMetadata = { [METADATA.backup]: "native", [METADATA.volumes]: both };
    const applicationRef = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };
    expect(decide([], { applicationRef, backup: sampleBackup("first", { driverMetadata }) })).toEqual({
      type: "Failed",
      reason: "TargetUnsupported",
      message:
        "Two PVCs of Postgres db would be called copy-files in Postgres copy. Name an application that is called otherwise.",
    });
  });

  test("fails without the metadata of its Backup", () => {
    expect(decide([], { backup: sampleBackup("first") })).toMatchObject({
      type: "Failed",
      reason: "MetadataMissing",
    });
  });
});

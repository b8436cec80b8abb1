import { describe, expect, test } from "vitest";
import type { Velero } from "../../../../kinds/cozystack/generated/velero.ts";
import { sampleBackup } from "../../testing/samples.ts";
import { backupWork, removalWork, restoreWork, sampleVelero } from "../../testing/works.ts";
import {
  decideVeleroBackup,
  decideVeleroRemoval,
  decideVeleroRestore,
  type VeleroObject,
  veleroDriver,
  veleroName,
} from "./velero_driver.ts";

const work = backupWork(sampleVelero());
const made = (status: object, uid = "uid-first"): VeleroObject =>
  ({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name: veleroName(work.object),
      namespace: "velero",
      annotations: { "backups.cozystack.io/job-uid": uid, "backups.cozystack.io/namespace": "tenant" },
    },
    status,
  }) as unknown as VeleroObject;

describe("a backup by Velero", () => {
  test("begins with a Backup in Velero's namespace, with the parameters filled in", () => {
    expect(decideVeleroBackup(work, undefined)).toMatchObject({
      type: "Running",
      intents: [
        { type: "Ensure", draft: { metadata: { namespace: "velero" }, spec: { storageLocation: "full" } } },
      ],
    });
  });

  test.each([
    ["is new", {}, { type: "Running" }],
    ["goes on", { phase: "InProgress" }, { type: "Running" }],
    [
      "is refused",
      { phase: "FailedValidation", validationErrors: ["no location"] },
      {
        type: "Failed",
        message: expect.stringContaining("FailedValidation: no location. Its log says more."),
      },
    ],
    [
      "lacks something",
      { phase: "PartiallyFailed", errors: 2 },
      { type: "Failed", message: expect.stringContaining("2 errors") },
    ],
    [
      "is done",
      { phase: "Completed", startTimestamp: "2026-05-24T11:59:40Z" },
      { type: "Succeeded", takenAt: "2026-05-24T11:59:40Z" },
    ],
  ])("is told as it %s", (_, status, step) => {
    expect(decideVeleroBackup(work, made(status))).toMatchObject(step);
  });

  test("fails where the name is another's", () => {
    expect(decideVeleroBackup(work, made({ phase: "Completed" }, "other"))).toMatchObject({
      reason: "NameTaken",
    });
  });

  test("waits for a Velero", async () => {
    const driver = veleroDriver({ client: { serves: async () => false } as never });
    expect(await driver.backup(work, new AbortController().signal)).toMatchObject({
      type: "Waiting",
      problem: { reason: "VeleroNotInstalled" },
    });
  });
});

describe("a restore by Velero", () => {
  const metadata = {
    "strategy.backups.cozystack.io/velero-backup": "one",
    "strategy.backups.cozystack.io/velero-namespace": "velero",
  };
  const backup = sampleBackup("first", { driverMetadata: metadata });

  const restored = (more: object, of: VeleroObject | undefined = made({})) =>
    decideVeleroRestore({ work: restoreWork(sampleVelero(), more), of, made: undefined });

  test("names the Backup of Velero, beside it", () => {
    expect(restored({ backup })).toMatchObject({
      intents: [{ draft: { metadata: { namespace: "velero" }, spec: { backupName: "one" } } }],
    });
  });

  test("into another namespace has Velero put it there", () => {
    expect(restored({ backup, targetNamespace: "other" })).toMatchObject({
      intents: [{ draft: { spec: { namespaceMapping: { tenant: "other" } } } }],
    });
  });

  test.each([
    ["its name", { backup: sampleBackup("first") }, made({}), "MetadataMissing"],
    ["it", { backup }, undefined, "VeleroBackupNotFound"],
    ["one of its own", { backup, namespace: "thief" }, made({}), "VeleroBackupNotFound"],
  ])("fails without %s", (_, more, of, reason) => {
    expect(
      decideVeleroRestore({ work: restoreWork(sampleVelero(), more), of, made: undefined }),
    ).toMatchObject({
      type: "Failed",
      reason,
    });
  });

  test("deletion leaves alone what was made for another namespace", () => {
    const object = { ...backup, metadata: { ...backup.metadata, namespace: "thief" } };
    const step = decideVeleroRemoval(removalWork<Velero>(undefined, { object }), made({}));
    expect(step).toMatchObject({ type: "Succeeded", message: expect.stringContaining("stays") });
    expect(step).not.toHaveProperty("intents");
  });

  test("deletion asks Velero once, and waits until its Backup is gone", () => {
    const first = decideVeleroRemoval(removalWork<Velero>(undefined, { object: backup }), made({}));
    expect(first).toMatchObject({ state: { requested: "true" }, intents: [{ type: "Ensure" }] });
    const again = decideVeleroRemoval(
      removalWork<Velero>(undefined, { object: backup, state: { requested: "true" } }),
      made({}),
    );
    expect(again).not.toHaveProperty("intents");
    expect(decideVeleroRemoval(removalWork<Velero>(undefined, { object: backup }), undefined)).toMatchObject({
      type: "Succeeded",
    });
  });
});

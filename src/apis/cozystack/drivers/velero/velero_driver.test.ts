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
      annotations: { "backups.cozystack.io/job-uid": uid },
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

  test("names the Backup of Velero", () => {
    const step = decideVeleroRestore(restoreWork(sampleVelero(), { backup }), undefined);
    expect(step).toMatchObject({ intents: [{ draft: { spec: { backupName: "one" } } }] });
  });

  test("fails without it", () => {
    expect(decideVeleroRestore(restoreWork(sampleVelero()), undefined)).toMatchObject({
      reason: "MetadataMissing",
    });
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

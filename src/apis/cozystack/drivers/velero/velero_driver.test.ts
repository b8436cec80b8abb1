import { describe, expect, test } from "vitest";
import type { Velero } from "../../../../kinds/cozystack/generated/velero.ts";
import { ApiError } from "../../../../kube/api_error.ts";
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

  const into = (spec: object, more: object) =>
    decideVeleroRestore({
      work: restoreWork(sampleVelero({ restoreTemplate: { spec } }), { backup, ...more }),
      of: made({}),
      made: undefined,
    });

  test("into another namespace puts it there, whatever the template maps", () => {
    const namespaceMapping = { tenant: "elsewhere", shared: "shared-copy" };
    expect(into({ namespaceMapping }, { targetNamespace: "other" })).toMatchObject({
      intents: [{ draft: { spec: { namespaceMapping: { tenant: "other", shared: "shared-copy" } } } }],
    });
  });

  test("into another application needs a template that names it", () => {
    const applicationRef = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };
    expect(into({ existingResourcePolicy: "update" }, { applicationRef })).toMatchObject({
      type: "Failed",
      reason: "TargetUnsupported",
    });
    const matchLabels = { app: "{{ .Application.metadata.name }}" };
    expect(into({ labelSelector: { matchLabels } }, { applicationRef })).toMatchObject({ type: "Running" });
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

  const removed = (observed: object, state = {}, object = backup) =>
    decideVeleroRemoval({
      work: removalWork<Velero>(undefined, { object, state }),
      made: made({}),
      request: undefined,
      ...observed,
    });
  const processed = { status: { phase: "Processed", errors: ["in progress", "no plugin"] } };

  test("deletion leaves alone what was made for another namespace", () => {
    const object = { ...backup, metadata: { ...backup.metadata, namespace: "thief" } };
    const step = removed({}, {}, object);
    expect(step).toMatchObject({ type: "Succeeded", message: expect.stringContaining("stays") });
    expect(step).not.toHaveProperty("intents");
  });

  test.each([
    ["asks Velero", {}, {}, { type: "Running", intents: [{ type: "Ensure" }] }],
    [
      "asks Velero where it meant to and did not",
      {},
      { requested: "true" },
      { type: "Running", intents: [{ type: "Ensure" }] },
    ],
    ["waits for Velero once it has asked", { request: {} }, {}, { type: "Running", intents: [] }],
    ["ends when the Backup of Velero is gone", { made: undefined }, {}, { type: "Succeeded" }],
    [
      "fails in Velero's words when the Backup stays",
      { request: processed },
      {},
      { type: "Failed", message: expect.stringContaining(": in progress; no plugin.") },
    ],
  ])("deletion %s", (_, observed, state, step) => {
    expect(removed(observed, state)).toMatchObject(step);
  });

  test("deletion asks anew in another round, by another name, and looks at that request", async () => {
    const asked: string[] = [];
    const get = async ({ kind }: { kind: string }, { name }: { name: string }) => {
      if (kind === "Backup") return made({});
      asked.push(name);
      throw new ApiError({ request: "GET", code: 404, status: { code: 404, reason: "NotFound" } });
    };
    const driver = veleroDriver({ client: { serves: async () => true, get } as never });
    const round = (state: { round?: string }) =>
      driver.remove(removalWork<Velero>(undefined, { object: backup, state }), new AbortController().signal);
    const steps = [await round({}), await round({ round: "2" })];
    expect(new Set(asked).size).toBe(2);
    expect(steps).toMatchObject(asked.map((name) => ({ intents: [{ draft: { metadata: { name } } }] })));
  });
});

import { describe, expect, test } from "vitest";
import type { Velero } from "../../../../kinds/cozystack/generated/velero.ts";
import type { VeleroObject } from "../../../../kinds/velero/server_objects.ts";
import { ApiError } from "../../../../kube/api_error.ts";
import { VirtualClock } from "../../../../lib/virtual_clock.ts";
import { NOW, sampleBackup } from "../../testing/samples.ts";
import { backupWork, removalWork, restoreWork, sampleVelero } from "../../testing/works.ts";
import {
  decideAbandoned,
  decideVeleroBackup,
  decideVeleroRemoval,
  decideVeleroRestore,
  veleroDriver,
  veleroName,
} from "./velero_driver.ts";

const clock = new VirtualClock();
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

  const asking = (spec: object) =>
    decideVeleroBackup(backupWork(sampleVelero({ backupTemplate: { spec } })), undefined);

  test("is of the tenant's namespace alone, and kept for long, whatever the template leaves out", () => {
    const spec = { includedNamespaces: ["tenant"], ttl: "87600h0m0s" };
    expect(asking({})).toMatchObject({ intents: [{ draft: { spec } }] });
    expect(asking({ includedNamespaces: [] })).toMatchObject({ intents: [{ draft: { spec } }] });
    expect(asking({ includedNamespaces: null, ttl: null })).toMatchObject({ intents: [{ draft: { spec } }] });
    expect(asking({ includedNamespaces: ["{{ .Namespace }}"], ttl: "24h" })).toMatchObject({
      intents: [{ draft: { spec: { ...spec, ttl: "24h" } } }],
    });
  });

  test.each([
    ["all", ["*"], "*"],
    ["another beside it", ["tenant", "shop"], "shop"],
    ["a text instead of a list", "shop", "shop"],
  ])("does not reach namespaces that the template names: %s", (_, includedNamespaces, named) => {
    expect(asking({ includedNamespaces })).toEqual({
      type: "Failed",
      reason: "NamespaceForbidden",
      message: `The backupTemplate of the Velero it names namespace ${named}, and jobs of namespace tenant reach no other. Leave includedNamespaces and namespaceMapping out: the operator fills them in.`,
    });
  });

  test.each([
    ["is not there", undefined, { intents: [] }],
    ["is another's", made({ phase: "Completed" }, "other"), { intents: [] }],
    ["is new", made({}), { intents: [], wakeAt: NOW + 5_000 }],
    ["goes on", made({ phase: "Finalizing" }), { intents: [], wakeAt: NOW + 5_000 }],
    ["has ended", made({ phase: "Completed" }), { intents: [{ draft: { spec: {} } }] }],
    ["has failed", made({ phase: "PartiallyFailed" }), { intents: [{ draft: { spec: {} } }] }],
  ])("of a job that is deleted: what Velero began %s", (_, found, left) => {
    const abandoned = decideAbandoned(work.object, found, NOW);
    expect(abandoned).toMatchObject(left);
    expect(abandoned.wakeAt).toBe("wakeAt" in left ? left.wakeAt : undefined);
    if (abandoned.intents.length > 0) {
      const { name } = found?.metadata ?? {};
      expect(abandoned.intents).toMatchObject([{ type: "Ensure", draft: { spec: { backupName: name } } }]);
    }
  });

  test.each([
    ["has it", { serves: true, holds: true }, undefined],
    [
      "no longer has it",
      { serves: true, holds: false },
      "Velero no longer has its Backup velero/one: it expired, or a request deleted it",
    ],
    ["is not installed for a while", { serves: false }, undefined],
  ])("is looked for after it was made: Velero %s", async (_, given, gone) => {
    const { serves, holds = true }: { serves: boolean; holds?: boolean } = given;
    const get = async () => {
      if (holds) return made({});
      throw new ApiError({ request: "GET", code: 404, status: { code: 404, reason: "NotFound" } });
    };
    const driver = veleroDriver({ client: { serves: async () => serves, get } as never, clock });
    const driverMetadata = {
      "strategy.backups.cozystack.io/velero-backup": "one",
      "strategy.backups.cozystack.io/velero-namespace": "velero",
    };
    const { signal } = new AbortController();
    expect(await driver.gone?.(sampleBackup("first", { driverMetadata }), signal)).toBe(gone);
    expect(await driver.gone?.(sampleBackup("first"), signal)).toBeUndefined();
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
    const driver = veleroDriver({ client: { serves: async () => false } as never, clock });
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

  test.each([
    ["every namespace", { includedNamespaces: ["*"] }, {}],
    ["another tenant's", { includedNamespaces: ["shop"] }, {}],
    ["another than the RestoreJob's", { namespaceMapping: { tenant: "shop" } }, {}],
    ["its target as the source", { includedNamespaces: ["other"] }, { targetNamespace: "other" }],
  ])("does not reach what the template names: %s", (_, spec, more) => {
    expect(into(spec, more)).toMatchObject({ type: "Failed", reason: "NamespaceForbidden" });
  });

  test("is of the tenant's namespace alone, also where the Backup of Velero holds others", () => {
    expect(into({}, {})).toMatchObject({
      intents: [{ draft: { spec: { includedNamespaces: ["tenant"] } } }],
    });
    expect(into({ includedNamespaces: null, namespaceMapping: null }, {})).toMatchObject({
      intents: [{ draft: { spec: { includedNamespaces: ["tenant"] } } }],
    });
    expect(into({}, { targetNamespace: "other" })).toMatchObject({
      intents: [
        { draft: { spec: { includedNamespaces: ["tenant"], namespaceMapping: { tenant: "other" } } } },
      ],
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

  test("deletion waits while the cluster does not serve Velero, and says how to leave the data", async () => {
    const driver = veleroDriver({ client: { serves: async () => false } as never, clock });
    const work = removalWork<Velero>(undefined, { object: backup });
    expect(await driver.remove(work, new AbortController().signal)).toMatchObject({
      type: "Waiting",
      problem: {
        reason: "VeleroNotInstalled",
        message:
          "The cluster does not serve velero.io/v1, so the data cannot be deleted. Install Velero. To leave the data where it is, have an administrator remove the finalizer strategy.backups.cozystack.io/artifact from the Backup.",
      },
    });
  });

  test("deletion asks anew in another round, by another name, and looks at that request", async () => {
    const asked: string[] = [];
    const get = async ({ kind }: { kind: string }, { name }: { name: string }) => {
      if (kind === "Backup") return made({});
      asked.push(name);
      throw new ApiError({ request: "GET", code: 404, status: { code: 404, reason: "NotFound" } });
    };
    const driver = veleroDriver({ client: { serves: async () => true, get } as never, clock });
    const round = (state: { round?: string }) =>
      driver.remove(removalWork<Velero>(undefined, { object: backup, state }), new AbortController().signal);
    const steps = [await round({}), await round({ round: "2" })];
    expect(new Set(asked).size).toBe(2);
    expect(steps).toMatchObject(asked.map((name) => ({ intents: [{ draft: { metadata: { name } } }] })));
  });
});

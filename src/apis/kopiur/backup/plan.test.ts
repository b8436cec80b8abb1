import { describe, expect, test } from "vitest";
import { writable } from "../../../core/repository/read_only.ts";
import { AT } from "../../../core/testing/samples.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { ok } from "../../../lib/result.ts";
import { readyRepository } from "../references.ts";
import { backup, clusterRepository, config, readyConfig, readyNas, repository } from "../testing/samples.ts";
import { backupLabels } from "./backup_labels.ts";
import { backupObject, backupStatus, type ConfigPlan, makePlan, planOf } from "./plan.ts";

const claim = config({ metadata: { name: "data" } });
const claims = new Map([[keyOf(claim), claim]]);
const nas = readyRepository(readyNas(), "billing/nas" as ObjectKey);

function planning(more: Partial<Parameters<typeof makePlan>[0]> = {}) {
  return makePlan({ backup: backup(), config: readyConfig(), repository: nas, claims, ...more });
}

describe("makePlan()", () => {
  test("keeps which repository it was, also one of the whole cluster", () => {
    const shared = clusterRepository({ status: { phase: "Ready", uniqueID: "id-2" } });
    const ready = readyRepository(shared, "shared" as ObjectKey);
    expect(makePlan({ backup: backup(), config: readyConfig(), repository: ready, claims })).toMatchObject({
      ok: true,
      value: {
        repository: { kind: "ClusterRepository", name: "shared", uid: "uid-shared", uniqueID: "id-2" },
        engine: "kopia",
      },
    });
  });

  test("refuses a compressor that the engine does not have, in the words of the door", () => {
    const own = backup({ spec: { parameters: { compressionOverride: "max" } } });
    expect(makePlan({ backup: own, config: readyConfig(), repository: nas, claims })).toMatchObject({
      ok: false,
      error: {
        class: "terminal",
        reason: "Unsupported",
        message: expect.stringMatching(/^Kopia cannot compress with max: it has no such compressor\. Choose/),
      },
    });
  });

  test("keeps what the claims are like, for new ones after their loss", () => {
    const claim = {
      ...claims.get("billing/data" as ObjectKey),
      spec: {
        resources: { requests: { storage: "5Gi" } },
        storageClassName: "fast",
        accessModes: ["ReadWriteMany"],
      },
    } as never;
    const plan = makePlan({
      backup: backup(),
      config: readyConfig(),
      repository: nas,
      claims: new Map([["billing/data", claim]]),
    });
    expect(plan).toMatchObject({
      value: {
        sources: [{ claim: { capacity: "5Gi", storageClassName: "fast", accessModes: ["ReadWriteMany"] } }],
      },
    });
  });

  test("keeps all that a run needs, whatever becomes of the recipe", () => {
    const object = backup({ spec: { failurePolicy: { backoffLimit: 5 } } });
    const plan = planning({ backup: object });
    expect(plan).toEqual({
      ok: true,
      value: {
        repository: {
          kind: "Repository",
          name: "nas",
          namespace: "billing",
          uid: "uid-nas",
          uniqueID: "id-1",
        },
        engine: "kopia",
        configUID: "uid-data",
        configGeneration: 1,
        copyMethod: "Direct",
        deletionPolicy: "Delete",
        sources: [{ pvc: "billing/data", sourcePath: "/pvc/data", uid: "uid-data" }],
        identity: { username: "data", hostname: "billing" },
        settings: {
          policy: { fidelity: "Full", unreadableFiles: "Fail" },
          failurePolicy: { backoffLimit: 5, activeDeadlineSeconds: 7200 },
          copyMethod: "Direct",
          groupBy: "VolumeGroupSnapshot",
          staging: { timeout: "10m" },
        },
      } satisfies ConfigPlan,
    });
    const { settings, ...resolved } = plan.ok ? plan.value : ({} as ConfigPlan);
    expect(planOf({ resolved: { ...resolved, settings: { ...settings } } })).toEqual(plan.ok && plan.value);
    expect(planOf({ resolved: { engine: "kopia" } })).toBeUndefined();
  });

  test.each([
    ["there is no recipe", { config: undefined }, "ConfigNotFound"],
    [
      "the recipe is going",
      { config: readyConfig({ metadata: { deletionTimestamp: AT } }) },
      "ConfigNotFound",
    ],
    ["the recipe cannot be run", { config: readyConfig({ status: { phase: "Failed" } }) }, "ConfigNotReady"],
    [
      "the recipe was edited just now",
      { config: readyConfig({ metadata: { generation: 2 } }) },
      "ConfigNotReady",
    ],
    [
      "the repository is not ready",
      { repository: readyRepository(repository(), "billing/nas" as never) },
      "RepositoryNotReady",
    ],
    [
      "the repository is read-only, whatever the recipe says of it",
      {
        config: readyConfig({ status: { phase: "Failed" } }),
        repository: writable(ok(readyNas({ spec: { access: { readOnly: true } } })), "backup") as never,
      },
      "RepositoryReadOnly",
    ],
    ["the claim is not there", { claims: new Map() }, "SourceNotFound"],
    [
      "the claim is going",
      { claims: new Map([["billing/data", backup({ metadata: { deletionTimestamp: AT } })]]) },
      "SourceNotFound",
    ],
  ])("waits while %s", (_, more, reason) => {
    expect(planning(more)).toMatchObject({ ok: false, error: { reason } });
  });

  test("a Backup's own deletion policy wins over the recipe's", () => {
    expect(planning({ backup: backup({ spec: { deletionPolicy: "Retain" } }) })).toMatchObject({
      value: { deletionPolicy: "Retain" },
    });
  });
});

test("the labels of a Backup say whose it is", () => {
  const plan = planning();
  if (!plan.ok) throw new Error(plan.error.message);
  expect(backupLabels(backup(), plan.value)).toEqual({
    [LABELS.origin]: "manual",
    [LABELS.backupConfig]: "data",
    [LABELS.repository]: "nas",
    [LABELS.repositoryUID]: "uid-nas",
    [LABELS.identityHash]: expect.stringMatching(/^[0-9a-z]{12}$/),
  });
  const scheduled = backup({ metadata: { labels: { [LABELS.backupSchedule]: "nightly" } } });
  expect(backupLabels(scheduled, plan.value)[LABELS.origin]).toBe("scheduled");
});

test("a Backup is to the core what it was before, when its status comes back", () => {
  const plan = planning();
  const entry = {
    kopiaSnapshotID: "k1",
    runID: "run-1",
    identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
    owner: { uid: 1, gid: 2 },
  };
  const { settings, ...resolved } = plan.ok ? plan.value : ({} as ConfigPlan);
  const status = {
    phase: "Succeeded",
    origin: "manual",
    snapshot: entry,
    snapshots: [entry],
    resolved: { ...resolved, settings: { ...settings } },
    work: { snapshot: { attempt: 1 } },
    logTail: "…",
  };
  const object = backupObject(backup({ status }));
  expect(object.status).toMatchObject({ snapshots: [{ id: "k1", runID: "run-1" }], plan: { settings } });
  expect(backupStatus(backup({ status }), object.status ?? {})).toEqual(status);
});

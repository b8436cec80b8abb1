import { describe, expect, test } from "vitest";
import { KEEPS_DOWN } from "../../../../src/core/workloads/scaling/scaling_marks.ts";
import { backupResource } from "../../../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../../../src/kinds/cozystack/generated/backup_job.ts";
import { jobResource } from "../../../../src/kinds/cozystack/generated/job.ts";
import { restoreJobResource } from "../../../../src/kinds/cozystack/generated/restore_job.ts";
import { veleroResource } from "../../../../src/kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { backupResource as nativeBackupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { VELERO_BACKUPS, VELERO_DELETIONS } from "../../../../src/kinds/velero/server_objects.ts";
import { Namespaces, Pods, Secrets } from "../../../../src/kube/builtin.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import type { Condition } from "../../../../src/kube/write/conditions.ts";
import { FOREIGN } from "../../../scenarios/foreign_driver.ts";
import { CozystackWorld, DATABASE, DUMP, NAMESPACE } from "./cozystack_world.ts";
import { nativeEnds, type Outside, podsEnd, veleroEnds } from "./outsides.ts";

const HOUR = 3_600_000;

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const reasonOf = ({ status }: Conditioned) =>
  status?.conditions?.find(({ type }) => type === "Ready")?.reason ?? "";

const classOf = (strategyRef: object, level = "full") => ({
  strategies: [{ strategyRef, application: DATABASE, parameters: { level } }] as never,
});
const JOB = { kind: "Job", name: "dumps" };
const VOLUMES = { kind: "Volume", name: "volumes" };
const BY_STANDARD = { applicationRef: DATABASE, backupClassName: "standard" };

/** Ends pods and objects of the native API as it is told. */
class Outsides {
  how: Outside = "well";
  readonly #world: CozystackWorld;

  constructor(world: CozystackWorld) {
    this.#world = world;
  }

  readonly tick = async (): Promise<void> => {
    await podsEnd(this.#world, this.how);
    await nativeEnds(this.#world, this.how);
  };
}

async function enter() {
  const world = await new CozystackWorld().start();
  await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } });
  const outside = new Outsides(world);
  const backedUp = (name: string, phase: string) =>
    world.until(
      `${name} is ${phase}`,
      async () => (await world.get(backupJobResource, name)).status?.phase === phase,
      outside.tick,
    );
  const restored = (name: string, phase: string) =>
    world.until(
      `${name} is ${phase}`,
      async () => (await world.get(restoreJobResource, name)).status?.phase === phase,
      outside.tick,
    );
  return { world, outside, backedUp, restored };
}

describe("a BackupJob", () => {
  test("waits for its class, its strategy, and for both again", async () => {
    const { world, outside, backedUp } = await enter();
    await using _ = world;
    await world.create(backupJobResource, "first", BY_STANDARD);
    await world.turns(2);
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe("BackupClassNotFound");
    await world.create(backupClassResource, "standard", classOf(JOB));
    await world.turns(3);
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe("StrategyNotFound");
    outside.how = "waits";
    await world.create(jobResource, "dumps", { template: DUMP });
    await backedUp("first", "Running");
    // What it runs by goes while it runs: the class for good, the strategy for a while.
    await world.client.delete(backupClassResource, { name: "standard" });
    await world.client.delete(jobResource, { name: "dumps" });
    await world.turns(3);
    const waiting = await world.get(backupJobResource, "first");
    expect([waiting.status?.phase, reasonOf(waiting)]).toEqual(["Running", "StrategyNotFound"]);
    outside.how = "well";
    await world.create(jobResource, "dumps", { template: DUMP });
    await backedUp("first", "Succeeded");
    expect((await world.get(backupResource, "first")).spec.driverMetadata).toEqual({ level: "full" });
  });

  test("goes on by the parameters that it began with, though the class has others by now", async () => {
    const { world, outside, backedUp } = await enter();
    await using _ = world;
    await world.create(jobResource, "dumps", { template: DUMP });
    const found = await world.create(backupClassResource, "standard", classOf(JOB));
    outside.how = "waits";
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Running");
    await world.patch(backupClassResource, found, { spec: classOf(VOLUMES, "none") });
    await world.turns(2);
    outside.how = "well";
    await backedUp("first", "Succeeded");
    expect(await world.get(backupResource, "first")).toMatchObject({
      spec: { strategyRef: { kind: "Job" }, driverMetadata: { level: "full" } },
    });
  });

  test.each([
    ["an application of another type", { ...DATABASE, kind: "Deployment" }, "NoMatchingStrategy"],
    ["an application that does not exist", { ...DATABASE, name: "nobody" }, "ApplicationNotFound"],
    ["a kind that is not installed", { kind: "Postgres", name: "db" }, "ApplicationKindNotFound"],
  ])("fails for %s", async (_, applicationRef, reason) => {
    const { world, backedUp } = await enter();
    await using __ = world;
    const postgres = { strategyRef: VOLUMES, application: { kind: "Postgres" } };
    const { strategies } = classOf(VOLUMES);
    await world.create(backupClassResource, "standard", { strategies: [...strategies, postgres] as never });
    await world.create(backupJobResource, "first", { ...BY_STANDARD, applicationRef });
    await backedUp("first", "Failed");
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe(reason);
  });

  const looping = `{{ range .Application.spec.template.spec.containers }}${"{{ range $.Application.metadata }}".repeat(9)}x${"{{ end }}".repeat(10)}`;

  test.each([
    ["loops", looping, /takes more than 100000 steps|longer than 262144 characters/],
    ["is too long", `{{ .Mode }}${"x".repeat(70_000)}`, /longer than 65536 characters/],
    ["names what is not there", "{{ .Parameters.bucket }}", /\{\{ \.Parameters\.bucket \}\} has no value/],
  ])("fails with a template that %s", async (_, arg, message) => {
    const { world, backedUp } = await enter();
    await using __ = world;
    const template = { spec: { containers: [{ name: "dump", image: "dump", args: [arg] }] } };
    await world.create(jobResource, "dumps", { template });
    await world.create(backupClassResource, "standard", classOf(JOB));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Failed");
    const job = await world.get(backupJobResource, "first");
    expect(reasonOf(job)).toBe("TemplateFailed");
    expect(job.status?.message).toMatch(message);
  });

  test("that is deleted while it runs takes along what was begun for it", async () => {
    const { world, outside, backedUp } = await enter();
    await using _ = world;
    await world.create(backupClassResource, "standard", classOf(VOLUMES));
    outside.how = "waits";
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Running");
    await world.until("the work is begun", async () => (await world.all(nativeBackupResource)).length === 1);
    await world.client.delete(backupJobResource, { namespace: NAMESPACE, name: "first" });
    await world.turns(4);
    expect(await world.all(backupJobResource)).toEqual([]);
    expect(await world.all(nativeBackupResource)).toEqual([]);
  });

  test("by pods that is deleted while it runs leaves neither pod nor credentials", async () => {
    const { world, outside, backedUp } = await enter();
    await using _ = world;
    const metadata = { namespace: "velero", name: "bucket" };
    await world.client.create(Secrets, { metadata, stringData: { key: "hidden" } });
    await world.create(jobResource, "dumps", { template: DUMP, credentials: { secretRef: metadata } });
    await world.create(backupClassResource, "standard", classOf(JOB));
    outside.how = "waits";
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Running");
    await world.until("the pod is there", async () => (await world.all(Pods)).length === 1);
    await world.client.delete(backupJobResource, { namespace: NAMESPACE, name: "first" });
    await world.turns(6);
    expect(await world.all(backupJobResource)).toEqual([]);
    expect(await world.all(Pods)).toEqual([]);
    expect((await world.client.list(Secrets, { namespace: NAMESPACE })).items).toEqual([]);
  });

  test("by Velero that is deleted while it runs has Velero delete what it made, once it can", async () => {
    const { world, backedUp } = await enter();
    await using _ = world;
    await world.create(veleroResource, "velero", { backupTemplate: { spec: {} } });
    await world.create(backupClassResource, "standard", classOf({ kind: "Velero", name: "velero" }));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Running");
    await world.until("Velero works", async () => (await world.all(VELERO_BACKUPS)).length === 1);
    await world.client.delete(backupJobResource, { namespace: NAMESPACE, name: "first" });
    await world.turns(10);
    // Velero deletes nothing that it still works on.
    expect([await world.all(backupJobResource), await world.all(VELERO_DELETIONS)]).toMatchObject([[{}], []]);
    const over = async () => (await world.all(backupJobResource)).length === 0;
    await world.until("the job is gone", over, () => veleroEnds(world, "well"));
    await world.turns(2, 1_000, () => veleroEnds(world, "well"));
    expect(await world.all(VELERO_BACKUPS)).toEqual([]);
  });

  test("waits for a driver that is down for a day, and says so", async () => {
    const { world } = await enter();
    await using _ = world;
    await world.create(backupClassResource, "standard", classOf(FOREIGN));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await world.turns(3);
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe("WaitingForDriver");
    await world.turns(24, HOUR);
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe("NoDriver");
    // A driver at last: from its first word on, the core says nothing of the job.
    const job = await world.get(backupJobResource, "first");
    const status = { phase: "Running", startedAt: "2026-01-02T00:10:00Z", message: "Winding the tape." };
    await world.patch(backupJobResource, job, { status }, "status");
    await world.turns(3);
    expect((await world.get(backupJobResource, "first")).status).toMatchObject(status);
  });

  test.each([
    ["a pod", JOB, false],
    ["a pod that was lent credentials", JOB, true],
    ["objects of the native API", VOLUMES, false],
  ])("goes on after a day without a driver, with what ended meanwhile: %s", async (_, strategy, lends) => {
    const { world, outside, backedUp } = await enter();
    await using __ = world;
    const secretRef = { namespace: "velero", name: "bucket" };
    await world.client.create(Secrets, { metadata: secretRef, stringData: { key: "hidden" } });
    await world.create(jobResource, "dumps", {
      template: DUMP,
      ...(lends ? { credentials: { secretRef } } : {}),
    });
    await world.create(backupClassResource, "standard", classOf(strategy));
    outside.how = "waits";
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Running");
    await world.turns(3);
    await world.away(true);
    outside.how = "well";
    await world.turns(24, HOUR, outside.tick);
    expect((await world.get(backupJobResource, "first")).status?.phase).toBe("Running");
    await world.away(false);
    await backedUp("first", "Succeeded");
    expect(await world.all(backupResource)).toHaveLength(1);
    await world.turns(3);
    expect((await world.client.list(Secrets, { namespace: NAMESPACE })).items).toEqual([]);
  });
});

describe("a Backup by pods", () => {
  test("says where its data is, how large it is, and its checksum", async () => {
    const { world, backedUp } = await enter();
    await using _ = world;
    const artifact = { uri: "s3://dumps/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template: DUMP, artifact });
    await world.create(backupClassResource, "standard", classOf(JOB));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Succeeded");
    expect((await world.get(backupResource, "first")).status?.artifact).toEqual({
      uri: "s3://dumps/first",
      sizeBytes: 2048,
      size: "2.0 KiB",
      checksum: "sha256:ab",
    });
  });
});

test("a Backup by Velero is not Ready once Velero no longer has it, and is again if it comes back", async () => {
  const { world, backedUp } = await enter();
  await using _ = world;
  await world.create(veleroResource, "velero", { backupTemplate: { spec: {} } });
  await world.create(backupClassResource, "standard", classOf({ kind: "Velero", name: "velero" }));
  await world.create(backupJobResource, "first", BY_STANDARD);
  await world.until("it runs", async () => (await world.all(VELERO_BACKUPS)).length === 1);
  await veleroEnds(world, "well");
  await backedUp("first", "Succeeded");
  const [made] = await world.all(VELERO_BACKUPS);
  if (!made) throw new Error("Velero made nothing");
  await world.client.delete(VELERO_BACKUPS, made.metadata);
  await world.turns(3, HOUR);
  const gone = await world.get(backupResource, "first");
  expect([gone.status?.phase, reasonOf(gone)]).toEqual(["Failed", "DataGone"]);
  const { name, namespace = "", annotations = {} } = made.metadata;
  await world.client.create(VELERO_BACKUPS, {
    metadata: { name, namespace, annotations },
    spec: {},
  } as never);
  await world.turns(3, HOUR);
  expect((await world.get(backupResource, "first")).status?.phase).toBe("Ready");
});

test("a Backup that is deleted while its strategy is missing stays until it is there again", async () => {
  const { world, outside, backedUp } = await enter();
  await using _ = world;
  const dumps = { template: DUMP, deleteTemplate: DUMP };
  await world.create(jobResource, "dumps", dumps);
  await world.create(backupClassResource, "standard", classOf(JOB));
  await world.create(backupJobResource, "first", BY_STANDARD);
  await backedUp("first", "Succeeded");
  await world.client.delete(jobResource, { name: "dumps" });
  await world.client.delete(backupResource, { namespace: NAMESPACE, name: "first" });
  await world.turns(3, HOUR);
  const waiting = await world.get(backupResource, "first");
  expect([waiting.status?.phase, reasonOf(waiting)]).toEqual(["Deleting", "StrategyNotFound"]);
  const pods = (await world.all(Pods)).length;
  await world.create(jobResource, "dumps", dumps);
  let most = 0;
  await world.until(
    "the Backup is gone",
    async () => (await world.all(backupResource)).length === 0,
    async () => {
      await outside.tick();
      most = Math.max(most, (await world.all(Pods)).length);
      await world.clock.advance(10_000);
    },
  );
  expect(most).toBe(pods + 1);
});

describe("credentials of the administrators", () => {
  const container = {
    name: "dump",
    image: "dump",
    envFrom: [{ secretRef: { name: "{{ .Credentials }}" } }],
  };
  const lending = {
    template: { spec: { containers: [container] } },
    credentials: { secretRef: { namespace: "velero", name: "bucket" } },
  };
  const copies = async (world: CozystackWorld) =>
    (await world.client.list(Secrets, { namespace: NAMESPACE })).items;

  test.each<[string, Outside, string]>([
    ["succeeds", "well", "Succeeded"],
    ["fails", "badly", "Failed"],
  ])("are in the namespace of a job as long as it runs, and gone when it %s", async (_, how, phase) => {
    const { world, outside, backedUp } = await enter();
    await using __ = world;
    const metadata = { namespace: "velero", name: "bucket" };
    await world.client.create(Secrets, { metadata, stringData: { AWS_SECRET_ACCESS_KEY: "hidden" } });
    await world.create(jobResource, "dumps", lending);
    await world.create(backupClassResource, "standard", classOf(JOB));
    outside.how = "waits";
    await world.create(backupJobResource, "first", BY_STANDARD);
    await world.until("the pod is there", async () => (await world.all(Pods)).length === 1);
    const [copy] = await copies(world);
    const [pod] = await world.all(Pods);
    expect(copy).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Job", name: copy?.metadata.name }] },
      data: { AWS_SECRET_ACCESS_KEY: Buffer.from("hidden").toString("base64") },
    });
    expect(pod?.spec?.containers[0]?.envFrom).toEqual([{ secretRef: { name: copy?.metadata.name } }]);
    outside.how = how;
    await backedUp("first", phase);
    await world.turns(3);
    expect(await copies(world)).toEqual([]);
  });

  test("that their namespace does not list are copied to nobody", async () => {
    const { world } = await enter();
    await using _ = world;
    const metadata = { namespace: "velero", name: "root" };
    await world.client.create(Secrets, { metadata, stringData: { key: "hidden" } });
    // As if its author could have been asked: without webhooks nobody was.
    const strategy = await world.create(jobResource, "dumps", {
      ...lending,
      credentials: { secretRef: metadata },
    });
    const annotations = { "strategy.backups.cozystack.io/consented-references": "LentSecret/velero/root" };
    await world.patch(jobResource, strategy, { metadata: { annotations } });
    await world.create(backupClassResource, "standard", classOf(JOB));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await world.turns(5);
    expect(reasonOf(await world.get(backupJobResource, "first"))).toBe("LendingForbidden");
    expect([await copies(world), await world.all(Pods)]).toEqual([[], []]);
  });

  test("that do not exist fail the job", async () => {
    const { world, backedUp } = await enter();
    await using _ = world;
    await world.create(jobResource, "dumps", lending);
    await world.create(backupClassResource, "standard", classOf(JOB));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Failed");
    expect((await world.get(backupJobResource, "first")).status?.message).toContain(
      "it needs Secret velero/bucket, which does not exist. Create it.",
    );
  });
});

describe("a RestoreJob", () => {
  async function withBackup(strategyRef: object = VOLUMES) {
    const entered = await enter();
    const { world, backedUp } = entered;
    await world.create(jobResource, "dumps", { template: DUMP });
    await world.create(backupClassResource, "standard", classOf(strategyRef));
    await world.create(backupJobResource, "first", BY_STANDARD);
    await backedUp("first", "Succeeded");
    return entered;
  }

  test("waits for a Backup that does not exist, and fails when its Backup is deleted", async () => {
    const { world, outside, restored } = await withBackup();
    await using _ = world;
    await world.create(restoreJobResource, "early", { backupRef: { name: "later" } });
    await world.turns(2);
    expect(reasonOf(await world.get(restoreJobResource, "early"))).toBe("BackupNotFound");
    outside.how = "waits";
    await world.create(restoreJobResource, "again", { backupRef: { name: "first" } });
    await restored("again", "Running");
    await world.client.delete(backupResource, { namespace: NAMESPACE, name: "first" });
    await restored("again", "Failed");
    expect((await world.get(restoreJobResource, "again")).status?.message).toBe(
      "Backup first was deleted meanwhile.",
    );
  });

  test("that failed keeps the workloads of all its volumes down, until another has restored them", async () => {
    const { world, outside, restored } = await withBackup();
    await using _ = world;
    const keeping = async () =>
      (await world.all(restoreResource)).filter(({ metadata }) => metadata.annotations?.[KEEPS_DOWN]).length;
    outside.how = "badly";
    await world.create(restoreJobResource, "again", { backupRef: { name: "first" } });
    await restored("again", "Failed");
    expect(await keeping()).toBe(2);
    outside.how = "well";
    await world.create(restoreJobResource, "once-more", { backupRef: { name: "first" } });
    await restored("once-more", "Succeeded");
    expect(await keeping()).toBe(0);
  });

  test("restores into an application that is there in place, and into one that is not as a copy", async () => {
    const { world, restored } = await withBackup();
    await using _ = world;
    await world.create(restoreJobResource, "again", { backupRef: { name: "first" } });
    const targetApplicationRef = { ...DATABASE, name: "copy" };
    await world.create(restoreJobResource, "beside", { backupRef: { name: "first" }, targetApplicationRef });
    await restored("again", "Succeeded");
    await restored("beside", "Succeeded");
    const targets = (await world.all(restoreResource)).map(({ spec }) => spec.target);
    expect(targets).toMatchObject([
      { pvcRef: { name: "data-db-0", scaleDownWorkloads: true, backupFirst: false } },
      { pvcRef: { name: "data-db-1", scaleDownWorkloads: true, backupFirst: false } },
      { pvc: { name: "data-copy-0", capacity: "1Gi" } },
      { pvc: { name: "data-copy-1", capacity: "1Gi" } },
    ]);
  });

  test.each([
    ["pods", JOB],
    ["objects of the native API", VOLUMES],
  ])("that is deleted while it runs leaves nothing behind: %s", async (_, strategy) => {
    const { world, outside, restored } = await withBackup(strategy);
    await using __ = world;
    const before = [await world.all(Pods), await world.all(restoreResource)].map(({ length }) => length);
    outside.how = "waits";
    await world.create(restoreJobResource, "again", { backupRef: { name: "first" } });
    await restored("again", "Running");
    await world.turns(3);
    const there = [await world.all(Pods), await world.all(restoreResource)].map(({ length }) => length);
    expect(there).not.toEqual(before);
    await world.client.delete(restoreJobResource, { namespace: NAMESPACE, name: "again" });
    await world.turns(6);
    const after = [await world.all(Pods), await world.all(restoreResource)].map(({ length }) => length);
    expect(after).toEqual(before);
    expect(await world.all(restoreJobResource)).toEqual([]);
  });

  test("into another namespace is none for pods, which would write in their own", async () => {
    const { world, restored } = await withBackup(JOB);
    await using _ = world;
    const annotations = { "backups.cozystack.io/allowed-restore-namespaces": NAMESPACE };
    await world.client.create(Namespaces, { metadata: { name: "other", annotations } });
    const pods = await world.all(Pods);
    const spec = { backupRef: { name: "first" }, targetNamespace: "other" };
    await world.create(restoreJobResource, "away", spec);
    await restored("away", "Failed");
    expect(reasonOf(await world.get(restoreJobResource, "away"))).toBe("TargetNamespaceUnsupported");
    expect(await world.all(Pods)).toHaveLength(pods.length);
  });

  test("into a namespace that does not exist yet waits for it, and for its consent", async () => {
    const { world } = await withBackup();
    await using _ = world;
    const spec = { backupRef: { name: "first" }, targetNamespace: "later" };
    const job = await world.create(restoreJobResource, "away", spec);
    await world.turns(3);
    const waiting = await world.get(restoreJobResource, "away");
    expect([reasonOf(waiting), waiting.status?.strategyRef]).toEqual(["NamespaceNotFound", undefined]);
    // As operators before this one left it, or anybody who may write a status.
    const strategyRef = { apiGroup: "strategy.backups.cozystack.io", ...VOLUMES };
    const status = { phase: "Running", startedAt: "2026-01-01T00:00:00Z", strategyRef };
    await world.patch(restoreJobResource, job, { status }, "status");
    await world.client.create(Namespaces, { metadata: { name: "later" } });
    await world.turns(5);
    expect(reasonOf(await world.get(restoreJobResource, "away"))).toBe("CrossNamespaceForbidden");
    expect(await world.all(restoreResource)).toEqual([]);
  });

  test("into another namespace waits for its consent, works there, and leaves nothing behind", async () => {
    const { world, restored } = await withBackup();
    await using _ = world;
    const other = await world.client.create(Namespaces, { metadata: { name: "other" } });
    const spec = { backupRef: { name: "first" }, targetNamespace: "other" };
    await world.create(restoreJobResource, "away", spec);
    await world.turns(3);
    const waiting = await world.get(restoreJobResource, "away");
    expect(reasonOf(waiting)).toBe("CrossNamespaceForbidden");
    expect(await world.all(restoreResource)).toEqual([]);
    const annotations = { "backups.cozystack.io/allowed-restore-namespaces": NAMESPACE };
    await world.patch(Namespaces, other, { metadata: { annotations } });
    await world.until("it works there", async () => (await world.all(restoreResource)).length === 2);
    const [one] = await world.all(restoreResource);
    expect(one).toMatchObject({
      metadata: { namespace: "other" },
      spec: { source: { backupRef: { namespace: NAMESPACE } } },
    });
    await restored("away", "Succeeded");
    await world.turns(3);
    expect(await world.all(restoreResource)).toEqual([]);
    expect((await world.get(restoreJobResource, "away")).metadata.finalizers ?? []).toEqual([]);
  });
});

test("a namespace that is deleted takes all of its objects along, without waiting for a driver", async () => {
  const { world, outside, backedUp } = await enter();
  await using _ = world;
  await world.create(backupClassResource, "standard", classOf(VOLUMES));
  await world.create(backupJobResource, "first", BY_STANDARD);
  await backedUp("first", "Succeeded");
  outside.how = "waits";
  await world.create(backupJobResource, "second", BY_STANDARD);
  await backedUp("second", "Running");
  await world.client.delete(Namespaces, { name: NAMESPACE });
  await world.turns(10);
  expect(await world.all(backupResource)).toEqual([]);
  expect(await world.all(backupJobResource)).toEqual([]);
});

import { expect, test } from "vitest";
import { cozystack } from "../../src/apis/cozystack/api.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../src/kinds/cozystack/generated/backup_job.ts";
import { jobResource } from "../../src/kinds/cozystack/generated/job.ts";
import { planResource } from "../../src/kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import { volumeResource } from "../../src/kinds/cozystack/generated/volume.ts";
import { backupResource as nativeBackupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { StatefulSets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject, Partially } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { APIS } from "../../src/main/apis.ts";
import { podDraft } from "./claim_pod.ts";
import { FOREIGN, ForeignDriver } from "./foreign_driver.ts";
import { HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const DATABASE = { apiGroup: "apps", kind: "StatefulSet", name: "db" };
const VOLUMES = ["data-db-0", "data-db-1"] as const;

/** An application of two volumes, planned, backed up by the drivers that we ship, damaged, restored and copied. */
export function cozystackPlans(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(
    () => open({ apis: [...APIS.filter(({ name }) => name !== cozystack.name), cozystack] }),
    (opened) => {
      world = opened;
    },
  );

  /** The server fills in the defaults, so a spec need not be whole. */
  async function create<T extends KubeObject & { readonly spec: object }>(
    resource: Resource<T>,
    metadata: { readonly name: string; readonly namespace?: string },
    spec: Partially<T["spec"]>,
  ): Promise<T> {
    return world.client.create(resource, { metadata, spec } as unknown as Draft<T>);
  }

  /** A StatefulSet that has no pods, with two volumes that belong to it. */
  async function application(stage: Stage): Promise<void> {
    const { namespace } = stage;
    for (const volume of VOLUMES) await stage.filledClaim(volume, HOUSEHOLD);
    await world.client.create(StatefulSets, {
      metadata: { namespace, name: "db" },
      spec: {
        replicas: 0,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "main", image: world.moverImage }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } },
          },
        ],
      },
    });
  }

  test("a Plan has volumes backed up, and RestoreJobs bring them back in place and as a copy", {
    timeout: 400_000,
  }, async () => {
    const { client } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await application(stage);
    const wanted = await Promise.all(VOLUMES.map((volume) => stage.describe(volume)));
    const plan = await create(
      planResource,
      { namespace, name: "nightly" },
      {
        applicationRef: DATABASE,
        backupClassName: namespace,
        schedule: { cron: "* * * * *" },
      },
    );
    // The class, the strategy and the repository come later than the Plan, as manifests do.
    await stage.repositoryOnVolume();
    await create(
      volumeResource,
      { name: namespace },
      {
        repository: { kind: "Repository", name: "repository" },
        copyMethod: "Direct",
        groupBy: "None",
        mover: { privilegedMode: true },
      },
    );
    await create(
      backupClassResource,
      { name: namespace },
      {
        strategies: [{ strategyRef: { kind: "Volume", name: namespace }, application: DATABASE }],
      },
    );
    const backup = await stage.eventually("the Plan has made a Backup", async () => {
      const { items } = await client.list(backupResource, { namespace });
      const value = items.find(({ status }) => status?.phase === "Ready");
      return { done: value !== undefined, value };
    });
    await client.patch(
      planResource,
      { namespace, name: "nightly" },
      {
        type: "merge",
        patch: { spec: { suspend: true } },
      },
    );
    const { name } = (backup as Backup).metadata;
    expect(backup).toMatchObject({
      spec: {
        applicationRef: DATABASE,
        planRef: { name: "nightly" },
        strategyRef: { apiGroup: "strategy.backups.cozystack.io", kind: "Volume", name: namespace },
      },
      status: { phase: "Ready", artifact: { uri: expect.stringContaining("holdfast://") } },
    });
    expect(backup?.metadata.ownerReferences).toBeUndefined();
    const job = await stage.until(backupJobResource, name, "Succeeded", ["Failed"]);
    expect(job.metadata.ownerReferences?.[0]?.uid).toBe(plan.metadata.uid);
    expect(job.status).toMatchObject({ backupRef: { name }, startedAt: expect.any(String) });

    await world.put({ namespace, name: VOLUMES[0] }, [{ path: "stray", file: { text: "damage" } }]);
    await create(restoreJobResource, { namespace, name: "again" }, { backupRef: { name } });
    await create(
      restoreJobResource,
      { namespace, name: "beside" },
      {
        backupRef: { name },
        targetApplicationRef: { ...DATABASE, name: "copy" },
      },
    );
    await stage.until(restoreJobResource, "again", "Succeeded", ["Failed"]);
    await stage.until(restoreJobResource, "beside", "Succeeded", ["Failed"]);
    for (const [index, volume] of [...VOLUMES, "data-copy-0", "data-copy-1"].entries()) {
      const found = treeDifferences(wanted[index % VOLUMES.length] ?? [], await stage.describe(volume));
      expect([volume, found]).toEqual([volume, []]);
    }

    // Without its Plan, the Backup stays. Deleting it deletes the snapshots.
    await client.delete(planResource, { namespace, name: "nightly" });
    await stage.gone(backupJobResource, name);
    const { items: before } = await client.list(nativeBackupResource, { namespace });
    const native = before.find(({ metadata }) => metadata.name.startsWith(name));
    expect(native).toBeDefined();
    await stage.remove(backupResource, name);
    await stage.gone(nativeBackupResource, native?.metadata.name ?? "");
  });

  test("pods that an administrator describes back an application up, and restore it", {
    timeout: 300_000,
  }, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await application(stage);
    await stage.claim("dumps");
    const script = (text: string) =>
      podDraft(stage, {
        name: "pod",
        claim: "dumps",
        image: world.moverImage,
        script: `require("fs").appendFileSync("/data/log", ${JSON.stringify(text)} + "\\n")`,
      });
    const template = ({ spec }: ReturnType<typeof script>) =>
      ({ spec }) as unknown as Record<string, unknown>;
    await create(
      jobResource,
      { name: namespace },
      {
        template: template(script("{{ .Mode }} {{ .Application.metadata.name }} {{ .Parameters.level }}")),
        deleteTemplate: template(script("{{ .Mode }} {{ .Backup.metadata.name }}")),
        artifact: { uri: "file:///{{ .Backup.metadata.name }}" },
      },
    );
    const strategy = (level: string) => ({
      strategies: [
        { strategyRef: { kind: "Job", name: namespace }, application: DATABASE, parameters: { level } },
      ],
    });
    await create(backupClassResource, { name: namespace }, strategy("full"));
    const spec = { applicationRef: DATABASE, backupClassName: namespace };
    await create(backupJobResource, { namespace, name: "dump" }, spec);
    await stage.until(backupJobResource, "dump", "Succeeded", ["Failed"]);
    const backup = await stage.until(backupResource, "dump", "Ready");
    expect(backup.spec.driverMetadata).toEqual({ level: "full" });
    expect(backup.status?.artifact?.uri).toBe("file:///dump");

    // The class changes: the restore goes by what was true at backup time.
    const patch = { spec: strategy("none") };
    await world.client.patch(backupClassResource, { name: namespace }, { type: "merge", patch });
    await create(restoreJobResource, { namespace, name: "load" }, { backupRef: { name: "dump" } });
    await stage.until(restoreJobResource, "load", "Succeeded", ["Failed"]);
    await stage.remove(backupResource, "dump");
    const [log] = await stage.describe("dumps");
    expect(log).toBeDefined();
    const { readFile } = await import("node:fs/promises");
    const folder = await world.folderOf({ namespace, name: "dumps" });
    expect(await readFile(`${folder}/log`, "utf8")).toBe("backup db full\nrestore db full\ndelete dump\n");

    await create(
      backupJobResource,
      { namespace, name: "nobody" },
      {
        ...spec,
        applicationRef: { ...DATABASE, name: "nobody" },
      },
    );
    const failed = await stage.until(backupJobResource, "nobody", "Failed");
    expect(failed.status?.message).toBe(
      `StatefulSet ${namespace}/nobody does not exist. Create it, or correct applicationRef.`,
    );
  });

  test("a driver of a third party works through the objects of the contract alone", {
    timeout: 120_000,
  }, async () => {
    const { client } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await create(
      backupClassResource,
      { name: namespace },
      {
        strategies: [
          { strategyRef: FOREIGN, application: { kind: "Mailbox" }, parameters: { drive: "left" } },
        ],
      },
    );
    const applicationRef = { kind: "Mailbox", name: "post" };
    await create(
      backupJobResource,
      { namespace, name: "first" },
      { applicationRef, backupClassName: namespace },
    );
    // Before it runs, the job waits for it, and no driver of ours touches the job.
    const waiting = await stage.eventually("the job waits for its driver", async () => {
      const value = await client.get(backupJobResource, { namespace, name: "first" });
      return { done: value.status?.strategyRef !== undefined, value };
    });
    expect(waiting.status).toMatchObject({
      phase: "Pending",
      message: "Waiting for the driver for Tape of tapes.example.com.",
      strategyRef: FOREIGN,
      parameters: { drive: "left" },
    });
    await using driver = new ForeignDriver(client, { namespace });
    const job = await stage.until(backupJobResource, "first", "Succeeded", ["Failed"]);
    expect(job.status?.backupRef).toEqual({ name: "first" });
    await create(restoreJobResource, { namespace, name: "again" }, { backupRef: { name: "first" } });
    const restored = await stage.until(restoreJobResource, "again", "Failed", ["Succeeded"]);
    expect(restored.status?.message).toBe("The tape is torn.");
    expect(driver.done).toEqual(["backup post left", "restore post left"]);
    // What is not ours to delete goes at once.
    await stage.remove(backupResource, "first");
  });
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { cozystack } from "../../src/apis/cozystack/api.ts";
import { sampleBackup } from "../../src/apis/cozystack/testing/samples.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../src/kinds/cozystack/generated/backup_job.ts";
import { jobResource } from "../../src/kinds/cozystack/generated/job.ts";
import { planResource } from "../../src/kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import { volumeResource } from "../../src/kinds/cozystack/generated/volume.ts";
import { backupResource as nativeBackupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { isAlreadyExists, isForbidden } from "../../src/kube/api_error.ts";
import { Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { findResource } from "../../src/kube/client/find_resource.ts";
import { type Draft, groupOf, type KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { APIS } from "../../src/main/apis.ts";
import { podDraft } from "./claim_pod.ts";
import { exampleRules } from "./cozystack_roles.ts";
import { CozystackStage, DATABASE, VOLUMES } from "./cozystack_stage.ts";
import {
  FOREIGN,
  ForeignDriver,
  foreignKindsServed,
  installForeignKinds,
  MAILBOXES,
  TAPES,
} from "./foreign_driver.ts";
import { HOUSEHOLD } from "./household.ts";
import { KEEPER, StatefulWorkload } from "./stateful_workload.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/cozystack");

/**
 * An application of two volumes, planned by a tenant, backed up by several drivers, damaged, restored and copied. `more`:
 * what only such a world can show.
 */
export function cozystackPlans(open: OpenWorld, more?: (world: () => ScenarioWorld) => void): void {
  let world: ScenarioWorld;

  withWorld(
    () =>
      open({
        apis: [...APIS.filter(({ name }) => name !== cozystack.name), cozystack],
        guards: [cozystack],
      }),
    (opened) => {
      world = opened;
    },
  );

  test("a tenant's Plans back volumes up by two drivers, and RestoreJobs bring them back in place and as copies", {
    timeout: 400_000,
  }, async () => {
    const { client } = world;
    await using at = await CozystackStage.enter(world);
    const { stage, namespace } = at;
    await at.application();
    await at.filled();
    const wanted = await Promise.all(VOLUMES.map((volume) => stage.describe(volume)));
    const [byVolumes, byPods] = [`${namespace}-volumes`, `${namespace}-pods`];
    const plan = (backupClassName: string) => ({
      applicationRef: DATABASE,
      backupClassName,
      schedule: { cron: "* * * * *" },
    });
    const nightly = await at.plans(planResource, "nightly", plan(byVolumes));
    await at.plans(planResource, "dumps", plan(byPods));
    // The classes, the strategies and the repository come later than the Plans, as manifests do.
    await at.volumeClass(byVolumes);
    await at.podClass(byPods);
    const backup = await at.backupOf("nightly");
    const dump = await at.backupOf("dumps");
    for (const name of ["nightly", "dumps"]) {
      const patch = { type: "merge", patch: { spec: { suspend: true } } } as const;
      await at.tenant.client.patch(planResource, { namespace, name }, patch);
    }
    const { name } = backup.metadata;
    expect(backup).toMatchObject({
      spec: {
        applicationRef: DATABASE,
        planRef: { name: "nightly" },
        strategyRef: { apiGroup: "strategy.backups.cozystack.io", kind: "Volume", name: byVolumes },
      },
      status: { phase: "Ready", artifact: { uri: expect.stringContaining("holdfast://") } },
    });
    expect(backup.metadata.ownerReferences).toBeUndefined();
    const job = await stage.until(backupJobResource, name, "Succeeded", ["Failed"]);
    expect(job.metadata.ownerReferences?.[0]?.uid).toBe(nightly.metadata.uid);
    expect(job.status).toMatchObject({ backupRef: { name }, startedAt: expect.any(String) });
    expect(dump).toMatchObject({
      spec: { strategyRef: { kind: "Job", name: byPods }, driverMetadata: { password: "a-password" } },
      status: { artifact: { uri: `restic:///dumps/${dump.metadata.name}` } },
    });

    const restored = async (restore: string, of: string, target?: string) => {
      const targetApplicationRef = { ...DATABASE, name: target ?? "" };
      await at.plans(restoreJobResource, restore, {
        backupRef: { name: of },
        ...(target ? { targetApplicationRef } : {}),
      });
      await stage.until(restoreJobResource, restore, "Succeeded", ["Failed"]);
      return [restore, await at.differences(target ?? "db", wanted)];
    };
    await at.damage();
    expect(await at.differences("db", wanted)).not.toEqual([]);
    expect(await restored("from-volumes", name)).toEqual(["from-volumes", []]);
    await at.damage();
    expect(await restored("from-pods", dump.metadata.name)).toEqual(["from-pods", []]);
    // One driver makes the volumes of a copy, the other fills those that are there.
    await at.application("beside");
    for (const n of VOLUMES.keys()) await stage.claim(`data-beside-${n}`);
    const copies = [
      restored("copy-of-volumes", name, "copy"),
      restored("copy-of-pods", dump.metadata.name, "beside"),
    ];
    expect(await Promise.all(copies)).toEqual([
      ["copy-of-volumes", []],
      ["copy-of-pods", []],
    ]);
    expect(await at.differences("db", wanted)).toEqual([]);

    // Without its Plan, the Backup stays. Deleting it deletes the snapshots.
    await at.tenant.client.delete(planResource, { namespace, name: "nightly" });
    await stage.gone(backupJobResource, name);
    const { items: before } = await client.list(nativeBackupResource, { namespace });
    const native = before.find(({ metadata }) => metadata.name.startsWith(name));
    expect(native).toBeDefined();
    await at.tenant.client.delete(backupResource, { namespace, name });
    await stage.gone(backupResource, name);
    await stage.gone(nativeBackupResource, native?.metadata.name ?? "");
  });

  test("a workload of two volumes goes down for their restore, and starts when both are whole", {
    timeout: 300_000,
  }, async () => {
    const { client, moverImage } = world;
    await using at = await CozystackStage.enter(world);
    const { stage, namespace } = at;
    const volumes = ["data", "log"];
    for (const volume of volumes) await stage.filledClaim(volume, HOUSEHOLD);
    const described = () => Promise.all(volumes.map((volume) => stage.describe(volume)));
    const wanted = await described();
    const differences = async () =>
      (await described()).flatMap((one, n) => treeDifferences(wanted[n] ?? [], one));
    await at.volumeClass(namespace);
    // One volume is restored after the other.
    const oneRun = { type: "merge", patch: { spec: { concurrency: { maxRuns: 1 } } } } as const;
    await client.patch(repositoryResource, { namespace, name: "repository" }, oneRun);
    await using workload = await StatefulWorkload.start(stage, moverImage, "data", "log");
    const spec = { applicationRef: { ...DATABASE, name: KEEPER }, backupClassName: namespace };
    await at.plans(backupJobResource, "first", spec);
    await stage.until(backupJobResource, "first", "Succeeded", ["Failed"]);
    const damage = [{ path: "stray", file: { text: "damage" } }];
    for (const name of volumes) await world.put({ namespace, name }, damage);
    expect(await differences()).not.toEqual([]);
    await at.plans(restoreJobResource, "again", { backupRef: { name: "first" } });
    const early: unknown[] = [];
    const job = await stage.eventually("the volumes are restored", async () => {
      const seen = await workload.seen();
      const { items } = await client.list(restoreResource, { namespace });
      const phases = items.map(({ status }) => status?.phase);
      const isHalf = phases.includes("Completed") && phases.some((phase) => phase !== "Completed");
      if (isHalf && seen.replicas !== 0) early.push({ phases, ...seen });
      const value = await client.get(restoreJobResource, { namespace, name: "again" });
      return { done: value.status?.completedAt !== undefined, value };
    });
    expect(job.status).toMatchObject({ phase: "Succeeded", message: "2 volumes are restored." });
    expect(early).toEqual([]);
    expect(await differences()).toEqual([]);
    await workload.isBack();
  });

  test("pods that an administrator describes back an application up, and restore it", {
    timeout: 300_000,
  }, async () => {
    await using at = await CozystackStage.enter(world);
    const { stage, namespace } = at;
    await at.application();
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
    await at.create(jobResource, namespace, {
      template: template(script("{{ .Mode }} {{ .Application.metadata.name }} {{ .Parameters.level }}")),
      deleteTemplate: template(script("{{ .Mode }} {{ .Backup.metadata.name }}")),
      artifact: { uri: "file:///{{ .Backup.metadata.name }}" },
    });
    const strategy = (level: string) => ({
      strategies: [
        { strategyRef: { kind: "Job", name: namespace }, application: DATABASE, parameters: { level } },
      ],
    });
    await at.create(backupClassResource, namespace, strategy("full"));
    const spec = { applicationRef: DATABASE, backupClassName: namespace };
    await at.create(backupJobResource, "dump", spec);
    await stage.until(backupJobResource, "dump", "Succeeded", ["Failed"]);
    const backup = await stage.until(backupResource, "dump", "Ready");
    expect(backup.spec.driverMetadata).toEqual({ level: "full" });
    expect(backup.status?.artifact?.uri).toBe("file:///dump");

    // The class changes: the restore goes by what was true at backup time.
    const patch = { spec: strategy("none") };
    await world.client.patch(backupClassResource, { name: namespace }, { type: "merge", patch });
    await at.create(restoreJobResource, "load", { backupRef: { name: "dump" } });
    await stage.until(restoreJobResource, "load", "Succeeded", ["Failed"]);
    await stage.remove(backupResource, "dump");
    const [log] = await stage.describe("dumps");
    expect(log).toBeDefined();
    const { readFile } = await import("node:fs/promises");
    const folder = await world.folderOf({ namespace, name: "dumps" });
    expect(await readFile(`${folder}/log`, "utf8")).toBe("backup db full\nrestore db full\ndelete dump\n");

    await at.create(backupJobResource, "nobody", {
      ...spec,
      applicationRef: { ...DATABASE, name: "nobody" },
    });
    const failed = await stage.until(backupJobResource, "nobody", "Failed");
    expect(failed.status?.message).toBe(
      `StatefulSet ${namespace}/nobody does not exist. Create it, or correct applicationRef.`,
    );
  });

  test("a driver of a third party, a program with rights of its own, works through the objects of the contract alone", {
    timeout: 120_000,
  }, async () => {
    const { client } = world;
    await using at = await CozystackStage.enter(world);
    const { stage, namespace } = at;
    await installForeignKinds(client);
    await foreignKindsServed(client);
    const tape = { ...FOREIGN, name: namespace };
    await at.create(TAPES, namespace, {});
    const application = { kind: "Mailbox" };
    await at.create(backupClassResource, namespace, {
      strategies: [{ strategyRef: tape, application, parameters: { drive: "left" } }],
    });
    const letters = ["Dear tenant,", "Dear landlord,"];
    const mailbox = { namespace, name: "post" };
    await at.create(MAILBOXES, "post", { letters });
    const applicationRef = { ...application, name: "post" };
    await at.plans(backupJobResource, "first", { applicationRef, backupClassName: namespace });
    // Before it runs, the job waits for it, and no driver of ours touches the job.
    const waiting = await stage.eventually("the job waits for its driver", async () => {
      const value = await client.get(backupJobResource, { namespace, name: "first" });
      return { done: value.status?.strategyRef !== undefined, value };
    });
    expect(waiting.status).toMatchObject({
      phase: "Pending",
      message: "Waiting for the driver for Tape of tapes.example.com.",
      strategyRef: tape,
      parameters: { drive: "left" },
    });
    await using _ = await ForeignDriver.start(world, namespace);
    const job = await stage.until(backupJobResource, "first", "Succeeded", ["Failed"]);
    expect(job.status?.backupRef).toEqual({ name: "first" });
    // It made the job its owner, as the document says. Without the job, the Backup stays.
    await stage.eventually("the Backup has no owner", async () => {
      const value = await client.get(backupResource, { namespace, name: "first" });
      return { done: value.metadata.ownerReferences === undefined, value };
    });
    await at.tenant.client.delete(backupJobResource, { namespace, name: "first" });
    await stage.gone(backupJobResource, "first");

    const held = async (name: string) => (await client.get(MAILBOXES, { namespace, name })).spec;
    await client.patch(MAILBOXES, mailbox, { type: "merge", patch: { spec: { letters: ["spam"] } } });
    await at.plans(restoreJobResource, "again", { backupRef: { name: "first" } });
    await stage.until(restoreJobResource, "again", "Succeeded", ["Failed"]);
    expect(await held("post")).toEqual({ letters });
    const targetApplicationRef = { ...application, name: "copy" };
    await at.plans(restoreJobResource, "beside", { backupRef: { name: "first" }, targetApplicationRef });
    await stage.until(restoreJobResource, "beside", "Succeeded", ["Failed"]);
    expect(await held("copy")).toEqual({ letters });
    await client.patch(TAPES, { name: namespace }, { type: "merge", patch: { spec: { torn: ["restore"] } } });
    await at.plans(restoreJobResource, "torn", { backupRef: { name: "first" } });
    const failed = await stage.until(restoreJobResource, "torn", "Failed", ["Succeeded"]);
    expect(failed.status?.message).toBe("The tape is torn.");
    // What is not ours to delete goes at once.
    await at.tenant.client.delete(backupResource, { namespace, name: "first" });
    await stage.gone(backupResource, "first");
  });

  test("a tenant plans in the own namespace, and neither there nor elsewhere does more", {
    timeout: 120_000,
  }, async () => {
    await using at = await CozystackStage.enter(world);
    await using other = await CozystackStage.enter(world);
    const { namespace, tenant } = at;
    await using administrator = await world.account({
      rules: { cluster: exampleRules("backup-administrator"), home: [] },
      home: namespace,
    });
    const answer = (doing: Promise<unknown>) =>
      doing.then(
        () => "done",
        (error: unknown) => {
          if (isForbidden(error)) return "forbidden";
          throw error;
        },
      );
    const strategies = [{ strategyRef: { kind: "Volume", name: namespace }, application: DATABASE }];
    const volumes = { repository: { kind: "Repository" as const, name: "repository" } };
    const plan = {
      applicationRef: DATABASE,
      backupClassName: namespace,
      schedule: { cron: "0 0 1 1 *" },
      suspend: true,
    };
    const run = { applicationRef: DATABASE, backupClassName: namespace };
    const { client } = tenant;
    const elsewhere = { namespace: other.namespace, name: "theirs" };
    const mine = { namespace, name: "mine" };
    const patch = { type: "merge", patch: { spec: { backupClassName: "other" } } } as const;
    const status = { type: "merge", patch: { status: { phase: "Succeeded" } } } as const;
    await other.plans(planResource, "theirs", plan);
    await at.plans(planResource, "mine", plan);
    const asked: Readonly<Record<string, () => Promise<unknown>>> = {
      "the administrator makes a strategy": () =>
        at.create(volumeResource, namespace, volumes, administrator.client),
      "the administrator makes a class": () =>
        at.create(backupClassResource, namespace, { strategies }, administrator.client),
      "the tenant sees it": () => client.get(backupClassResource, { name: namespace }),
      "the tenant backs up": () => at.plans(backupJobResource, "now", run),
      "the tenant restores": () => at.plans(restoreJobResource, "again", { backupRef: { name: "now" } }),
      "the tenant changes the own Plan": () => client.patch(planResource, mine, patch),
      "the administrator lists Backups": () => administrator.client.list(backupResource, { namespace }),
    };
    const refused: Readonly<Record<string, () => Promise<unknown>>> = {
      "the tenant makes a class": () => at.plans(backupClassResource, `${namespace}-own`, { strategies }),
      "the tenant changes one": () =>
        client.patch(
          backupClassResource,
          { name: namespace },
          { type: "merge", patch: { spec: { strategies } } },
        ),
      "the tenant deletes one": () => client.delete(backupClassResource, { name: namespace }),
      "the tenant makes a strategy": () => at.plans(volumeResource, `${namespace}-own`, volumes),
      "the tenant reads one": () => client.get(volumeResource, { name: namespace }),
      "the tenant reads one of pods": () => client.list(jobResource),
      "the tenant writes a Backup": () => at.plans(backupResource, "forged", sampleBackup("forged").spec),
      "the tenant ends a job": () =>
        client.patch(backupJobResource, { namespace, name: "now" }, status, { subresource: "status" }),
      "the tenant reads Secrets": () => client.list(Secrets, { namespace }),
      "the tenant plans elsewhere": () =>
        client.create(planResource, { metadata: { ...elsewhere, name: "x" }, spec: plan } as never),
      "the tenant changes a Plan there": () => client.patch(planResource, elsewhere, patch),
      "the tenant deletes it": () => client.delete(planResource, elsewhere),
      "the tenant lists Backups there": () => client.list(backupResource, { namespace: other.namespace }),
      "the tenant lists all Backups": () => client.list(backupResource),
      "the administrator plans": () => at.create(planResource, "x", plan, administrator.client),
      "the administrator backs up": () => at.create(backupJobResource, "x", run, administrator.client),
      "the administrator restores": () =>
        at.create(restoreJobResource, "x", { backupRef: { name: "now" } }, administrator.client),
      "the administrator deletes a Backup": () =>
        administrator.client.delete(backupResource, { namespace, name: "now" }),
    };
    for (const [what, doing] of Object.entries(asked))
      expect([what, await answer(doing())]).toEqual([what, "done"]);
    for (const [what, doing] of Object.entries(refused))
      expect([what, await answer(doing())]).toEqual([what, "forbidden"]);
  });

  test("the examples apply as they are", { timeout: 60_000 }, async () => {
    const { client } = world;
    for (const name of ["backups", "tenant-a", "tenant-a-staging"]) {
      await client.create(Namespaces, { metadata: { name } }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    const objects = readdirSync(EXAMPLES).flatMap((file) =>
      parseAllDocuments(readFileSync(join(EXAMPLES, file), "utf8")).map((one) => one.toJS() as KubeObject),
    );
    expect(objects.length).toBeGreaterThan(12);
    for (const object of objects) {
      const { kind = "" } = object;
      const group = groupOf(object);
      const resource = group === "" ? Secrets : await findResource(client, { group, kind }, {});
      if (!resource) throw new Error(`${kind} of ${group} is not served`);
      const draft = object as Draft<KubeObject>;
      const made = await client.create(resource as Resource, draft, { dryRun: true });
      // Nothing of it is unknown, and nothing is left out.
      const { stringData: _, ...kept } = object as KubeObject & { readonly stringData?: unknown };
      expect(made).toMatchObject(kept);
    }
  });

  more?.(() => world);
}

import { describe, expect, test } from "vitest";
import type { FoundEntry, TreeEntry } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Events, PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { restoredByHand } from "./bare_engine.ts";
import { capturedDifferences } from "./captured_differences.ts";
import { ExampleStage } from "./example_stage.ts";
import { keptByHand } from "./kept_by_hand.ts";
import { S3Proxy } from "./s3_proxy.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { withWorld } from "./with_world.ts";
import type { InstalledWorld, WorldOptions } from "./world.ts";

const MANUAL = "postgres-data-pre-migration";
const postgres = { uid: 999, gid: 999 };

/** What a database of one user keeps. */
const PAGES: readonly TreeEntry[] = [
  { path: "base", folder: {}, mode: 0o755, ...postgres },
  { path: "base/1", file: { random: { bytes: 400_000, seed: 1 } }, mode: 0o644, ...postgres },
  { path: "base/1.again", hardLink: "base/1" },
  {
    path: "base/sparse",
    file: { sparse: { size: 1_048_576, pieces: [{ offset: 65_536, text: "p" }] } },
    mode: 0o644,
    ...postgres,
  },
  { path: "current", symlink: "base/1", mtime: 1_650_000_000_000_000_000n, ...postgres },
  { path: "PG_VERSION", file: { text: "17\n" }, mode: 0o444, mtime: 1_600_000_000_123_456_789n, ...postgres },
];

/** The walkthroughs of the document, with the files of the examples as they are written. */
export function walkthroughs(
  open: (options: WorldOptions) => Promise<InstalledWorld>,
  engines: readonly EngineName[] = SCENARIO_ENGINES,
): void {
  let world: InstalledWorld;

  const opens = (options: WorldOptions) =>
    withWorld(
      () => open(options),
      (opened) => {
        world = opened;
      },
    );

  // The examples ask for no privileges, and the folder that a new volume comes with is root's: it stays as it is.
  const given = (entries: readonly FoundEntry[]) => entries.filter(({ path }) => path !== "");
  const same = (wanted: readonly FoundEntry[], found: readonly FoundEntry[]) =>
    expect(capturedDifferences(world, given(wanted), given(found))).toEqual([]);

  describe.each(engines)("with the chart's defaults, with %s", (engine) => {
    opens({});

    test("5.1, 5.6, 5.3: a volume on a schedule, a backup by hand, a restore by picking it", {
      timeout: 240_000,
    }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.filledClaim("postgres-data", PAGES);
      await stage.apply("01-single-pvc-scheduled.yaml");
      await stage.until(repositoryResource, "billing", "nas-primary", "Ready");
      await stage.until(backupConfigResource, "billing", "postgres-data", "Ready");
      const schedule = await stage.until(
        backupScheduleResource,
        "billing",
        "postgres-data-nightly",
        "Active",
      );
      expect(schedule.status?.nextSchedule).toBeDefined();
      const backup = await byHand(stage);
      await comesBack(stage, backup);
    });

    test("5.4: several volumes by a label, at one moment or each at its own", {
      timeout: 480_000,
    }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      for (const name of ["images", "orders"]) await stage.filledClaim(name, PAGES, { backup: "include" });
      await stage.filledClaim("scratch", PAGES);
      await stage.apply("01-single-pvc-scheduled.yaml");
      await stage.until(repositoryResource, "billing", "nas-primary", "Ready");
      await stage.apply("04-multi-pvc-selector.yaml");
      // No driver here takes several volumes at one moment: that is said, and not worked around.
      const key = { namespace: stage.named("billing"), name: "app-bundle" };
      await expect
        .poll(async () => (await world.client.get(backupConfigResource, key)).status?.conditions, {
          timeout: 60_000,
        })
        .toContainEqual(expect.objectContaining({ type: "GroupSnapshotSupported", status: "False" }));
      const patch = { spec: { groupBy: "None" } } as const;
      await world.client.patch(backupConfigResource, key, { type: "merge", patch });
      await stage.apply("06-manual-backup.yaml", (text) => text.replaceAll("postgres-data", "app-bundle"));
      const bundle = await stage.until(backupResource, "billing", "app-bundle-pre-migration", "Succeeded");
      expect(bundle.status?.snapshots?.map(({ pvc }) => pvc).toSorted()).toEqual(
        ["images", "orders"].map((name) => `${stage.named("billing")}/${name}`),
      );
      for (const claim of ["images", "orders"]) await comesBack(stage, bundle, claim);
    });

    test("5.5: first deployed empty, later deployed restored", { timeout: 300_000 }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.apply("01-single-pvc-scheduled.yaml");
      await stage.apply("05-deploy-or-restore-gitops.yaml");
      await bound(stage, "postgres-data");
      const empty = await stage.describe("postgres-data");
      expect(empty.map(({ path }) => path)).toEqual([""]);
      const namespace = stage.named("billing");
      await world.put({ namespace, name: "postgres-data" }, PAGES);
      const wanted = await stage.describe("postgres-data");
      await byHand(stage);
      await world.client.delete(restoreResource, { namespace, name: "postgres-data-restore" });
      await world.client.delete(PersistentVolumeClaims, { namespace, name: "postgres-data" });
      await gone(stage, "postgres-data");
      await stage.apply("05-deploy-or-restore-gitops.yaml");
      await bound(stage, "postgres-data");
      same(wanted, await stage.describe("postgres-data"));
    });

    test("5.7: a snapshot that the repository held before, by its Backup and by its identity", {
      timeout: 300_000,
    }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.filledClaim("postgres-data", PAGES);
      await stage.apply("01-single-pvc-scheduled.yaml");
      await unscheduled(stage);
      const made = await byHand(stage);
      const wanted = await stage.describe("postgres-data");
      const billing = stage.named("billing");
      // Its snapshot is retained, and foreign from now on.
      await world.client.delete(backupResource, { namespace: billing, name: MANUAL });
      await noBackups(stage);
      const found = await discovered(stage, made.status?.snapshot?.kopiaSnapshotID ?? "");
      expect(found.status).toMatchObject({ phase: "Discovered", origin: "discovered" });
      await stage.apply("07-restore-discovered.yaml", (text) =>
        text
          .replace(/name: found-\S+/, `name: ${found.metadata.name}`)
          .replace("hostname: billing", `hostname: ${billing}`)
          .replace("2026-05-23T20:00:00Z", "2999-01-01T00:00:00Z"),
      );
      for (const name of ["rescue-restore", "rescue-restore-by-identity"])
        await stage.until(restoreResource, "billing", name, "Completed");
      for (const claim of ["rescue-pvc", "rescue-pvc-by-identity"]) same(wanted, await stage.describe(claim));
    });

    test("5.8: a Backup is let go while its repository is away, and its snapshot is found again", {
      timeout: 300_000,
    }, async ({ skip }) => {
      const { s3, hostAddress, client } = world;
      if (!s3) return skip("this world has no S3 server");
      using proxy = await S3Proxy.to(s3.endpoint, hostAddress);
      await using stage = await ExampleStage.enter(
        { ...world, s3: { ...s3, endpoint: proxy.endpoint } },
        engine,
      );
      await stage.filledClaim("postgres-data", PAGES);
      await stage.apply("01-single-pvc-scheduled.yaml");
      await unscheduled(stage);
      const made = await byHand(stage, (text) => text.replace("Retain", "Delete"));
      proxy.manner = "away";

      const key = { namespace: stage.named("billing"), name: MANUAL };
      const patch = { metadata: { annotations: { [ANNOTATIONS.skipSnapshotCleanup]: "true" } } };
      await client.patch(backupResource, key, { type: "merge", patch });
      await client.delete(backupResource, key);
      await noBackups(stage);
      const events = () => client.list(Events, { namespace: key.namespace });
      await expect
        .poll(async () => (await events()).items.map(({ reason }) => reason), { timeout: 60_000 })
        .toContain("SnapshotOrphaned");

      proxy.manner = "well";
      const found = await discovered(stage, made.status?.snapshot?.kopiaSnapshotID ?? "");
      expect(found.status).toMatchObject({ phase: "Discovered", origin: "discovered" });
    });

    test("5.9 and the README's eighth: a schedule that rests, and housekeeping of one's own", {
      timeout: 240_000,
    }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.filledClaim("postgres-data", PAGES);
      await stage.apply("08-maintenance.yaml");
      await stage.apply("01-single-pvc-scheduled.yaml");
      await stage.until(repositoryResource, "billing", "nas-primary", "Ready");
      await stage.until(maintenanceResource, "billing", "nas-primary", "Ready");
      const namespace = stage.named("billing");
      const all = await world.client.list(maintenanceResource, { namespace });
      expect(all.items.map(({ metadata }) => metadata.name)).toEqual(["nas-primary"]);
      const key = { namespace: stage.named("billing"), name: "postgres-data-nightly" };
      await world.client.delete(backupScheduleResource, key);
      await stage.apply("09-suspended-schedule.yaml");
      await stage.until(backupScheduleResource, "billing", "postgres-data-nightly", "Suspended");
    });
  });

  describe.each(engines)("with Secrets lent, as their examples say, with %s", (engine) => {
    opens({ lending: true });

    test("5.2: a repository that a platform team shares", { timeout: 240_000 }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.filledClaim("postgres-data", PAGES);
      // restic has no choice of encryption.
      const chosen = /\n +encryption: AES256-GCM-HMAC-SHA256/;
      const edited = (text: string) => (engine === "restic" ? text.replace(chosen, "") : text);
      const shared = stage.named("shared-primary");
      // In a bucket that is empty, nothing is created before somebody allows it, and that is what it says.
      await stage.apply("02-cluster-repository.yaml", (text) =>
        edited(text).replace(/(create:\n +enabled:) true/, "$1 false"),
      );
      const empty = await stage.until(clusterRepositoryResource, "billing", shared, "Failed");
      expect(empty.status?.conditions).toContainEqual(
        expect.objectContaining({
          type: "Connected",
          reason: "NotARepository",
          message: expect.stringContaining("set create.enabled to true"),
        }),
      );
      const patch = { spec: { create: { enabled: true } } } as Partial<ClusterRepository>;
      await world.client.patch(clusterRepositoryResource, { name: shared }, { type: "merge", patch });
      // It stays Failed until the operator has seen the edit.
      const { status } = await stage.until(clusterRepositoryResource, "billing", shared, "Ready", []);
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "TenancyEnforced", status: "True", reason: "List" }),
      );
      const backup = await byHand(stage);
      expect(backup.status?.snapshot?.identity).toMatchObject({
        username: `${stage.named("billing")}-postgres-data`,
        hostname: stage.named("billing"),
      });
      await comesBack(stage, backup);
    });

    test("a repository in a namespace of its own outlives the application's", {
      timeout: 240_000,
    }, async () => {
      await using stage = await ExampleStage.enter(world, engine);
      await stage.filledClaim("postgres-data", PAGES);
      await stage.apply("repository-in-its-own-namespace.yaml");
      await stage.until(repositoryResource, "backups", "nas-primary", "Ready");
      await comesBack(stage, await byHand(stage));
    });
  });

  /** At night it would make a Backup of its own. */
  async function unscheduled(stage: ExampleStage): Promise<void> {
    const nightly = { namespace: stage.named("billing"), name: "postgres-data-nightly" };
    await world.client.delete(backupScheduleResource, nightly);
  }

  async function noBackups(stage: ExampleStage): Promise<void> {
    const namespace = stage.named("billing");
    await expect
      .poll(async () => (await world.client.list(backupResource, { namespace })).items.length, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe(0);
  }

  async function byHand(stage: ExampleStage, edit?: (text: string) => string): Promise<Backup> {
    await stage.until(backupConfigResource, "billing", "postgres-data", "Ready");
    await stage.apply("06-manual-backup.yaml", edit);
    const backup = await stage.until(backupResource, "billing", MANUAL, "Succeeded");
    expect(backup.status).toMatchObject({ origin: "manual" });
    return backup;
  }

  /** By our mover in everything, and by the bare engine in all that the bare engine keeps. */
  async function comesBack(stage: ExampleStage, backup: Backup, claim = "postgres-data"): Promise<void> {
    const wanted = await stage.describe(claim);
    const restore = `${claim}-yesterday`;
    await stage.apply("03-restore-by-backup.yaml", (text) =>
      text
        .replace("postgres-data-20260523-021300", `${backup.metadata.name}\n      pvc: ${claim}`)
        .replace("postgres-restore-yesterday", restore)
        .replace("postgres-data-restored", `${claim}-restored`),
    );
    const { status } = await stage.until(restoreResource, "billing", restore, "Completed");
    // Owner and time of the volume's own folder are not told; its rights may be.
    expect(
      status?.losses?.filter(
        ({ kind, count, examples }) =>
          kind !== "Mode" || count > 1 || !["", "."].includes(examples?.[0] ?? "?"),
      ) ?? [],
    ).toEqual([]);
    same(wanted, await stage.describe(`${claim}-restored`));
    const { s3 } = world;
    const made = backup.status?.snapshots?.find(({ pvc }) => pvc?.endsWith(`/${claim}`));
    if (!s3) throw new Error("this world has no S3 server");
    const { engine, prefix, password } = stage;
    const snapshot = made?.kopiaSnapshotID ?? "";
    const found = await restoredByHand({ engine, s3, prefix, password, snapshot, claim });
    same(keptByHand(engine, wanted), keptByHand(engine, found));
  }

  async function bound(stage: ExampleStage, name: string): Promise<void> {
    const key = { namespace: stage.named("billing"), name };
    await expect
      .poll(async () => (await world.client.get(PersistentVolumeClaims, key)).status?.phase, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe("Bound");
  }

  async function gone(stage: ExampleStage, name: string): Promise<void> {
    const namespace = stage.named("billing");
    await expect
      .poll(
        async () =>
          (await world.client.list(PersistentVolumeClaims, { namespace })).items.map(
            (one) => one.metadata.name,
          ),
        { timeout: 60_000, interval: 200 },
      )
      .not.toContain(name);
  }

  async function discovered(stage: ExampleStage, id: string): Promise<Backup> {
    const namespace = stage.named("billing");
    const key = { namespace, name: "nas-primary" };
    const look = async () => {
      const { items } = await world.client.list(backupResource, { namespace });
      return items.find(
        ({ status }) => status?.origin === "discovered" && status.snapshot?.kopiaSnapshotID === id,
      );
    };
    const patch = { metadata: { annotations: { [ANNOTATIONS.refreshCatalog]: new Date().toISOString() } } };
    await world.client.patch(repositoryResource, key, { type: "merge", patch });
    await expect.poll(look, { timeout: 120_000, interval: 300 }).toBeDefined();
    return (await look()) as Backup;
  }
}

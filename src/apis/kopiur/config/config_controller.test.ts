import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { Namespaces, PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { cachedLookup } from "../admission/lookup.ts";
import { clusterRepository, config, readyNas } from "../testing/samples.ts";
import { SimulatedCluster } from "../testing/simulated_cluster.ts";
import { SimulatedOperator } from "../testing/simulated_operator.ts";
import { configController } from "./config_controller.ts";

const namespace = "billing";

/** The controller at work on a repository of the namespace and one of the cluster, which is for gold. */
class World implements Disposable {
  readonly clock = new VirtualClock("2026-05-22T00:00:00Z");
  readonly cluster = new SimulatedCluster(this.clock);
  readonly #operator: SimulatedOperator;
  /** The schedules have been listed. */
  readonly listed: () => void;

  private constructor(mayList: boolean) {
    const { cluster, clock } = this;
    const { promise, resolve } = Promise.withResolvers<void>();
    const sync = { synced: mayList, whenSynced: () => promise };
    this.listed = () => {
      sync.synced = true;
      resolve();
    };
    if (mayList) resolve();
    this.#operator = new SimulatedOperator({
      cluster,
      clock,
      controllers: (ports) => {
        Object.defineProperties(ports.caches.schedules, {
          synced: { get: () => sync.synced },
          whenSynced: { value: sync.whenSynced },
        });
        const settings = { ...ports.settings, lendSecrets: true };
        return [
          configController({ ...ports, settings, lookup: cachedLookup(ports.caches, () => new Map()) }),
        ];
      },
    });
  }

  static async open({ mayList = true } = {}): Promise<World> {
    const world = new World(mayList);
    const { cluster } = world;
    await cluster.create(Namespaces, { metadata: { name: namespace } });
    const { spec, status } = readyNas();
    const metadata = { namespace, name: "nas" };
    await cluster.create(repositoryResource, { metadata, spec, ...(status ? { status } : {}) });
    const allowedNamespaces = { selector: { matchLabels: { tier: "gold" } } };
    const shared = clusterRepository({
      spec: { allowedNamespaces },
      status: { phase: "Ready", uniqueID: "id-2" },
    });
    await cluster.create(clusterRepositoryResource, { ...shared, metadata: { name: "shared" } });
    return world;
  }

  async write(name: string, spec: Partial<ReturnType<typeof config>["spec"]>): Promise<void> {
    await this.clock.advance(1000);
    const metadata = { namespace, name };
    await this.cluster.create(backupConfigResource, { metadata, spec: { ...config().spec, ...spec } });
  }

  /** Whether movers may have privileges. */
  async annotate(allowed: string | null): Promise<void> {
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: allowed };
    const patch = { metadata: { annotations } } as never;
    await this.cluster.patch(Namespaces, { name: namespace }, { type: "merge", patch });
  }

  async label(tier: string | null): Promise<void> {
    const patch = { metadata: { labels: { tier } } } as never;
    await this.cluster.patch(Namespaces, { name: namespace }, { type: "merge", patch });
  }

  /** Without any time passing: whatever happened is heard of at once. */
  async reasonOf(name: string): Promise<string | undefined> {
    await this.clock.advance(0);
    const { status } = await this.cluster.get(backupConfigResource, { namespace, name });
    return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
  }

  [Symbol.dispose](): void {
    this.#operator.kill();
  }
}

describe("configController()", () => {
  test("a BackupConfig that gave way to another can be run as soon as the other is gone", async () => {
    using world = await World.open();
    const identity = { username: "app", hostname: "host" };
    await world.write("first", { identity });
    await world.write("second", { identity });
    expect(await world.reasonOf("first")).toBe("Resolved");
    expect(await world.reasonOf("second")).toBe("IdentityCollision");
    await world.cluster.delete(backupConfigResource, { namespace, name: "first" });
    expect(await world.reasonOf("second")).toBe("Resolved");
  });

  test("a BackupConfig may use a ClusterRepository as long as its namespace is selected", async () => {
    using world = await World.open();
    await world.write("data", { repository: { kind: "ClusterRepository", name: "shared" } });
    expect(await world.reasonOf("data")).toBe("NamespaceNotAllowed");
    await world.label("gold");
    expect(await world.reasonOf("data")).toBe("Resolved");
    await world.label(null);
    expect(await world.reasonOf("data")).toBe("NamespaceNotAllowed");
  });

  test("a BackupConfig whose movers have privileges can be run as long as its namespace allows that", async () => {
    using world = await World.open();
    await world.write("data", { mover: { privilegedMode: true } });
    expect(await world.reasonOf("data")).toBe("PrivilegedMoverForbidden");
    await world.annotate("true");
    expect(await world.reasonOf("data")).toBe("Resolved");
    await world.annotate(null);
    expect(await world.reasonOf("data")).toBe("PrivilegedMoverForbidden");
  });

  test("a BackupConfig that names a PVC of no CSI driver cannot be run as soon as that is bound", async () => {
    using world = await World.open();
    await world.write("data", { copyMethod: "Clone" });
    const name = config().spec.sources[0]?.pvc?.name ?? "";
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await world.cluster.create(PersistentVolumeClaims, { metadata: { namespace, name }, spec });
    expect(await world.reasonOf("data")).toBe("Resolved");
    const nfs = { server: "nas", path: "/" };
    await world.cluster.create(PersistentVolumes, { metadata: { name: "pv" }, spec: { nfs } });
    const patch = { spec: { volumeName: "pv" } } as never;
    await world.cluster.patch(PersistentVolumeClaims, { namespace, name }, { type: "merge", patch });
    expect(await world.reasonOf("data")).toBe("NotACsiVolume");
    await world.cluster.patch(
      backupConfigResource,
      { namespace, name: "data" },
      { type: "merge", patch: { metadata: { generation: 2 }, spec: { copyMethod: "Direct" } } as never },
    );
    expect(await world.reasonOf("data")).toBe("Resolved");
  });

  test("a BackupConfig hears of its ClusterRepository", async () => {
    using world = await World.open();
    await world.label("gold");
    await world.write("data", { repository: { kind: "ClusterRepository", name: "other" } });
    expect(await world.reasonOf("data")).toBe("RepositoryNotFound");
    const shared = await world.cluster.get(clusterRepositoryResource, { name: "shared" });
    await world.cluster.create(clusterRepositoryResource, { ...shared, metadata: { name: "other" } });
    expect(await world.reasonOf("data")).toBe("Resolved");
  });

  test("a BackupConfig waits for the schedules only where it is repeated elsewhere, with their zone", async () => {
    using world = await World.open({ mayList: false });
    const pvcSelector = { namespaceSelector: { matchNames: [namespace, "shop"] } };
    await world.write("data", {});
    await world.write("reaching", { sources: [{ pvcSelector, sourcePathStrategy: "PVCName" }] });
    expect(await world.reasonOf("data")).toBe("Resolved");
    expect(await world.reasonOf("reaching")).toBeUndefined();
    world.listed();
    await world.clock.advance(1000);
    expect(await world.reasonOf("reaching")).toBeDefined();
  });
});

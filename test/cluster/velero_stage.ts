import { join } from "node:path";
import { velero } from "../../src/apis/velero/api.ts";
import {
  buildTree,
  describeTree,
  type FoundEntry,
  type TreeEntry,
  treeDifferences,
} from "../../src/engines/testing/tree.ts";
import { GROUP } from "../../src/kinds/velero/group.ts";
import { CRD_LABELS } from "../../src/kinds/velero/labels.ts";
import { DaemonSets, Namespaces, type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { component } from "../../tools/cluster/component.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { one, rendered } from "../machine/rendered_chart.ts";
import { podDraft } from "../scenarios/claim_pod.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { HOUSEHOLD } from "../scenarios/household.ts";
import { KopiaByHand } from "../scenarios/kopia_by_hand.ts";
import { Stage } from "../scenarios/stage.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import { apply, remove, theirCrds, VeleroServer } from "./velero_server.ts";

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

const theirs = (kind: string): Resource<Phased> => {
  return { group: GROUP, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
};
const Backups = theirs("Backup");
const Restores = theirs("Restore");
const BackupStorageLocations = theirs("BackupStorageLocation");

/** Velero's namespace. */
export const HOME = "velero";

/** What kopia itself keeps of a tree; of the times of symbolic links it keeps microseconds. */
const DATA: readonly TreeEntry[] = HOUSEHOLD.filter(
  (entry) => !("hardLink" in entry || "fifo" in entry || entry.xattrs) && typeof entry.path === "string",
).map((entry) => ("symlink" in entry ? { ...entry, mtime: 1_234_567_890_123_456_000n } : entry));
const SCRATCH: readonly TreeEntry[] = [
  { path: "cache", folder: {}, mode: 0o711, uid: 7, gid: 8 },
  { path: "cache/page", file: { text: "scratched\n" }, mode: 0o604, uid: 7, gid: 8, mtime: 1_600_000_000n },
];

/** What the two volumes of the pod hold. */
interface Volumes {
  readonly data: readonly FoundEntry[];
  readonly scratch: readonly FoundEntry[];
}

/** The cluster with a real Velero server and its kinds, our operator, and a namespace to back up. */
export class VeleroStage implements AsyncDisposable {
  readonly stage: Stage;
  readonly world: ScenarioWorld;
  readonly server: VeleroServer;
  readonly #stack: AsyncDisposableStack;

  private constructor(stage: Stage, server: VeleroServer, stack: AsyncDisposableStack) {
    this.stage = stage;
    this.world = stage.world;
    this.server = server;
    this.#stack = stack;
  }

  static async enter(): Promise<VeleroStage> {
    await using stack = new AsyncDisposableStack();
    const label = Object.entries(CRD_LABELS).map(([name, value]) => `${name}=${value}`);
    stack.defer(() => remove("crd,clusterrolebinding", "--selector", label.join()));
    const apis = [{ ...velero, crds: theirCrds }];
    const world = stack.use(await clusterWorld({ apis, ofApis: { velero: { namespace: HOME } } }));
    if (!world.s3) throw new Error("this world has no S3 server");
    const stage = stack.use(await Stage.enter(world, "kopia"));
    stack.defer(() => leave(world));
    const { namespace: prefix, password } = stage;
    const server = stack.use(await VeleroServer.start({ namespace: HOME, s3: world.s3, prefix, password }));
    await reached(stage, server, "default");
    return new VeleroStage(stage, server, stack.move());
  }

  /** A pod with a volume of a PVC and one of its own, both filled, alone in the namespace. What they hold. */
  async workload(): Promise<Volumes> {
    const { client, moverImage: image } = this.world;
    const { namespace } = this.stage;
    await remove("namespace", namespace);
    await client.create(Namespaces, { metadata: { name: namespace } });
    await this.stage.filledClaim("data", DATA);
    const script = "setInterval(() => {}, 1000)";
    await client.create(
      Pods,
      withScratch(podDraft(this.stage, { name: "web", claim: "data", image, script })),
    );
    await buildTree(this.#scratch(await this.running("web")), SCRATCH);
    return this.#volumes();
  }

  /** By whichever node agent runs. */
  async backUp(name: string, ...more: readonly string[]): Promise<void> {
    const which = ["--include-namespaces", this.stage.namespace, "--default-volumes-to-fs-backup", ...more];
    await this.server.command("backup", "create", name, ...which, "--wait");
    await this.#completed(Backups, name);
  }

  async restore(backup: string): Promise<void> {
    const name = `${backup}-back`;
    await this.server.command("restore", "create", name, "--from-backup", backup, "--wait");
    await this.#completed(Restores, name);
  }

  /** Another place for backups, in a folder of its own in the same bucket. */
  async createLocation(name: string): Promise<void> {
    await this.server.createLocation(name, `${this.stage.namespace}-${name}`);
    await reached(this.stage, this.server, name);
  }

  /** Deletes the namespace, restores it from a Backup, and says what is not as it was. */
  async differencesOfRestore(backup: string, before: Volumes): Promise<readonly string[]> {
    await remove("namespace", this.stage.namespace);
    await this.restore(backup);
    const { data, scratch } = await this.#volumes();
    return [...treeDifferences(before.data, data), ...treeDifferences(before.scratch, scratch)];
  }

  /** Through Velero, which takes the snapshots away first. */
  async deleteBackup(name: string): Promise<void> {
    await this.server.command("backup", "delete", name, "--confirm");
    await this.stage.eventually(`Backup ${name} is gone`, async () => {
      const { items } = await this.world.client.list(Backups, { namespace: HOME });
      const done = items.every(({ metadata }) => metadata.name !== name);
      return { done, value: this.server.lastWords() };
    });
  }

  /** The IDs of all snapshots in the namespace's repository, sorted, as a kopia finds them that has no cache yet. */
  async snapshots(): Promise<readonly string[]> {
    using kopia = new KopiaByHand(this.world, this.stage);
    return (await kopia.snapshots()).map(({ id }) => id).toSorted();
  }

  /** The node agent of our chart, which only holds the place. */
  useOurAgent(): Promise<void> {
    const values = { installScope: "cluster", "apis.velero.enabled": true, "image.pullPolicy": "Never" };
    return this.#use(one(rendered({ ...values, "velero.namespace": HOME }), "DaemonSet", "node-agent"));
  }

  /** `settings`: in the form of its ConfigMap. Default: none. */
  useTheirAgent(settings?: object): Promise<void> {
    return this.#use(...this.server.nodeAgentWith(settings));
  }

  running(pod: string): Promise<Pod> {
    const { stage } = this;
    return stage.eventually(`pod ${pod} runs`, async () => {
      const value = await stage.world.client.get(Pods, { namespace: stage.namespace, name: pod });
      return { done: value.status?.phase === "Running", value };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #use(...objects: readonly KubeObject[]): Promise<void> {
    await remove("daemonset", "node-agent", "--namespace", HOME);
    await apply(objects);
    await this.stage.eventually("the node agent runs", async () => {
      const value = await this.world.client.get(DaemonSets, { namespace: HOME, name: "node-agent" });
      return { done: (value.status?.numberReady ?? 0) > 0, value };
    });
  }

  async #completed(resource: Resource<Phased>, name: string): Promise<void> {
    const { status } = await this.world.client.get(resource, { namespace: HOME, name });
    if (status?.phase === "Completed") return;
    const told = await this.server.command(resource.kind.toLowerCase(), "describe", name, "--details");
    throw new Error(`${resource.kind} ${name} is ${status?.phase}: ${told}\n${this.server.lastWords()}`);
  }

  async #volumes(): Promise<Volumes> {
    const scratch = await describeTree(this.#scratch(await this.running("web")));
    return { data: kept(await this.stage.describe("data")), scratch: kept(scratch) };
  }

  /** The pod's own volume, as the node sees it. */
  #scratch({ metadata }: Pod): string {
    const info = readInfo(clusterFolder(process.env.HOLDFAST_TEST_CLUSTER ?? ""));
    const pods = join(`/proc/${component(info, "node").pid}/root`, info.directory, "node/pods");
    return join(pods, metadata.uid, "volumes/kubernetes.io~empty-dir/scratch");
  }
}

async function reached(stage: Stage, server: VeleroServer, location: string): Promise<void> {
  await stage.eventually("the server reaches its storage", async () => {
    const value = await stage.world.client.get(BackupStorageLocations, { namespace: HOME, name: location });
    return { done: value.status?.phase === "Available", value: server.lastWords() };
  });
}

/** A volume that no container mounts would be left out of a backup. */
function withScratch({ spec, ...draft }: Draft<Pod>): Draft<Pod> {
  const mount = { name: "scratch", mountPath: "/scratch" };
  const containers = (spec?.containers ?? []).map((container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  }));
  const volumes = [...(spec?.volumes ?? []), { name: "scratch", emptyDir: {} }];
  return { ...draft, spec: { ...spec, containers, volumes } };
}

/** kopia keeps no times of folders, and a restore leaves its mark where a pod may not remove it. */
function kept(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return entries
    .filter(({ path }) => path.split("/")[0] !== ".velero")
    .map((entry) => (entry.kind === "folder" ? { ...entry, mtime: "" } : entry));
}

/** Once the server has ended: it would put its finalizers on again, and with it gone they keep the namespace. */
async function leave({ client }: ScenarioWorld): Promise<void> {
  for (const { metadata } of (await client.list(Restores, { namespace: HOME })).items) {
    const patch = { metadata: { finalizers: null } };
    await client.patch(Restores, { namespace: HOME, name: metadata.name }, { type: "merge", patch });
  }
  await remove("namespace", HOME);
}

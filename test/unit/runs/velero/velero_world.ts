import type { Volume } from "kubernetes-types/core/v1.d.ts";
import { velero } from "../../../../src/apis/velero/api.ts";
import { PURGE_ANNOTATION } from "../../../../src/apis/velero/repository/purge.ts";
import { ControlPlane } from "../../../../src/embedded/control_plane.ts";
import { JobRunner } from "../../../../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../../../../src/embedded/store/memory_store.ts";
import { veleroCrds } from "../../../../src/kinds/velero/crds.ts";
import { backupRepositoryResource } from "../../../../src/kinds/velero/generated/backup_repository.ts";
import { backupStorageLocationResource } from "../../../../src/kinds/velero/generated/backup_storage_location.ts";
import {
  type PodVolumeBackup,
  podVolumeBackupResource,
} from "../../../../src/kinds/velero/generated/pod_volume_backup.ts";
import {
  type PodVolumeRestore,
  podVolumeRestoreResource,
} from "../../../../src/kinds/velero/generated/pod_volume_restore.ts";
import { type DataPathPhase, isFinal } from "../../../../src/kinds/velero/phases.ts";
import { isAlreadyExists } from "../../../../src/kube/api_error.ts";
import {
  ConfigMaps,
  Jobs,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  Pods,
} from "../../../../src/kube/builtin.ts";
import { lastSeen } from "../../../../src/kube/cache/cache.ts";
import { Informers } from "../../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../../src/kube/client/pod_client.ts";
import { Manager } from "../../../../src/kube/controller/manager.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { LimitedSender } from "../../../../src/kube/testing/limited_sender.ts";
import { EventRecorder } from "../../../../src/kube/write/events.ts";
import { HttpFailure, type HttpSender } from "../../../../src/lib/http.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { VirtualClock } from "../../../../src/lib/virtual_clock.ts";
import { compose } from "../../../../src/main/compose.ts";
import { silentLogger as log } from "../../../../src/observe/log.ts";
import { noWatchObserver } from "../../../../src/observe/observers.ts";
import { type Death, MortalSender } from "../../../scenarios/mortal_sender.ts";
import { scenarioRules } from "../../../scenarios/operator.ts";
import { APP_IMAGE, FakeNode, type Fate, MOVER_IMAGE, NODE } from "../fake_node.ts";
import { FakeRepository } from "../fake_repository.ts";

const HOME = "velero";
const SHOP = "shop";
const SETTINGS = { moverImage: MOVER_IMAGE };
const SECOND = 1_000;
const APP = { name: "app", image: APP_IMAGE, volumeMounts: [{ name: "data", mountPath: "/data" }] };

export interface VeleroWorldOptions {
  readonly fates?: readonly Fate[];
  /** Of movers that restore. Default: all succeed. */
  readonly restoreFates?: readonly Fate[];
  /** The volumes are of a PVC. Default: they are the pods' own. */
  readonly ofClaim?: boolean;
  /** Each operator dies as the next of these says; the last one lives. */
  readonly deaths?: readonly Death[];
}

interface Running {
  readonly sender: MortalSender;
  readonly stop: AbortController;
  ended: boolean;
}

/** This API on a control plane and a node in memory, in virtual time, with a pod of one volume. Movers are played. */
export class VeleroWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly repository = new FakeRepository();
  readonly client: HttpClient;
  readonly node: FakeNode;
  /** Writes that would bring a backup to this phase do not reach the API server. */
  refusing: DataPathPhase | undefined;
  /** The API server does not answer operators. */
  away = false;
  /** Of operators that start from now on. */
  moverImage = MOVER_IMAGE;
  /** The most pods of movers that were ever seen at once. */
  mostMovers = 0;
  /** The most backups that were ever seen to be prepared at once. */
  mostPreparing = 0;
  /** How often each restore was written when it had ended: a server takes each for a result. */
  readonly ends = new Map<string, number>();
  /** Requests of operators that read something, so far. */
  reads = 0;
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  /** The operator has its rights, and no others. */
  readonly #limited: LimitedSender;
  readonly #end = new AbortController();
  readonly #deaths: Death[];
  readonly #ofClaim: boolean;
  #operator: Running | undefined;

  constructor({ fates = [], restoreFates = [], deaths = [], ofClaim = false }: VeleroWorldOptions = {}) {
    const { clock, repository } = this;
    this.#ofClaim = ofClaim;
    this.#deaths = [...deaths];
    this.#plane = new ControlPlane({
      store: new MemoryStore({ clock }),
      crds: veleroCrds,
      clock,
      random: this.#random,
      podLogs: { read: (name: { readonly name: string }) => this.node.read(name) },
      podExec: { open: (pod, request) => this.node.open(pod, request) },
    });
    const rules = scenarioRules(SETTINGS, [velero]);
    this.#limited = new LimitedSender(this.#plane.sender, { rules, home: "holdfast" });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
    const { client } = this;
    this.node = new FakeNode({ client, clock, repository, fates: [...fates], restores: [...restoreFates] });
  }

  /** As a Velero server has prepared it: a location, a repository that is ready, and a pod to back up. */
  async start(): Promise<this> {
    const { client, clock } = this;
    const ports = { client, clock, random: this.#random, log };
    void this.#plane.run(this.#end.signal);
    for (const name of [HOME, SHOP]) await client.create(Namespaces, { metadata: { name } });
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const events = new EventRecorder({ writer: client, clock, random: this.#random, log, component: "job" });
    const caches = { jobs: informers.cache({ resource: Jobs }), pods: informers.cache({ resource: Pods }) };
    informers.cache({ resource: podVolumeRestoreResource }).onChange((change) => {
      const { metadata, status } = lastSeen(change);
      if (change.type === "removed" || !isFinal(status?.phase)) return;
      this.ends.set(metadata.name, (this.ends.get(metadata.name) ?? 0) + 1);
    });
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: NODE });
    void informers.run(this.#end.signal);
    void runner.controller.run(this.#end.signal, () => {});
    await client.create(Nodes, { metadata: { name: NODE } });
    await this.locate();
    await client.create(backupRepositoryResource, {
      metadata: { namespace: HOME, name: "shop-default-kopia" },
      spec: {
        volumeNamespace: SHOP,
        backupStorageLocation: "default",
        repositoryType: "kopia",
        maintenanceFrequency: "1h",
      },
      status: { phase: "Ready" },
    } as never);
    if (this.#ofClaim) await this.#claim();
    await client.create(Pods, {
      metadata: { namespace: SHOP, name: "web" },
      spec: {
        nodeName: NODE,
        containers: [APP],
        volumes: [this.#volume],
      },
    });
    await this.node.tick();
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    this.#end.abort(new Error("the test is over"));
    await this.clock.advance(0);
    const refused = [...this.#limited.refused];
    if (refused.length > 0) throw new Error(`the operator has no right to this: ${refused.join("; ")}`);
  }

  async locate(): Promise<void> {
    await this.client.create(backupStorageLocationResource, {
      metadata: { namespace: HOME, name: "default" },
      spec: { provider: "aws", objectStorage: { bucket: "b" } },
    } as never);
  }

  async unlocate(): Promise<void> {
    await this.client.delete(backupStorageLocationResource, { namespace: HOME, name: "default" });
  }

  async configure(json: object): Promise<void> {
    await this.client.create(ConfigMaps, {
      metadata: { namespace: HOME, name: "node-agent-config" },
      data: { json: JSON.stringify(json) },
    });
  }

  /** As a server creates it. */
  async backup(name: string): Promise<void> {
    const { metadata } = await this.client.get(Pods, { namespace: SHOP, name: "web" });
    await this.client.create(podVolumeBackupResource, {
      metadata: { namespace: HOME, name },
      spec: {
        backupStorageLocation: "default",
        node: NODE,
        pod: { kind: "Pod", namespace: SHOP, name: "web", uid: metadata.uid },
        repoIdentifier: "",
        uploaderType: "kopia",
        volume: "data",
      },
    });
  }

  /** The restore of a snapshot into a pod that waits for it, as a server creates both. */
  async restore(name: string): Promise<void> {
    const wait = { name: "restore-wait", image: APP_IMAGE };
    const { metadata } = await this.client.create(Pods, {
      metadata: { namespace: SHOP, name },
      spec: {
        nodeName: NODE,
        initContainers: [wait],
        containers: [APP],
        volumes: [this.#volume],
      },
    });
    await this.node.tick();
    const status = { initContainerStatuses: [{ ...wait, state: { running: {} } }] };
    const patch = { type: "merge", patch: { status } } as const;
    await this.client.patch(Pods, metadata, patch as never, { subresource: "status" });
    this.repository.snapshots.push({
      id: "abc",
      identity: { username: "default", hostname: "default", path: "p" },
      tags: {},
      startedAt: "2026-01-01T00:00:00Z",
      root: "k",
      fidelity: "Engine",
    });
    await this.client.create(podVolumeRestoreResource, {
      metadata: { namespace: HOME, name, labels: { "velero.io/restore-uid": "u" } },
      spec: {
        backupStorageLocation: "default",
        pod: { kind: "Pod", namespace: SHOP, name, uid: metadata.uid },
        repoIdentifier: "",
        snapshotID: "abc",
        sourceNamespace: SHOP,
        uploaderType: "kopia",
        volume: "data",
      },
    });
  }

  get #volume(): Volume {
    return this.#ofClaim
      ? { name: "data", persistentVolumeClaim: { claimName: "data" } }
      : { name: "data", emptyDir: {} };
  }

  async #claim(): Promise<void> {
    const csi = { driver: "disks.example.org", volumeHandle: "1" };
    const size = { storage: "1Gi" };
    const accessModes = ["ReadWriteOnce"];
    await this.client.create(PersistentVolumes, {
      metadata: { name: "pv" },
      spec: { csi, accessModes, capacity: size },
    });
    await this.client.create(PersistentVolumeClaims, {
      metadata: { namespace: SHOP, name: "data" },
      spec: { volumeName: "pv", accessModes, resources: { requests: size } },
    });
  }

  async cancel(name: string): Promise<void> {
    const patch = { type: "merge", patch: { spec: { cancel: true } } } as const;
    await this.client.patch(await this.#kindOf(name), { namespace: HOME, name }, patch as never);
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(await this.#kindOf(name), { namespace: HOME, name });
  }

  async #kindOf(name: string): Promise<Resource> {
    const restores = await this.restores();
    return restores.some(({ metadata }) => metadata.name === name)
      ? podVolumeRestoreResource
      : podVolumeBackupResource;
  }

  async restores(): Promise<readonly PodVolumeRestore[]> {
    return (await this.client.list(podVolumeRestoreResource, { namespace: HOME })).items;
  }

  /** The pod of a volume goes, as a rollout ends it. `name`: default that which is backed up. */
  async removeWorkload(name = "web"): Promise<void> {
    await this.client.delete(Pods, { namespace: SHOP, name }, { gracePeriodSeconds: 0 });
  }

  /** The volume's PVC goes, which no pod uses any more. */
  async removeClaim(): Promise<void> {
    const patch = { type: "merge", patch: { metadata: { finalizers: null } } } as const;
    await this.client.patch(PersistentVolumeClaims, { namespace: SHOP, name: "data" }, patch as never);
    await this.client.delete(PersistentVolumeClaims, { namespace: SHOP, name: "data" });
  }

  /** The pod whose volume is backed up has done its work. */
  async endWorkload(): Promise<void> {
    const patch = { type: "merge", patch: { status: { phase: "Succeeded" } } } as const;
    await this.client.patch(Pods, { namespace: SHOP, name: "web" }, patch as never, {
      subresource: "status",
    });
  }

  /** Movers that go on come to a good end, if they were started. */
  async finishMovers(): Promise<void> {
    for (const pod of await this.#movers()) await this.node.finish(pod);
  }

  async removeMovers(): Promise<void> {
    for (const { metadata } of await this.#movers())
      await this.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
  }

  /** The node does not answer any more, and the cluster has told its movers to end. */
  async evictMovers(): Promise<void> {
    for (const { metadata } of await this.#movers()) await this.client.delete(Pods, metadata);
  }

  async backups(): Promise<readonly PodVolumeBackup[]> {
    return (await this.client.list(podVolumeBackupResource, { namespace: HOME })).items;
  }

  /** The object, if it is there. */
  async find(name: string): Promise<PodVolumeBackup | PodVolumeRestore | undefined> {
    const all = [...(await this.backups()), ...(await this.restores())];
    return all.find(({ metadata }) => metadata.name === name);
  }

  /** The next operator is of another version, whose movers have another image. */
  async upgrade(): Promise<void> {
    await this.stopOperator();
    this.moverImage = `${MOVER_IMAGE}-newer`;
  }

  async loseApiServer(): Promise<void> {
    this.away = true;
    await this.turns(90);
    this.away = false;
    // Until everything is watched again.
    await this.turns(60);
  }

  /** The node is gone for good, and with it all of its pods, as a cluster cleans up. */
  async loseNode(): Promise<void> {
    await this.client.delete(Nodes, { name: NODE });
    for (const { metadata } of (await this.client.list(Pods)).items)
      await this.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
  }

  async stopOperator(): Promise<void> {
    const running = this.#operator;
    this.#operator = undefined;
    if (!running) return;
    running.sender.die();
    running.stop.abort(new Error("this operator is over"));
    for (let turns = 0; !running.ended && turns < 60; turns++) await this.clock.advance(SECOND);
  }

  /** Lets some seconds pass, with an operator that is started again when it died. */
  async turns(number: number, pause = SECOND): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      if (this.#operator?.sender.isDead) await this.stopOperator();
      this.#operator ??= this.#start(this.#deaths.shift());
      await this.#quiet();
      await this.node.tick();
      await this.#quiet();
      this.mostPreparing = Math.max(this.mostPreparing, (await this.backups()).filter(isExposing).length);
      this.mostMovers = Math.max(this.mostMovers, (await this.#movers()).length);
      await this.clock.advance(pause);
    }
  }

  /** Lets time pass until this holds; much of it at once after a while. */
  async until(what: string, holds: () => Promise<boolean>, most = 400): Promise<void> {
    for (let turn = 0; turn < most; turn++) {
      if (await holds()) return;
      await this.turns(1, turn < 60 ? SECOND : 30 * SECOND);
    }
    throw new Error(`never: ${what}; ${JSON.stringify((await this.backups()).map(({ status }) => status))}`);
  }

  /** Until every backup and restore has ended or is gone, and what they left is, too. */
  async settle(): Promise<void> {
    const over = async () => {
      await this.finishMovers();
      const all = [...(await this.backups()), ...(await this.restores())];
      return all.every(({ status }) => isFinal(status?.phase));
    };
    await this.until("everything ends", over);
    // What is left in a repository can only be deleted where that is known.
    await this.locate().catch(unlessThere);
    await this.turns(25, 30 * SECOND);
    const clean = async () => (await this.leftovers()).length === 0;
    // What nobody saw the end of is looked for after a day.
    for (let hour = 0; hour < 26 && !(await clean()); hour++) await this.turns(12, 300 * SECOND);
    await this.until("what is left goes", clean);
  }

  /** What is there of runs, and what is not settled of backups. */
  async leftovers(): Promise<readonly string[]> {
    const jobs = (await this.client.list(Jobs)).items.map(({ metadata }) => `Job ${metadata.name}`);
    const held = [...(await this.backups()), ...(await this.restores())].filter(
      ({ metadata }) =>
        metadata.finalizers?.length ||
        isExposing({ metadata }) ||
        metadata.annotations?.["holdfast.dev/leftovers"],
    );
    const [repository] = (await this.client.list(backupRepositoryResource, { namespace: HOME })).items;
    const purge = repository?.metadata.annotations?.[PURGE_ANNOTATION];
    return [
      ...jobs,
      ...(await this.#movers()).map(({ metadata }) => `Pod ${metadata.name}`),
      ...held.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ...(purge === undefined ? [] : [purge]),
    ];
  }

  async #movers(): Promise<readonly Pod[]> {
    return (await this.client.list(Pods, { namespace: HOME })).items;
  }

  /** Lets requests that are under way come to their end, before time jumps. */
  async #quiet(): Promise<void> {
    for (let n = 0; n < 12; n++) await this.clock.advance(0);
  }

  #unreliable(): HttpSender {
    return {
      send: async (request) => {
        const { refusing } = this;
        if (request.method === "GET") this.reads++;
        if (this.away) throw new HttpFailure("the API server is away", { code: "ECONNREFUSED", sent: false });
        if (refusing && `${request.body ?? ""}`.includes(`"phase":"${refusing}"`))
          throw new HttpFailure("the API server is away", { code: "ECONNREFUSED", sent: false });
        return this.#limited.send(request);
      },
      connect: (request) => this.#limited.connect(request),
      close: () => this.#limited.close(),
    };
  }

  #start(death: Death | undefined): Running {
    const ports = { clock: this.clock, random: this.#random, log };
    const sender = new MortalSender(this.#unreliable(), death);
    const client = new HttpClient({ ...ports, sender });
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const controllers = compose({
      ...ports,
      apis: [velero],
      client,
      logs: new PodClient({ ...ports, sender }),
      connect: () => {
        throw new Error("nobody needs a session here");
      },
      informers,
      settings: { moverImage: this.moverImage },
    });
    const stop = new AbortController();
    const running: Running = { sender, stop, ended: false };
    void new Manager(ports)
      .add("caches", informers)
      .add("elected", ...controllers)
      .run(stop.signal)
      .catch(() => {})
      .then(() => {
        running.ended = true;
      });
    return running;
  }
}

function isExposing({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.labels?.["velero.io/expose-on-going"] === "true";
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isAlreadyExists } from "../../kube/api_error.ts";
import {
  CsiDrivers,
  Jobs,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
} from "../../kube/builtin.ts";
import { Informers } from "../../kube/cache/informers.ts";
import type { Client } from "../../kube/client.ts";
import type { Controller } from "../../kube/controller/controller.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from "../../kube/snapshot_kinds.ts";
import { EventRecorder } from "../../kube/write/events.ts";
import { writeStatus } from "../../kube/write/status.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessGroups } from "../../lib/process_groups.ts";
import type { Processes } from "../../lib/processes.ts";
import type { Random } from "../../lib/random.ts";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import type { Logger } from "../../observe/log.ts";
import { noWatchObserver } from "../../observe/observers.ts";
import type { PodExec } from "../api/pod_exec.ts";
import type { PodLogs } from "../api/pod_logs.ts";
import { JobRunner } from "./jobs/job_runner.ts";
import type { NodePorts } from "./node_ports.ts";
import { ContainerStarter } from "./pods/container_starter.ts";
import { Containers } from "./pods/containers.ts";
import type { Image } from "./pods/environment.ts";
import { probeIsolation } from "./pods/isolation.ts";
import type { Isolation } from "./pods/launch_script.ts";
import { NodeExec } from "./pods/node_exec.ts";
import { NodeLogs } from "./pods/node_logs.ts";
import { PodRunner } from "./pods/pod_runner.ts";
import { Scheduler } from "./pods/scheduler.ts";
import { ClaimBinder } from "./volumes/claim_binder.ts";
import { claimFolder } from "./volumes/claim_folder.ts";
import { EphemeralClaims } from "./volumes/ephemeral_claims.ts";
import { driver, localClass, snapshotClass, waitingClass } from "./volumes/names.ts";
import { SnapshotBinder } from "./volumes/snapshot_binder.ts";
import { SnapshotTaker } from "./volumes/snapshot_taker.ts";
import { VolumeFolders } from "./volumes/volume_folders.ts";
import { VolumeReclaimer } from "./volumes/volume_reclaimer.ts";

export interface NodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly processes: Processes;
  readonly groups: ProcessGroups;
  /** For commands in running pods. Without it there are none. */
  readonly streamed?: StreamedProcesses;
  /** The folder that holds volumes, snapshots and what pods leave; made when it is missing. */
  readonly state: string;
  /** What stands for an image on this machine; undefined for one that cannot run here. */
  readonly images: (name: string) => Image | undefined;
  /** This program runs as root, and may act for other users. */
  readonly isRoot: boolean;
  /** Default `this-machine`. */
  readonly name?: string;
  /** Let pods mount folders of the host. Default false. */
  readonly allowHostPath?: boolean;
  /** Folders of the host that pods do not see, beside `state`: those with the control plane's own secrets. */
  readonly hidden?: readonly string[];
  /** How pods are kept apart, once that is known. Default: the best that this machine can do, found out by trying. */
  readonly isolation?: Isolation | Promise<Isolation>;
  /** What happens to running pods when the node stops: `adopt` leaves them to the next run. Default `adopt`. */
  readonly atStop?: "adopt" | "kill";
}

/** The parts that exist while the node runs. */
interface Parts {
  readonly informers: Informers;
  readonly containers: Containers;
  readonly pods: PodRunner;
  readonly controllers: readonly Controller[];
}

/**
 * This machine as the one node of a control plane: volumes are folders, pods are process groups, and the
 * controllers of volumes, snapshots and Jobs run beside them.
 */
export class MachineNode implements Runnable {
  readonly name = "node";
  readonly #options: NodeOptions;
  #containers: Containers | undefined;

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  /** For the API server. Before the node runs there are no logs. */
  readonly logs: PodLogs = {
    read: (pod, request, signal) => {
      const { client: reader, clock } = this.#options;
      if (!this.#containers) throw new Error("the node is not running: it has no logs yet");
      return new NodeLogs({ reader, containers: this.#containers, clock }).read(pod, request, signal);
    },
  };

  /** For the API server. Before the node runs there is nothing to run a command in. */
  readonly exec: PodExec = {
    open: async (pod, request, signal) => {
      const { client: reader, streamed: processes, clock } = this.#options;
      if (!this.#containers || !processes) throw new Error("the node is not running: it has no pods yet");
      const exec = new NodeExec({ reader, containers: this.#containers, processes, clock });
      return exec.open(pod, request, signal);
    },
  };

  async run(signal: AbortSignal, ready: () => void, halt: AbortSignal): Promise<void> {
    const parts = await this.#prepare();
    this.#containers = parts.containers;
    const following = new AbortController();
    const informers = parts.informers.run(following.signal);
    try {
      await this.#register(signal);
      await parts.informers.whenSynced(signal);
      parts.containers.adopt();
      await parts.pods.sweep();
      let waiting = parts.controllers.length;
      const onReady = () => {
        waiting -= 1;
        if (waiting === 0) ready();
      };
      await Promise.all(parts.controllers.map((controller) => controller.run(signal, onReady, halt)));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      following.abort(signal.reason);
      await informers;
      if (this.#options.atStop === "kill") await parts.containers.killAll();
      else parts.containers.release();
    }
  }

  async #prepare(): Promise<Parts> {
    const { client, clock, random, log, processes, groups, isRoot, images } = this.#options;
    const { name: nodeName = "this-machine", allowHostPath = false } = this.#options;
    mkdirSync(this.#options.state, { recursive: true, mode: 0o700 });
    const state = realpathSync(this.#options.state);
    const folders = new VolumeFolders(join(state, "volumes"), processes);
    const snapshotFolders = new VolumeFolders(join(state, "snapshots"), processes);
    await Promise.all([folders.recover(), snapshotFolders.recover()]);
    const isolation = await (this.#options.isolation ?? probeIsolation(processes, state, isRoot, log));
    log.info({ isolation, state }, "the node is starting");
    const containers = new Containers({
      folder: join(state, "pods"),
      hidden: [state, ...(this.#options.hidden ?? [])],
      isolation,
      clock,
      processes,
      groups,
      log,
    });

    const informers = new Informers({ client, clock, random, log, observer: noWatchObserver });
    const pods = informers.cache({ resource: Pods });
    const claims = informers.cache({ resource: PersistentVolumeClaims });
    const volumes = informers.cache({ resource: PersistentVolumes });
    const jobs = informers.cache({ resource: Jobs });
    const snapshots = informers.cache({ resource: VolumeSnapshots });
    const contents = informers.cache({ resource: VolumeSnapshotContents });
    const said = (component: string) => ({
      client,
      clock,
      random,
      log,
      nodeName,
      events: new EventRecorder({ writer: client, clock, random, log, component, instance: nodeName }),
    });
    const ports: NodePorts = said("kubelet");
    const claimOptions = { reader: client, folders, allowHostPath };
    const starter = new ContainerStarter({
      ...ports,
      containers,
      processes,
      images,
      allowHostPath,
      claimFolder: (namespace, name, signal) => claimFolder(claimOptions, namespace, name, signal),
    });
    const podRunner = new PodRunner({ ...ports, pods, containers, starter });
    const nodeLabels = labelsOf(nodeName);
    const binding = { ...said(driver.metadata.name), claims, volumes, pods, folders, snapshotFolders };
    const controllers = [
      new ClaimBinder(binding).controller,
      new VolumeReclaimer(binding).controller,
      new EphemeralClaims({ ...said("ephemeral_volume"), pods }).controller,
      new SnapshotBinder({ ...said("snapshot-controller"), snapshots, contents }).controller,
      new SnapshotTaker({ ...binding, contents }).controller,
      new Scheduler({ ...said("default-scheduler"), pods, claims, nodeLabels }).controller,
      new JobRunner({ ...said("job-controller"), jobs, pods }).controller,
      podRunner.controller,
    ];
    return { informers, containers, pods: podRunner, controllers };
  }

  /** Makes the node known, with the classes of its volumes and snapshots. What is there already stays as it is. */
  async #register(signal: AbortSignal): Promise<void> {
    const { client, clock, name = "this-machine" } = this.#options;
    const create = async <T extends KubeObject>(resource: Resource<T>, draft: Draft<T>) => {
      await client.create(resource, draft, { signal }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    };
    await Promise.all([
      create(CsiDrivers, driver),
      create(StorageClasses, localClass),
      create(StorageClasses, waitingClass),
      create(VolumeSnapshotClasses, snapshotClass),
      create(Nodes, { metadata: { name, labels: labelsOf(name) } }),
    ]);
    const node = await client.get(Nodes, { name }, { signal });
    const status = node.status?.conditions?.length ? node.status : nodeStatus(clock.now());
    await writeStatus(client, { resource: Nodes, object: node, status }, { signal });
  }
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": process.platform,
    "kubernetes.io/arch": process.arch === "x64" ? "amd64" : process.arch,
  };
}

function nodeStatus(now: number) {
  const time = timestamp(now);
  return {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "this machine runs pods",
        lastHeartbeatTime: time,
        lastTransitionTime: time,
      },
    ],
  };
}

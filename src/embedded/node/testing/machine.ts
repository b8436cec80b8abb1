import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoreGone } from "../../../kube/api_error.ts";
import { Pods } from "../../../kube/builtin.ts";
import { HttpClient } from "../../../kube/client/http_client.ts";
import { PodClient } from "../../../kube/client/pod_client.ts";
import type { KubeObject, ObjectName } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { sleep, systemClock } from "../../../lib/clock.ts";
import { systemProcessGroups } from "../../../lib/process_groups.ts";
import { systemProcesses } from "../../../lib/processes.ts";
import { systemRandom } from "../../../lib/random.ts";
import { systemStreamedProcesses } from "../../../lib/streamed_process.ts";
import { type Logger, silentLogger } from "../../../observe/log.ts";
import { ControlPlane } from "../../control_plane.ts";
import { MemoryStore } from "../../store/memory_store.ts";
import { find } from "../find.ts";
import { MachineNode, type NodeOptions } from "../node.ts";

export interface MachineOptions extends Partial<Pick<NodeOptions, "images" | "isolation" | "allowHostPath">> {
  readonly log?: Logger;
}

/** The image that stands for the programs of this machine. */
export const HOST_IMAGE = "host:1";

/** At something that is waited for, 25 ms apart: for a minute, as the machine may be busy with others too. */
const LOOKS = 2_400;

/** A control plane in memory and a node with real processes and folders, for tests. */
export class Machine {
  readonly client: HttpClient;
  readonly podClient: PodClient;
  readonly state = mkdtempSync(join(tmpdir(), "machine-"));
  readonly #options: MachineOptions;
  readonly #plane: ControlPlane;
  readonly #end = new AbortController();
  #node: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #current: MachineNode | undefined;

  constructor(options: MachineOptions = {}) {
    const ports = { clock: systemClock, random: systemRandom };
    this.#options = options;
    this.#plane = new ControlPlane({
      ...ports,
      store: new MemoryStore({ clock: systemClock }),
      podLogs: {
        read: (...args) => {
          if (!this.#current) throw new Error("there is no node");
          return this.#current.logs.read(...args);
        },
      },
      podExec: {
        open: (...args) => {
          if (!this.#current) throw new Error("there is no node");
          return this.#current.exec.open(...args);
        },
      },
    });
    this.client = new HttpClient({ ...ports, sender: this.#plane.sender, userAgent: "test" });
    this.podClient = new PodClient({ ...ports, sender: this.#plane.sender, userAgent: "test" });
    void this.#plane.run(this.#end.signal).catch(() => {});
  }

  /** Starts the node, also again after `stop`. */
  async start(): Promise<void> {
    const stop = new AbortController();
    this.#current = new MachineNode({
      client: this.client,
      clock: systemClock,
      random: systemRandom,
      log: this.#options.log ?? silentLogger,
      processes: systemProcesses,
      groups: systemProcessGroups,
      streamed: systemStreamedProcesses,
      state: this.state,
      images: (name) => (name === HOST_IMAGE ? { command: ["sh"] } : undefined),
      isRoot: process.getuid?.() === 0,
      ...this.#options,
    });
    const ready = Promise.withResolvers<void>();
    const ended = this.#current.run(stop.signal, ready.resolve, new AbortController().signal);
    this.#node = { stop, ended };
    await Promise.race([ready.promise, ended]);
  }

  /** Stops the node as a crash would: what runs goes on running. */
  async stop(): Promise<void> {
    this.#node?.stop.abort(new Error("stopped by the test"));
    await this.#node?.ended;
    this.#node = undefined;
  }

  /** Ends everything, processes included. */
  async close(): Promise<void> {
    const { items } = await this.client.list(Pods);
    for (const { metadata } of items) {
      const patch = { metadata: { finalizers: null } };
      // It may be on its way out, and gone by now.
      await this.client.patch(Pods, metadata, { type: "merge", patch }).catch(ignoreGone);
      await this.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
    }
    await this.stop();
    await this.start();
    await this.stop();
    this.#end.abort(new Error("the test is over"));
    await rm(this.state, { recursive: true, force: true });
  }

  /** Waits until the object is as wanted, and returns it. */
  async until<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    wanted: (object: T) => unknown,
  ): Promise<T> {
    let last: T | undefined;
    for (let tries = 0; tries < LOOKS; tries++) {
      last = await find(this.client, resource, name, this.#end.signal);
      if (last && wanted(last)) return last;
      await sleep(systemClock, 25);
    }
    throw new Error(`${resource.kind} ${name.name} did not become as wanted: ${JSON.stringify(last)}`);
  }

  async untilGone(resource: Resource, name: ObjectName): Promise<void> {
    for (let tries = 0; tries < LOOKS; tries++) {
      if (!(await find(this.client, resource, name, this.#end.signal))) return;
      await sleep(systemClock, 25);
    }
    throw new Error(`${resource.kind} ${name.name} is still there`);
  }

  async logs(name: ObjectName, options: object = {}): Promise<string> {
    const chunks: Uint8Array[] = [];
    const signal = this.#end.signal;
    for await (const chunk of this.podClient.logs(name, { signal, ...options })) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }
}

import { rmSync } from "node:fs";
import { join } from "node:path";
import { jsonEqual } from "../../src/lib/json.ts";
import { type ProcessState, processState } from "../../src/lib/process_identity.ts";
import { chooseAddresses, overlaps } from "./addresses.ts";
import { bootControlPlane, bootFull, prepare } from "./boot.ts";
import { builtinImages } from "./builtin_images.ts";
import { clusterFolder } from "./folders.ts";
import { freePort } from "./free_port.ts";
import { loadImages } from "./images.ts";
import { type ClusterInfo, findInfo, type NodeInfo, readInfo, type Shape, writeInfo } from "./info.ts";
import { lock } from "./lock.ts";
import { NETWORK_LOCK, rangesInUse, requireBridgeFilter } from "./network.ts";
import { NodeImpossible } from "./node_impossible.ts";
import { ALL_PROGRAMS, CONTROL_PLANE_PROGRAMS, requirePrograms } from "./programs.ts";
import { type Step, steps } from "./steps.ts";
import { markOf, stopEverything } from "./stop.ts";

export { type Component, component } from "./component.ts";
export { compactEtcd } from "./etcd.ts";
export type { ClusterInfo, Shape } from "./info.ts";
export { serviceAccountKubeconfig, serviceAccountToken } from "./token.ts";

/** What was asked for does not go together with what is there. */
export class ClusterConflict extends Error {
  override name = "ClusterConflict";
}

export interface UpOptions {
  /** Default `default`. */
  readonly name?: string;
  /** Default `{kind: "full"}`. */
  readonly shape?: Shape;
  /** A pinned program, for another version of Kubernetes' API. Default `kube-apiserver`. */
  readonly apiServer?: string;
  /** For the API server, after its usual arguments. Default none. */
  readonly apiserverArgs?: readonly string[];
  /** Called with one line per step. Default: silence. */
  readonly report?: (line: string) => void;
}

/**
 * Brings a cluster up and returns when it is ready for use. One that runs already is returned as it is; one that
 * has lost a component, or was interrupted on its way up, is booted again on its data.
 */
export async function up(options: UpOptions = {}): Promise<ClusterInfo> {
  const { name = "default", shape = { kind: "full" }, report = () => {} } = options;
  const { apiServer = "kube-apiserver", apiserverArgs = [] } = options;
  const wanted = { shape, apiServer, apiserverArgs };
  const directory = clusterFolder(name);
  using _ = await lock(directory, () => report(`waiting: cluster ${name} is on its way up or down`));
  const earlier = findInfo(directory);
  if (earlier && !jsonEqual(wantedOf(earlier), wanted)) {
    throw new ClusterConflict(
      `cluster ${name} exists, and was started in another way: take it down first, or choose another --name`,
    );
  }
  if (earlier && runs(earlier)) return earlier;
  await stopEverything(directory);
  const step = steps(report);
  try {
    if (shape.kind === "full") await upFull(name, wanted, earlier, step);
    else await upControlPlane(name, { ...wanted, shape }, earlier, step);
  } catch (error) {
    await stopEverything(directory);
    throw error;
  }
  const info = { ...readInfo(directory), ready: true };
  writeInfo(info);
  return info;
}

/** What a cluster is asked to be. */
type Wanted = Pick<ClusterInfo, "shape" | "apiServer" | "apiserverArgs">;

function wantedOf({ shape, apiServer, apiserverArgs }: ClusterInfo): Wanted {
  return { shape, apiServer, apiserverArgs };
}

async function upControlPlane(
  name: string,
  wanted: Wanted & { readonly shape: Extract<Shape, { kind: "control-plane" }> },
  earlier: ClusterInfo | undefined,
  step: Step,
): Promise<void> {
  requirePrograms(CONTROL_PLANE_PROGRAMS);
  const port = await freePort(earlier && Number(new URL(earlier.server).port));
  const info: ClusterInfo = {
    ...draft(name, wanted),
    server: `https://127.0.0.1:${port}`,
    hostAddress: "127.0.0.1",
  };
  await step("certificates", () => prepare(info));
  await bootControlPlane(info, wanted.shape.controllers, step);
}

async function upFull(
  name: string,
  wanted: Wanted,
  earlier: ClusterInfo | undefined,
  step: Step,
): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new NodeImpossible(
      "a cluster with a node needs root: run this as root, or with --control-plane-only",
    );
  }
  requirePrograms(ALL_PROGRAMS);
  await requireBridgeFilter();
  const network = await lock(NETWORK_LOCK);
  try {
    const node = await chooseNode(name, earlier);
    const info: ClusterInfo = {
      ...draft(name, wanted),
      server: `https://${node.addresses.node}:6443`,
      hostAddress: node.addresses.host,
      node,
    };
    await step("certificates", () => prepare(info));
    await bootFull(info, node, step, () => network[Symbol.dispose]());
  } finally {
    network[Symbol.dispose]();
  }
}

function draft(name: string, wanted: Wanted) {
  const directory = clusterFolder(name);
  return {
    format: 1,
    name,
    directory,
    ...wanted,
    ready: false,
    kubeconfig: join(directory, "admin.kubeconfig"),
    ca: join(directory, "pki/ca.crt"),
    // etcd insists on a port at the end, and takes it for a part of the file's name.
    etcd: join(directory, "run/etcd.sock:0"),
    components: {},
  } as const;
}

/** The node's place on this machine: as before when there is data, which holds addresses of Services. */
async function chooseNode(name: string, earlier: ClusterInfo | undefined): Promise<NodeInfo> {
  const directory = clusterFolder(name);
  const mark = markOf(directory);
  const inUse = await rangesInUse(name);
  const before = earlier?.node?.addresses;
  if (before && inUse.some((range) => overlaps(range, before.range))) {
    throw new ClusterConflict(
      `the addresses of cluster ${name}, ${before.range}, are in use by now: free them, or take the cluster down without --keep`,
    );
  }
  const addresses = before ?? chooseAddresses(inUse, Number.parseInt(mark.slice(-2), 36));
  return { mark, addresses, containerd: join(directory, "run/containerd.sock") };
}

function runs(info: ClusterInfo): boolean {
  return (
    info.ready && Object.values(info.components).every(({ process }) => processState(process) !== "dead")
  );
}

export interface DownOptions {
  /** Removes the cluster's data too. Default true. */
  readonly wipe?: boolean;
}

/** Ends everything that was started for a cluster, also when `up` was interrupted or the machine has crashed. */
export async function down(name: string, options: DownOptions = {}): Promise<void> {
  const { wipe = true } = options;
  const directory = clusterFolder(name);
  using _ = await lock(directory);
  await stopEverything(directory);
  if (wipe) rmSync(directory, { recursive: true, force: true });
}

export interface ClusterStatus {
  readonly info: ClusterInfo;
  readonly state: "up" | "partly up" | "down";
  readonly components: Readonly<Record<string, ProcessState>>;
}

/** How a cluster is at this moment; undefined when there is none of that name. */
export function status(name: string): ClusterStatus | undefined {
  const info = findInfo(clusterFolder(name));
  if (!info) return undefined;
  const components = Object.fromEntries(
    Object.entries(info.components).map(([component, { process }]) => [component, processState(process)]),
  );
  const dead = Object.values(components).every((state) => state === "dead");
  return { info, components, state: runs(info) ? "up" : dead ? "down" : "partly up" };
}

/** Brings image archives into a full cluster. */
export async function load(name: string, archives: readonly string[]): Promise<void> {
  const { node } = readInfo(clusterFolder(name));
  if (!node) throw new ClusterConflict(`cluster ${name} is a control plane alone: it runs no images`);
  await loadImages(node, archives);
}

/** Brings the images that every full cluster starts with in again, should one have been removed. */
export async function loadBuiltin(name: string): Promise<void> {
  await load(name, (await builtinImages()).archives);
}

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../src/lib/json.ts";
import type { ProcessIdentity } from "../../src/lib/process_identity.ts";
import type { Addresses } from "./addresses.ts";
import { clustersFolder } from "./folders.ts";

/** What a cluster consists of. */
export type Shape =
  /** etcd and the API server on the loopback address, with or without the controller manager. */
  | { readonly kind: "control-plane"; readonly controllers: boolean }
  /** A node as well, with containers, volumes and snapshots. Needs root. */
  | { readonly kind: "full" };

/** A program of the cluster: how it was started, and what it became. */
export interface ComponentRecord {
  readonly process: ProcessIdentity;
  readonly command: readonly string[];
  readonly log: string;
}

export interface NodeInfo {
  /** The name of the host's end of the network link, and of the pods' cgroup. */
  readonly mark: string;
  readonly addresses: Addresses;
  /** containerd's socket. */
  readonly containerd: string;
}

/** Everything about a cluster that others need; kept as `cluster.json` in its folder. */
export interface ClusterInfo {
  readonly format: 1;
  readonly name: string;
  readonly directory: string;
  readonly shape: Shape;
  /** The pinned program that is the API server. */
  readonly apiServer: string;
  /** Arguments of the API server beyond its usual ones. */
  readonly apiserverArgs: readonly string[];
  /** It has been up completely. Whether it still is, its processes tell. */
  readonly ready: boolean;
  readonly server: string;
  readonly kubeconfig: string;
  /** The certificate authority's file. */
  readonly ca: string;
  /** Where the API server and the pods reach a server that runs on this machine. */
  readonly hostAddress: string;
  /** etcd's socket. */
  readonly etcd: string;
  /** Only of a full cluster. */
  readonly node?: NodeInfo;
  readonly components: Readonly<Record<string, ComponentRecord>>;
}

/** There is no cluster of that name, or its record cannot be read. */
export class UnknownCluster extends Error {
  override name = "UnknownCluster";
}

export function findInfo(directory: string): ClusterInfo | undefined {
  const path = join(directory, "cluster.json");
  if (!existsSync(path)) return undefined;
  const info: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isRecord(info) || info.format !== 1) {
    throw new UnknownCluster(`${path} was not written by this version: take the cluster down and up again`);
  }
  return info as unknown as ClusterInfo;
}

export function readInfo(directory: string): ClusterInfo {
  const info = findInfo(directory);
  if (!info)
    throw new UnknownCluster(`there is no cluster in ${directory}: start it with \`npm run cluster -- up\``);
  return info;
}

/** Replaces the record as a whole, so that a reader never sees half of one. */
export function writeInfo(info: ClusterInfo): void {
  mkdirSync(info.directory, { recursive: true, mode: 0o700 });
  const path = join(info.directory, "cluster.json");
  writeFileSync(`${path}.new`, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The names of the clusters that have a folder, running or not. */
export function clusterNames(): string[] {
  const folder = clustersFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "cluster.json")))
    .map((entry) => entry.name)
    .sort();
}

import type { Api } from "../../src/core/api.ts";
import type { FoundEntry, TreeEntry } from "../../src/engines/testing/tree.ts";
import type { Client } from "../../src/kube/client.ts";
import type { ObjectName } from "../../src/kube/object.ts";
import type { Component } from "../../tools/cluster/component.ts";
import type { Account, AccountRights } from "./account.ts";
import type { PodProcess } from "./machine_processes.ts";
import type { Operator } from "./operator.ts";
import type { MemoryFileSystem, SmallDisk } from "./small_disk.ts";

/** The name that a world gives the image of movers with the engines that are shipped. */
export const SHIPPED_MOVER = "holdfast/mover:shipped";

/** A cluster with the operator in it, however it came there, and hands that reach into volumes. */
export interface InstalledWorld extends AsyncDisposable {
  readonly client: Client;
  /** The operator's own namespace. */
  readonly home: string;
  /** Of the movers: it has node, and no shell. */
  readonly moverImage: string;
  /** The image of movers with the engines that are shipped: those of all others have cheap keys. */
  shippedMover(): Promise<string>;
  /** Default: the cluster's default class. */
  readonly storageClassName?: string;
  /** An S3 server that movers reach, where there is one. */
  readonly s3?: S3Place;
  /** Makes a tree on the volume of a claim. */
  put(claim: ClaimName, entries: readonly TreeEntry[]): Promise<void>;
  /** Everything on the volume of a claim, without what its file system itself puts there. */
  describe(claim: ClaimName): Promise<readonly FoundEntry[]>;
  /** Where the volume of a claim is on this machine. */
  folderOf(claim: ClaimName): Promise<string>;
  /** Puts a small, empty disk in the place of a claim's volume, for pods that start from now on. */
  shrink(claim: ClaimName, size: string, fileSystem?: MemoryFileSystem): Promise<SmallDisk>;
  /** Somebody with these rights, and no others. */
  account(rights: AccountRights): Promise<Account>;
  processesOf(pod: PodName): readonly PodProcess[];
  /** The address at which pods reach servers of this machine. */
  readonly hostAddress: string;
  /** The agent of the node, where it is a program of its own. */
  readonly kubelet?: Component;
  /** The API server, where it is a program of its own. */
  readonly apiServer?: Component;
}

/** One whose operator can be ended and replaced. */
export interface ScenarioWorld extends InstalledWorld {
  readonly operator: Operator;
}

export interface PodName {
  readonly metadata: { readonly uid: string };
}

export interface ClaimName extends ObjectName {
  readonly namespace: string;
}

export interface S3Place {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface WorldOptions {
  /** The operator may read Secrets, to lend them to other namespaces. Default: it has the rights of a default install. */
  readonly lending?: boolean;
  /** Those that the operator serves. Default: all that there are. */
  readonly apis?: readonly Api[];
  /** Those whose webhooks it serves. Default: none. */
  readonly guards?: readonly Api[];
  /** What is set for each API. Default: nothing. */
  readonly ofApis?: Readonly<Record<string, unknown>>;
}

export type OpenWorld = (options?: WorldOptions) => Promise<ScenarioWorld>;

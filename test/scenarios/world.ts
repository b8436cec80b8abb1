import type { FoundEntry, TreeEntry } from "../../src/engines/testing/tree.ts";
import type { Client } from "../../src/kube/client.ts";
import type { ObjectName } from "../../src/kube/object.ts";

/** A cluster with the operator in it, and hands that reach into volumes. */
export interface ScenarioWorld extends AsyncDisposable {
  readonly client: Client;
  /** Default: the cluster's default class. */
  readonly storageClassName?: string;
  /** An S3 server that movers reach, where there is one. */
  readonly s3?: S3Place;
  /** Makes a tree on the volume of a claim. */
  put(claim: ClaimName, entries: readonly TreeEntry[]): Promise<void>;
  /** Everything on the volume of a claim, without what its file system itself puts there. */
  describe(claim: ClaimName): Promise<readonly FoundEntry[]>;
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

export type OpenWorld = () => Promise<ScenarioWorld>;

import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { EngineName } from "../../wire/capabilities.ts";
import type { CredentialKey } from "../../wire/credentials.ts";
import type { AllowedNamespaces } from "../consent/permission.ts";
import type { FailureStatus } from "../reconcile/status_parts.ts";
import type { CacheSpec, MoverSpec } from "../work/mover_spec.ts";

/**
 * A repository as the engine room uses it. An API hands its own object in where that has this shape, and makes one of it
 * where it has not. One without a namespace is for the whole cluster.
 */
export interface Repository extends KubeObject {
  readonly spec: RepositorySpec;
  readonly status?: RepositoryState;
}

export interface RepositorySpec {
  readonly engine: EngineName;
  readonly backend: BackendSpec;
  readonly encryption: { readonly passwordSecretRef: SecretRef & { readonly key: string } };
  readonly create: {
    /** Default: as the installation says. */
    readonly enabled?: boolean;
    readonly encryption?: string;
    readonly splitter?: string;
    readonly hash?: string;
  };
  /** `readOnly`: nothing is ever written to it. Default: it may be written. */
  readonly access?: { readonly readOnly: boolean };
  readonly cacheDefaults?: CacheSpec;
  readonly moverDefaults?: Partial<MoverSpec>;
  readonly concurrency: { readonly maxRuns: number };
  /** In bytes a second. */
  readonly rateLimits?: { readonly upload?: number | string; readonly download?: number | string };
  readonly allowedNamespaces?: AllowedNamespaces;
}

/** A reference to a Secret. Default: in the namespace of the object, or of the run where that has none. */
export interface SecretRef {
  readonly name: string;
  readonly namespace?: string;
}

interface Authorized {
  readonly auth?: {
    /** A Secret whose keys have the names that movers know them by. */
    readonly secretRef?: SecretRef;
    /** Instead of that: single keys of Secrets, whatever they are called there. */
    readonly keys?: readonly CredentialRef[];
    readonly workloadIdentity?: unknown;
  };
}

/** One key of a Secret, and what movers know it as. */
export interface CredentialRef extends SecretRef {
  readonly key: string;
  readonly as: CredentialKey;
}

/** How a server's certificate is checked. */
interface Encrypted {
  readonly tls?: {
    readonly insecureSkipVerify: boolean;
    readonly caBundleRef?: {
      readonly configMapName: string;
      /** Default: the repository's. */
      readonly namespace?: string;
      readonly key: string;
    };
  };
}

interface Backends {
  readonly s3: Authorized &
    Encrypted & {
      readonly bucket: string;
      readonly prefix?: string;
      readonly endpoint?: string;
      readonly region?: string;
      readonly addressing: "Auto" | "Path" | "Host";
    };
  readonly azure: Authorized &
    Encrypted & {
      readonly container: string;
      readonly prefix?: string;
      readonly storageAccount: string;
      readonly endpoint?: string;
    };
  readonly gcs: Authorized & {
    readonly bucket: string;
    readonly prefix?: string;
    readonly endpoint?: string;
    readonly projectId?: string;
  };
  readonly b2: Authorized & { readonly bucket: string; readonly prefix?: string };
  readonly filesystem: { readonly pvc: { readonly name: string }; readonly path: string };
  readonly sftp: Authorized & {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly path: string;
  };
  readonly webDav: Authorized & Encrypted & { readonly url: string };
  readonly rclone: Authorized & { readonly remotePath: string };
}

type OneOf<T> = {
  readonly [K in keyof T]: { readonly [P in K]: T[P] } & { readonly [P in Exclude<keyof T, K>]?: never };
}[keyof T];

/** Where a repository's data lies. */
export type BackendSpec = OneOf<Backends>;

export interface RepositoryState {
  readonly phase?: "Pending" | "Initializing" | "Ready" | "Degraded" | "Failed";
  readonly observedGeneration?: number;
  readonly backend?: string;
  /** Once it is known, a repository with another is never taken for this one. */
  readonly uniqueID?: string;
  readonly lastContactAt?: string;
  readonly storageStats?: {
    readonly snapshotCount?: number;
    readonly totalSize?: number | string;
    readonly storedBytes?: number;
    readonly logicalBytes?: number;
    readonly lastObservedAt?: string;
  };
  readonly breaker?: {
    readonly state: "Closed" | "Open" | "HalfOpen";
    readonly consecutiveFailures: number;
    readonly errorClass?: string;
    readonly openedAt?: string;
    readonly nextProbeAt?: string;
  };
  readonly runs?: { readonly running?: number; readonly waiting?: number };
  readonly deletions?: DeletionsState;
  /** Of one that is for the whole cluster: how many of the namespaces that there are may use it. */
  readonly allowedNamespaceCount?: number;
  readonly failure?: FailureStatus;
  readonly logTail?: string;
  readonly work?: Readonly<Record<string, unknown>>;
  readonly conditions?: readonly Condition[];
}

/** Deletions of snapshots that are not done. */
export interface DeletionsState {
  readonly pending?: number;
  /** The oldest of them, and after these some that were kept. */
  readonly oldest?: readonly PendingDeletion[];
  /** How many wait for somebody to acknowledge them. */
  readonly held?: number;
  readonly heldSince?: string;
  /** Deletions of the recent past by others than the operator, for its guard. */
  readonly recent?: readonly string[];
  /** How many stayed because the namespace of their backup was deleted. */
  readonly kept?: number;
  readonly acknowledgeToken?: string;
}

/** A snapshot that should be gone, and is not. */
export interface PendingDeletion {
  readonly snapshotID: string;
  /** What stood for it, as namespace/name. */
  readonly backup: string;
  readonly since: string;
  /** Why it is still there, in one word. */
  readonly reason: string;
}

/** A repository that can be used now: its ID is known, and it answered when it was last asked. */
export type Ready<R extends Repository> = R & {
  readonly status: NonNullable<R["status"]> & { readonly uniqueID: string };
};

/** The repository, with its kind, as people know it. */
export function repositoryName(repository: Repository): string {
  return `${repository.kind} ${keyOf(repository)}`;
}

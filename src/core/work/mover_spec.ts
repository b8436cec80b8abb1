import type { LabelSelector } from "../../kube/label_selector.ts";

/** What an object may say of the pods that work for it. */
export interface MoverSpec {
  readonly resources?: Readonly<Record<string, unknown>>;
  readonly cache?: CacheSpec;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  /** Run as a running pod of a workload does. */
  readonly inheritSecurityContextFrom?: {
    readonly podSelector: LabelSelector;
    readonly container?: string;
  };
  readonly supplementalGroups?: readonly number[];
  /** Run as root, so that all can be read and owners be restored. */
  readonly privilegedMode: boolean;
  /** Files that are worked on at once. */
  readonly parallel?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Readonly<Record<string, unknown>>[];
  readonly affinity?: Readonly<Record<string, unknown>>;
  readonly priorityClassName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The engine's cache. */
export interface CacheSpec {
  readonly capacity?: number | string;
  /** Default: it is on the node's disk. */
  readonly storageClassName?: string;
  readonly metadataCacheSizeMB?: number;
  readonly contentCacheSizeMB?: number;
}

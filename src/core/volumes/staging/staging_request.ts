import type { OwnerReference } from "../../../kube/object.ts";
import type { AccessMode } from "../claim_request.ts";

/** What a mover reads: a snapshot's copy, a clone, or the volume itself while it is in use. */
export type CopyMethod = "Snapshot" | "Clone" | "Direct";

/** A claim whose volume is to be read. */
export interface SourceName {
  readonly namespace: string;
  readonly name: string;
  /** Of the claim that is meant: another one of its name need not hold the same data. Default: whichever has the name. */
  readonly uid?: string | undefined;
  /** Why its volume is not to be captured now. What was captured before stays. */
  readonly hold?: CaptureHold | undefined;
}

export interface CaptureHold {
  readonly reason: string;
  readonly message: string;
}

/** The object that the work is for: what is staged goes with it. */
export interface StagingOwner {
  readonly reference: OwnerReference;
  /** Undefined for an owner without one. */
  readonly namespace?: string | undefined;
}

/** How a claim becomes something that a mover can mount. */
export interface StagingRequest {
  readonly method: CopyMethod;
  readonly owner: StagingOwner;
  readonly source: SourceName;
  /** Default: the driver's only one, or its default one. */
  readonly snapshotClassName?: string | undefined;
  /** Of the copy. Default: the source's own. */
  readonly storageClassName?: string | undefined;
  /** Of the copy. Default: the source's own, or what its driver copies best. */
  readonly accessModes?: readonly AccessMode[] | undefined;
  /** For what is made, beside our own. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** When a copy that is not ready is given up, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Several claims that become one backup. */
export interface GroupRequest extends Omit<StagingRequest, "source"> {
  readonly sources: readonly SourceName[];
  /** How several volumes are captured: at one moment, or each at its own. */
  readonly groupBy: "VolumeGroupSnapshot" | "None";
  /** Default: the driver's only one, or its default one. */
  readonly groupSnapshotClassName?: string | undefined;
}

/** What is asked for one of several claims. */
export function requestOf(request: GroupRequest, source: SourceName): StagingRequest {
  const { sources: _, groupBy: __, groupSnapshotClassName: ___, ...rest } = request;
  return { ...rest, source };
}

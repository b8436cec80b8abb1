import type { FailureClass } from "../../../kube/failure.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { boundedMessage } from "../../../kube/write/message.ts";
import type { Claim } from "../claim_request.ts";
import type { VolumeGroupSnapshot } from "./group_snapshot_kinds.ts";
import type { Placement } from "./placement.ts";
import type { VolumeSnapshot } from "./snapshot_kinds.ts";
import type { SourceName, StagingOwner } from "./staging_request.ts";

/** What follows from what was seen of the sources. */
export interface StagingDecision {
  readonly state: StagingState;
  readonly intents: readonly StagingIntent[];
  /** When to look again, in milliseconds since 1970, if nothing changes sooner. */
  readonly wakeAt?: number;
}

export type StagingState = ReadyStaging | WaitingStaging | RefusedStaging;

export interface ReadyStaging {
  readonly phase: "Ready";
  /** What happens to the sources from now on is not in the copies. */
  readonly captured: boolean;
  readonly volumes: readonly StagedVolume[];
}

/** What a mover mounts, always read-only. */
export interface StagedVolume {
  readonly source: SourceName;
  /** A claim in the source's namespace. */
  readonly claim: string;
  /** Where the mover has to run. */
  readonly placement?: Placement;
  /** The moment of the snapshot, as the driver says. */
  readonly capturedAt?: string;
}

export interface WaitingStaging {
  readonly phase: "Waiting";
  readonly captured: boolean;
  readonly reason: string;
  readonly message: string;
}

/** It cannot be done as things are. What had been made already is removed again. */
export interface RefusedStaging {
  readonly phase: "Refused";
  readonly reason: string;
  readonly message: string;
  readonly class: FailureClass;
}

/** Something to be done in the cluster. Each may be done again. */
export type StagingIntent =
  | { readonly type: "CreateSnapshot"; readonly owner: StagingOwner; readonly draft: Draft<VolumeSnapshot> }
  | { readonly type: "CreateClaim"; readonly owner: StagingOwner; readonly draft: Draft<Claim> }
  | {
      readonly type: "CreateGroup";
      readonly owner: StagingOwner;
      readonly resource: Resource<VolumeGroupSnapshot>;
      readonly draft: Draft<VolumeGroupSnapshot>;
    }
  /** The claim can be selected for its owner's group; without an owner, no longer. */
  | { readonly type: "Mark"; readonly claim: KubeObject; readonly owner: StagingOwner | undefined }
  /** What is behind a staged object goes along with it, whatever its class says. */
  | {
      readonly type: "MakeTemporary";
      readonly resource: Resource;
      readonly object: KubeObject;
      readonly field: "deletionPolicy" | "persistentVolumeReclaimPolicy";
    }
  /** The staged object is no longer held by us. */
  | { readonly type: "Release"; readonly resource: Resource; readonly object: KubeObject }
  | { readonly type: "Delete"; readonly resource: Resource; readonly object: KubeObject };

export function waiting(reason: string, message: string, captured = false): WaitingStaging {
  return { phase: "Waiting", captured, reason, message: boundedMessage(message) };
}

export function refused(failureClass: FailureClass, reason: string, message: string): RefusedStaging {
  return { phase: "Refused", reason, message: boundedMessage(message), class: failureClass };
}

import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

/* VolSync's two kinds, as far as this project reads them. Their CRDs are VolSync's own. */

const GROUP = { group: "volsync.backube", version: "v1alpha1", namespaced: true } as const;

interface Trigger {
  readonly schedule?: string;
  readonly manual?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface KopiaMover {
  readonly repository?: string;
  readonly username?: string;
  readonly hostname?: string;
}

export interface ReplicationSource extends KubeObject {
  readonly spec?: {
    readonly sourcePVC?: string;
    readonly paused?: boolean;
    readonly trigger?: Trigger;
    readonly kopia?: KopiaMover;
  };
  readonly status?: {
    readonly lastSyncTime?: string;
    /** The value of `spec.trigger.manual` for which a backup was made. */
    readonly lastManualSync?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface ReplicationDestination extends KubeObject {
  readonly spec?: {
    readonly trigger?: Trigger;
    readonly kopia?: KopiaMover & {
      /** Whose backups are restored, in other words. */
      readonly sourceIdentity?: { readonly sourceName?: string; readonly sourceNamespace?: string };
      readonly restoreAsOf?: string;
      readonly previous?: number;
    };
  };
  readonly status?: {
    readonly lastSyncTime?: string;
    /** What a PVC that names this object gets: a VolumeSnapshot of what was restored last. */
    readonly latestImage?: { readonly name?: string };
    readonly conditions?: readonly Condition[];
  };
}

export const ReplicationSources: Resource<ReplicationSource> = {
  ...GROUP,
  kind: "ReplicationSource",
  plural: "replicationsources",
};
export const ReplicationDestinations: Resource<ReplicationDestination> = {
  ...GROUP,
  kind: "ReplicationDestination",
  plural: "replicationdestinations",
};

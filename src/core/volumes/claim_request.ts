import type { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";

/** A claim as it is stored. */
export type Claim = NonNullable<(typeof PersistentVolumeClaims)["shape"]>;

export type AccessMode = "ReadWriteOnce" | "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOncePod";

/** A claim that is to be there, empty, for somebody to fill. */
export interface ClaimRequest {
  readonly namespace: string;
  readonly name: string;
  /** Default: the cluster's default class. */
  readonly storageClassName?: string | undefined;
  /** A quantity, such as `10Gi`. */
  readonly capacity: string;
  /** Default ReadWriteOnce. */
  readonly accessModes?: readonly AccessMode[] | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The only volume that it can be bound to. Default: any. */
  readonly volumeName?: string | undefined;
  /** The UID of the object that it is made for: only for this one does an existing claim count as made. */
  readonly madeFor: string;
}

/** Says for which object a claim was made. No owner reference: data never goes by cascade. */
export const MADE_FOR = "holdfast.dev/made-for";

export function claimDraft(request: ClaimRequest): Draft<Claim> {
  const {
    namespace,
    name,
    storageClassName,
    capacity,
    accessModes = ["ReadWriteOnce"],
    labels,
    volumeName,
  } = request;
  const annotations = { ...request.annotations, [MADE_FOR]: request.madeFor };
  return {
    metadata: {
      namespace,
      name,
      annotations,
      ...(labels ? { labels } : {}),
    },
    spec: {
      accessModes: [...accessModes],
      resources: { requests: { storage: capacity } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeName === undefined ? {} : { volumeName }),
    },
  };
}

/** Whether the claim was made for the object of this UID. */
export function isMadeFor(claim: KubeObject, uid: string): boolean {
  return claim.metadata.annotations?.[MADE_FOR] === uid;
}

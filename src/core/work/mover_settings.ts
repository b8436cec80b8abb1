import type {
  Affinity,
  ConfigMapVolumeSource,
  PodSecurityContext,
  ResourceRequirements,
  SecretVolumeSource,
  SecurityContext,
  Toleration,
} from "kubernetes-types/core/v1.d.ts";

/** How a mover's pod is to be, apart from its work. */
export interface MoverSettings {
  readonly image: string;
  /** Default `IfNotPresent`. */
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** It also has the Secrets that images are pulled with. Default: what `MoverAccounts` says. No token is mounted. */
  readonly serviceAccountName?: string;
  /** Default: `DEFAULT_RESOURCES`; what is given takes their place as a whole. */
  readonly resources?: ResourceRequirements;
  /**
   * Laid over the restricted defaults, field by field. An fsGroup becomes a supplemental group: the kubelet would
   * rewrite owners and modes of the volumes. Only a volume that is nobody's yet is given to the mover's group.
   */
  readonly podSecurityContext?: PodSecurityContext;
  /** Laid over the restricted defaults, field by field. */
  readonly securityContext?: SecurityContext;
  /** The only node that it may run on. The scheduler is not asked. */
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
  /** Default: an emptyDir without a limit of its own. */
  readonly cache?: CacheVolume;
  /** For the pod alone. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Plain settings; never a secret. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files that the mover's programs need besides, such as certificates. Default: none. */
  readonly files?: readonly MoverFiles[];
  /** How long a mover that is told to end may take to clean up and report, in seconds. Default 60. */
  readonly terminationGracePeriodSeconds?: number;
}

/** The keys of a ConfigMap or a Secret of the mover's namespace, as files. */
export type MoverFiles = { readonly mountPath: string; readonly subPath?: string } & (
  | { readonly configMap: ConfigMapVolumeSource }
  | { readonly secret: SecretVolumeSource }
);

export type CacheVolume =
  | { readonly emptyDir: { readonly sizeLimit?: string } }
  | { readonly claim: string }
  /** A new volume, that goes with the pod. */
  | { readonly ephemeral: { readonly storageClassName: string; readonly capacity: string } };

import type {
  Affinity,
  ResourceRequirements,
  SecurityContext,
  Toleration,
} from "kubernetes-types/core/v1.d.ts";
import type { CacheVolume, MoverSettings } from "../../core/work/mover_settings.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { BackupConfigSpec } from "../../kinds/kopiur/generated/backup_config.ts";
import type { RepositorySpec } from "../../kinds/kopiur/generated/repository.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { CacheLimits } from "../../wire/work.ts";
import { blocked, type Problem } from "./problem.ts";
import type { KopiurSettings } from "./settings.ts";

type MoverSpec = NonNullable<BackupConfigSpec["mover"]>;
type CacheSpec = NonNullable<MoverSpec["cache"]>;

export interface MoverRequest {
  readonly settings: KopiurSettings;
  readonly repository: Pick<RepositorySpec, "cacheDefaults" | "moverDefaults" | "kopiaImageOverride">;
  /** What the object itself says; it wins over the repository, field by field. */
  readonly mover?: MoverSpec | undefined;
  /** The namespace that the mover runs in lets movers have privileges. */
  readonly consent: boolean;
  /** Run as this user where nothing else is said and it is not root. */
  readonly runAs?: Owner | undefined;
}

export interface Mover {
  readonly settings: MoverSettings;
  readonly cache?: CacheLimits;
  readonly parallel?: number;
}

const NOBODY = 65534;
const MB = 1_000_000;

/** What it takes to read every file, and to give each its owner, mode and attributes back. */
const PRIVILEGED: SecurityContext = {
  runAsUser: 0,
  runAsGroup: 0,
  runAsNonRoot: false,
  capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "MKNOD", "SETFCAP"] },
};

/** How the mover's pod is to be; or why it may not be so. */
export function moverFor(request: MoverRequest): Result<Mover, Problem> {
  const { settings, repository, mover: own } = request;
  const mover = { ...repository.moverDefaults, ...own };
  const privileged = (own?.privilegedMode || repository.moverDefaults?.privilegedMode) ?? false;
  const cache = { ...repository.cacheDefaults, ...repository.moverDefaults?.cache, ...own?.cache };
  const problem = problemWith({ mover, privileged, cache, consent: request.consent });
  if (problem) return err(problem);
  const { nodeSelector, priorityClassName, labels, annotations, supplementalGroups, parallel } = mover;
  const limits = cacheLimits(cache);
  return ok({
    settings: {
      image: repository.kopiaImageOverride ?? settings.moverImage,
      ...(settings.imagePullPolicy ? { imagePullPolicy: settings.imagePullPolicy } : {}),
      securityContext: {
        ...(privileged ? PRIVILEGED : unprivileged(request.runAs)),
        ...(mover.securityContext as SecurityContext | undefined),
      },
      ...(supplementalGroups ? { podSecurityContext: { supplementalGroups: [...supplementalGroups] } } : {}),
      ...(mover.resources ? { resources: mover.resources as ResourceRequirements } : {}),
      ...(mover.affinity ? { affinity: mover.affinity as Affinity } : {}),
      ...(mover.tolerations ? { tolerations: mover.tolerations as unknown as readonly Toleration[] } : {}),
      ...(nodeSelector ? { nodeSelector } : {}),
      ...(priorityClassName ? { priorityClassName } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      cache: cacheVolume(cache),
    },
    ...(limits ? { cache: limits } : {}),
    ...(parallel === undefined ? {} : { parallel }),
  });
}

interface Checked {
  readonly mover: Partial<MoverSpec>;
  readonly privileged: boolean;
  readonly cache: CacheSpec;
  readonly consent: boolean;
}

function problemWith({ mover, privileged, cache, consent }: Checked): Problem | undefined {
  const context = mover.securityContext as SecurityContext | undefined;
  if ((privileged || context?.privileged || context?.runAsUser === 0) && !consent) {
    return blocked(
      "PrivilegedMoverForbidden",
      `The mover is to run as root, and this namespace does not consent. Annotate the namespace with ${ANNOTATIONS.allowPrivilegedMovers}=true, or leave privilegedMode out.`,
    );
  }
  if (mover.inheritSecurityContextFrom) {
    return blocked(
      "InheritanceUnsupported",
      "A security context cannot be inherited from a pod yet. Say it in mover.securityContext, or use privilegedMode.",
    );
  }
  if (cache.storageClassName) {
    return blocked(
      "CacheVolumeUnsupported",
      "A cache cannot have a volume of a storage class yet. Leave cache.storageClassName out: then it is on the node's disk.",
    );
  }
  return undefined;
}

function unprivileged(runAs: Owner | undefined): SecurityContext {
  const { uid, gid } = runAs && runAs.uid !== 0 ? runAs : { uid: NOBODY, gid: NOBODY };
  return { runAsUser: uid, runAsGroup: gid, runAsNonRoot: true };
}

function cacheVolume({ capacity }: CacheSpec): CacheVolume {
  return { emptyDir: capacity === undefined ? {} : { sizeLimit: String(capacity) } };
}

function cacheLimits({ contentCacheSizeMB, metadataCacheSizeMB }: CacheSpec): CacheLimits | undefined {
  if (contentCacheSizeMB === undefined && metadataCacheSizeMB === undefined) return undefined;
  return {
    ...(contentCacheSizeMB === undefined ? {} : { contentBytes: contentCacheSizeMB * MB }),
    ...(metadataCacheSizeMB === undefined ? {} : { metadataBytes: metadataCacheSizeMB * MB }),
  };
}

/** Whether a namespace lets movers have privileges. */
export function consents(
  namespace: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } } | undefined,
): boolean {
  return namespace?.metadata.annotations?.[ANNOTATIONS.allowPrivilegedMovers] === "true";
}

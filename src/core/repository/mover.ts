import type { Affinity, ResourceRequirements, Toleration } from "kubernetes-types/core/v1.d.ts";
import { ok, type Result } from "../../lib/result.ts";
import type { CacheLimits } from "../../wire/work.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { CacheVolume, MoverSettings } from "../work/mover_settings.ts";
import type { CacheSpec, MoverSpec } from "../work/mover_spec.ts";
import type { Settings } from "../work/settings.ts";
import { type MoverSecurityRequest, moverSecurity } from "./mover_user.ts";
import type { RepositorySpec } from "./repository.ts";

export interface MoverRequest extends Omit<MoverSecurityRequest, "mover"> {
  readonly settings: Settings;
  readonly repository: Pick<RepositorySpec, "cacheDefaults" | "moverDefaults">;
  /** Default: that of the settings. */
  readonly image?: string | undefined;
  /** What the object itself says; it wins over the repository, field by field. */
  readonly mover?: MoverSpec | undefined;
}

export interface Mover {
  readonly settings: MoverSettings;
  readonly cache?: CacheLimits;
  readonly parallel?: number;
}

const MB = 1_000_000;

/** How the mover's pod is to be; or why it may not be so. */
export function moverFor(request: MoverRequest): Result<Mover, Problem> {
  const { settings, repository, image = settings.moverImage, mover: own } = request;
  const mover = moverOver(repository.moverDefaults, own);
  const cache = { ...repository.cacheDefaults, ...repository.moverDefaults?.cache, ...own?.cache };
  const security = moverSecurity({ ...request, mover });
  if (!security.ok) return security;
  const { nodeSelector, priorityClassName, labels, annotations, parallel } = mover;
  const limits = cacheLimits(cache);
  return ok({
    settings: {
      image,
      ...(settings.imagePullPolicy ? { imagePullPolicy: settings.imagePullPolicy } : {}),
      ...environment(settings),
      ...security.value,
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

function environment({ standstillSeconds, moverDebug }: Settings): Pick<MoverSettings, "env"> {
  const env = {
    ...(standstillSeconds === undefined ? {} : { HOLDFAST_STANDSTILL_SECONDS: String(standstillSeconds) }),
    ...(moverDebug ? { HOLDFAST_LOG_LEVEL: "debug" } : {}),
  };
  return Object.keys(env).length > 0 ? { env } : {};
}

/** What an object says of its movers, over what its repository says. Neither takes privileges from the other. */
export function moverOver(
  defaults: Partial<MoverSpec> | undefined,
  own: Partial<MoverSpec> | undefined,
): Partial<MoverSpec> {
  const privilegedMode = (own?.privilegedMode || defaults?.privilegedMode) ?? false;
  return { ...defaults, ...own, privilegedMode };
}

/** Of a cache's volume whose size nobody names. The mover fits its engine's caches to what it finds. */
const DEFAULT_CACHE = "8Gi";

function cacheVolume({ capacity, storageClassName }: CacheSpec): CacheVolume {
  if (storageClassName !== undefined) {
    return { ephemeral: { storageClassName, capacity: String(capacity ?? DEFAULT_CACHE) } };
  }
  return { emptyDir: capacity === undefined ? {} : { sizeLimit: String(capacity) } };
}

function cacheLimits({ contentCacheSizeMB, metadataCacheSizeMB }: CacheSpec): CacheLimits | undefined {
  if (contentCacheSizeMB === undefined && metadataCacheSizeMB === undefined) return undefined;
  return {
    ...(contentCacheSizeMB === undefined ? {} : { contentBytes: contentCacheSizeMB * MB }),
    ...(metadataCacheSizeMB === undefined ? {} : { metadataBytes: metadataCacheSizeMB * MB }),
  };
}

import { isRecord } from "../../lib/json.ts";
import type { Ledger } from "./ledger.ts";

/** The settings of a mover that VolSync's restic and kopia have in common, as `spec.mover` has them. */
export function moverSettings(ledger: Ledger, base: string): object | undefined {
  const context = ledger.take(
    `${base}.moverSecurityContext`,
    "mover.securityContext and mover.supplementalGroups",
  );
  const capacity = ledger.take(`${base}.cacheCapacity`, "mover.cache.capacity");
  const storageClassName = ledger.take(`${base}.cacheStorageClassName`, "mover.cache.storageClassName");
  const metadataCacheSizeMB = ledger.take(
    `${base}.metadataCacheSizeLimitMB`,
    "mover.cache.metadataCacheSizeMB",
  );
  const contentCacheSizeMB = ledger.take(`${base}.contentCacheSizeLimitMB`, "mover.cache.contentCacheSizeMB");
  ledger.lose(`${base}.cacheAccessModes`, "a cache volume belongs to one pod alone");
  ledger.lose(
    `${base}.moverServiceAccount`,
    "movers have no rights in the cluster; mover.serviceAccountName of the installation names an account for all of them",
  );
  ledger.lose(`${base}.moverVolumes`, "movers mount nothing but volumes, cache and credentials");
  const cache = defined({ capacity, storageClassName, metadataCacheSizeMB, contentCacheSizeMB });
  const settings = {
    ...securityOf(context),
    ...defined({
      resources: ledger.take(`${base}.moverResources`, "mover.resources"),
      affinity: ledger.take(`${base}.moverAffinity`, "mover.affinity"),
      labels: ledger.take(`${base}.moverPodLabels`, "mover.labels"),
      parallel: ledger.take(`${base}.parallelism`, "mover.parallel"),
    }),
    ...(Object.keys(cache).length > 0 ? { cache } : {}),
  };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

/** A pod's context becomes a container's; its groups become groups of the mover. */
function securityOf(context: unknown): object {
  if (!isRecord(context)) return {};
  const { fsGroup, supplementalGroups = [], fsGroupChangePolicy: _, ...container } = context;
  const groups = [fsGroup, ...(Array.isArray(supplementalGroups) ? supplementalGroups : [])].filter(
    (group) => typeof group === "number",
  );
  return {
    ...(Object.keys(container).length > 0 ? { securityContext: container } : {}),
    ...(groups.length > 0 ? { supplementalGroups: [...new Set(groups)] } : {}),
  };
}

/** The fields that have a value. */
export function defined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

import { byteQuantity } from "../../policy/byte_quantity.ts";
import type { Claim } from "../claim_request.ts";
import type { ResourceQuota } from "./observed_population.ts";

/**
 * Why the namespace has no room for a second claim like this one, which is there for as long as the first is being
 * filled; or for both, where there is none yet. Undefined where it has, or where a quota cannot be understood: the API server has the last word.
 */
export function quotaProblem(
  { metadata, spec }: Claim,
  quotas: readonly ResourceQuota[],
  claims: 1 | 2 = 1,
): string | undefined {
  const storage = spec?.resources?.requests?.storage;
  const ofClass = `${spec?.storageClassName ?? ""}.storageclass.storage.k8s.io`;
  const needs: readonly (readonly [string, string])[] = [
    ["persistentvolumeclaims", "1"],
    ["count/persistentvolumeclaims", "1"],
    ["requests.storage", String(storage ?? "0")],
    [`${ofClass}/persistentvolumeclaims`, "1"],
    [`${ofClass}/requests.storage`, String(storage ?? "0")],
  ];
  for (const { metadata: quota, spec: limits, status } of quotas) {
    for (const [resource, need] of needs) {
      const hard = status?.hard?.[resource] ?? limits?.hard?.[resource];
      const used = status?.used?.[resource] ?? "0";
      if (hard === undefined || fits(used, need, hard, claims)) continue;
      const wanted = claims === 2 ? `twice ${need}` : need;
      return `Filling PersistentVolumeClaim ${metadata.name} takes a second claim of its size and class until it is done: ${wanted} of ${resource}. ResourceQuota ${quota.name} has ${hard}, of which ${used} is used. Raise the quota by that much, or free some of it.`;
    }
  }
  return undefined;
}

function fits(used: string, need: string, hard: string, claims: number): boolean {
  const [u, n, h] = [used, need, hard].map(byteQuantity);
  return u === undefined || n === undefined || h === undefined || u + n * claims <= h;
}

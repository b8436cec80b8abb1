import type { PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import type { KubeObject } from "../../../kube/object.ts";

interface Templated extends KubeObject {
  readonly spec?: {
    readonly template?: PodTemplateSpec;
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
  };
}

/** Whether pods of a workload, also of one that has none now, use the claim. */
export function namesClaim(workload: KubeObject, claim: string): boolean {
  const { metadata, spec } = workload as Templated;
  const mounted = spec?.template?.spec?.volumes?.some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim,
  );
  return (
    mounted ||
    (spec?.volumeClaimTemplates ?? []).some(({ metadata: template }) => {
      const prefix = `${template?.name ?? ""}-${metadata.name}-`;
      return claim.startsWith(prefix) && /^\d+$/.test(claim.slice(prefix.length));
    })
  );
}

import type { Crd, CrdVersion } from "../../../src/kube/schema/crd.ts";
import type { Structural } from "../../../src/kube/schema/structural.ts";

/** A CRD around a schema, otherwise as plain as can be; `more` is added to its one version. */
export function plainCrd(
  group: string,
  kind: string,
  schema: Structural,
  more: Partial<CrdVersion> = {},
): Crd {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    },
  };
}

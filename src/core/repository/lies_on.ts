import type { KubeObject } from "../../kube/object.ts";

/** A repository, as far as it shows where it lies. */
export interface Placed extends KubeObject {
  readonly spec: { readonly backend: { readonly filesystem?: { readonly pvc: { readonly name: string } } } };
}

/** Whether a repository lies on the claim of this name, in the namespace of whoever uses it. */
export function liesOn({ spec }: Placed, claim: string): boolean {
  return spec.backend.filesystem?.pvc.name === claim;
}

import type { Crd } from "../../src/kube/schema/crd.ts";

/** A change to a good CRD that makes it a bad one, and what the checker says of it. */
export interface BrokenCrd {
  readonly name: string;
  readonly crd: (group: string) => unknown;
  /** The end of the path, and part of the message. */
  readonly path: string;
  readonly message: string;
  /** The API server takes it: the rule is our own. */
  readonly ours?: true;
}

type Properties = Readonly<Record<string, unknown>>;

/** A good CRD whose spec has these properties. */
export function crdWith(
  group: string,
  properties: Properties,
  change: (crd: Crd) => unknown = (crd) => crd,
): unknown {
  const spec = { type: "object", description: "Wanted.", properties };
  return change({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", description: "A thing.", properties: { spec } } },
        },
      ],
    },
  } as unknown as Crd);
}

/** A good property. */
export const text = { type: "string", maxLength: 9, description: "A text." };

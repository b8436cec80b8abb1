import type { Crd } from "../../../src/kube/schema/crd.ts";
import type { Structural } from "../../../src/kube/schema/structural.ts";

const spec: Structural = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100 },
    color: { type: "string", enum: ["red", "green", "blue"] },
    code: { type: "string", pattern: "^[a-z]+$", maxLength: 8 },
    mode: { type: "string", default: "auto" },
    replicas: { type: "integer", format: "int32" },
    port: { "x-kubernetes-int-or-string": true },
    note: { type: "string", nullable: true },
    limits: {
      type: "object",
      required: ["cpu"],
      properties: { cpu: { type: "integer" }, memory: { type: "integer", default: 64 } },
    },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 5 },
    list: { type: "array", items: { type: "string" } },
    parts: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, amount: { type: "integer" }, kind: { type: "string" } },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    whole: {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      properties: { a: { type: "string" }, b: { type: "string" } },
    },
    options: { type: "object", additionalProperties: { type: "string" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const status: Structural = {
  type: "object",
  properties: {
    phase: { type: "string" },
    replicas: { type: "integer", format: "int32" },
    selector: { type: "string" },
    seen: { type: "integer" },
  },
};

/** The custom kind of most cases: something of everything. */
export function widgetCrd(group: string): Crd {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind: "Widget",
        listKind: "WidgetList",
        plural: "widgets",
        singular: "widget",
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          ],
        },
      ],
    },
  };
}

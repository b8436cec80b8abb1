import { describe, expect, test } from "vitest";
import { kindsOfCrd } from "../kinds/crd_kinds.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { scaleOf, scaleToPatch, withScale } from "./scale.ts";

const scale = {
  specReplicasPath: ".spec.size.count",
  statusReplicasPath: ".status.count",
  labelSelectorPath: ".status.selector",
};
const [kind] = kindsOfCrd({
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: {} }, subresources: { scale } },
    ],
  },
}) as [KindInfo];

const metadata = { name: "w", namespace: "ns", uid: "u", resourceVersion: "3", creationTimestamp: "t" };
const widget: Stored = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata,
  spec: { colour: "red", size: { count: 2 } },
  status: { count: 1, selector: "a=b" },
};

describe("a Scale", () => {
  test("shows what the kind's paths lead to", () => {
    expect(scaleOf(kind, widget)).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata,
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "a=b" },
    });
  });

  test("is missing where nothing is said of replicas, unless to be patched", () => {
    const silent = { ...widget, spec: {} };
    expect(() => scaleOf(kind, silent)).toThrow('the spec replicas field ".spec.size.count" does not exist');
    expect(scaleToPatch(kind, silent).spec).toEqual({});
  });

  test("changes the replicas and nothing else", () => {
    const scaled = withScale(kind, widget, { spec: { replicas: 5 }, metadata: { resourceVersion: "2" } });
    expect(scaled).toEqual({
      ...widget,
      metadata: { ...metadata, resourceVersion: "2" },
      spec: { colour: "red", size: { count: 5 } },
    });
    expect(withScale(kind, widget, {}).spec).toEqual({ colour: "red", size: { count: 0 } });
  });

  test("below zero is refused", () => {
    expect(() => withScale(kind, widget, { spec: { replicas: -1 } })).toThrow(
      'Widget.example.com "w" is invalid: .spec.size.count: Invalid value: -1: should be a non-negative integer',
    );
  });
});

import { describe, expect, test } from "vitest";
import { ConfigMaps, Jobs, Namespaces, Nodes, PersistentVolumes } from "../builtin.ts";
import type { KubeObject } from "../object.ts";
import { OwnerOutOfReach, ownerReference } from "./owners.ts";

function stored(name: string, namespace?: string): KubeObject {
  return {
    apiVersion: "as/cached",
    kind: "AsCached",
    metadata: {
      name,
      uid: `uid of ${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(namespace ? { namespace } : {}),
    },
  };
}

const job = { resource: { ...Jobs, shape: stored("x") }, object: stored("run", "home") };
const node = { resource: { ...Nodes, shape: stored("x") }, object: stored("node") };

describe("ownerReference()", () => {
  test("names the owner as its resource is served, as the controller", () => {
    const reference = ownerReference({ owner: job, dependent: { resource: ConfigMaps, namespace: "home" } });
    expect(reference).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      name: "run",
      uid: "uid of run",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test("can be a plain one", () => {
    const dependent = { resource: ConfigMaps, namespace: "home" };
    const reference = ownerReference({ owner: job, dependent, controller: false, blockOwnerDeletion: false });
    expect(reference).toMatchObject({ controller: false, blockOwnerDeletion: false });
  });

  test.each([
    [{ resource: ConfigMaps, namespace: "away" }, "in namespace away"],
    [{ resource: ConfigMaps }, "in namespace (none)"],
    [{ resource: PersistentVolumes }, "without a namespace"],
    [{ resource: Namespaces, namespace: "home" }, "without a namespace"],
  ])("refuses an owner in a namespace for a dependent out of it: %j", (dependent, place) => {
    expect(() => ownerReference({ owner: job, dependent })).toThrow(OwnerOutOfReach);
    expect(() => ownerReference({ owner: job, dependent })).toThrow(
      `Job home/run cannot own a ${dependent.resource.kind} ${place}: `,
    );
  });

  test.each([{ resource: ConfigMaps, namespace: "home" }, { resource: PersistentVolumes }])(
    "allows an owner without a namespace everywhere: %j",
    (dependent) => {
      expect(ownerReference({ owner: node, dependent })).toMatchObject({ kind: "Node", name: "node" });
    },
  );
});

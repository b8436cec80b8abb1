import type { Crd } from "../../src/kube/schema/crd.ts";
import { type BrokenCrd, crdWith, text } from "./broken_crd.ts";

function names(name: string, change: Partial<Crd["spec"]["names"]>, message: string, ours?: true): BrokenCrd {
  const broken = (crd: Crd) => ({ ...crd, spec: { ...crd.spec, names: { ...crd.spec.names, ...change } } });
  return {
    name,
    crd: (group) => crdWith(group, { it: text }, broken),
    path: "spec.names",
    message,
    ...(ours ? { ours } : {}),
  };
}

function version(name: string, change: object, path: string, message: string, ours?: true): BrokenCrd {
  const broken = (crd: Crd) => ({
    ...crd,
    spec: { ...crd.spec, versions: crd.spec.versions.map((v) => ({ ...v, ...change })) },
  });
  return {
    name,
    crd: (group) => crdWith(group, { it: text }, broken),
    path,
    message,
    ...(ours ? { ours } : {}),
  };
}

/** Broken around the fields: names, group, versions, what a root may be. */
export const BROKEN_DEFINITIONS: readonly BrokenCrd[] = [
  names("a short name that equals the plural", { shortNames: ["things"] }, "things is named twice", true),
  names("a short name in upper case", { shortNames: ["TH"] }, "TH is not a DNS label"),
  names("a list kind that equals the kind", { listKind: "Thing" }, "must differ"),
  names("a kind that is no label", { kind: "No Thing" }, "not a DNS label"),
  {
    name: "a name that is not plural and group",
    crd: (group) => crdWith(group, { it: text }, (crd) => ({ ...crd, metadata: { name: `thing.${group}` } })),
    path: "metadata.name",
    message: "must be things.",
  },
  {
    name: "a group of Kubernetes",
    crd: () => crdWith("things.k8s.io", { it: text }),
    path: "spec.group",
    message: "belongs to Kubernetes",
  },
  {
    name: "a group without a dot",
    crd: () => crdWith("things", { it: text }),
    path: "spec.group",
    message: "at least one dot",
  },
  version("a version that is none", { name: "1" }, "spec.versions[0].name", "is not a version"),
  version("no stored version", { storage: false }, "spec.versions", "exactly one"),
  version(
    "a column with a broken path",
    { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".a[" }] },
    ".jsonPath",
    "is not a JSON path",
    true,
  ),
  version(
    "a column with a path that starts nowhere",
    { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: "a" }] },
    ".jsonPath",
    "is not a JSON path",
  ),
  version(
    "a scale path outside of the spec",
    {
      subresources: { status: {}, scale: { specReplicasPath: ".status.a", statusReplicasPath: ".status.b" } },
    },
    ".specReplicasPath",
    "not a simple path",
  ),
  version(
    "metadata with rules of its own",
    {
      schema: {
        openAPIV3Schema: {
          type: "object",
          description: "It.",
          properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
        },
      },
    },
    ".properties[metadata]",
    "name and generateName",
  ),
  version(
    "a root that is no object",
    { schema: { openAPIV3Schema: { type: "array", description: "It.", maxItems: 1, items: text } } },
    ".type",
    "object at the root",
  ),
  version(
    "additionalProperties at the root",
    {
      schema: {
        openAPIV3Schema: { type: "object", description: "It.", maxProperties: 1, additionalProperties: text },
      },
    },
    ".additionalProperties",
    "at the root",
  ),
  version(
    "a default at the root",
    { schema: { openAPIV3Schema: { type: "object", description: "It.", default: {} } } },
    ".default",
    "forbidden here",
  ),
];

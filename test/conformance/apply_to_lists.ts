import { expect } from "vitest";
import { ConfigMaps, Deployments } from "../../src/kube/builtin.ts";
import type { Body } from "./world/api.ts";
import { refused, taken } from "./world/expectations.ts";
import { owners } from "./world/owners.ts";
import type { Theme } from "./world/world.ts";

export const applyToLists: Theme = {
  name: "apply to lists",
  cases: {
    "lists with keys are merged element by element": async ({ of, widgets }) => {
      taken(
        await of(widgets).apply({
          metadata: { name: "map" },
          spec: { parts: [{ name: "a", amount: 1 }, { name: "b" }] },
        }),
      );
      const both = taken(
        await of(widgets).apply(
          { metadata: { name: "map" }, spec: { parts: [{ name: "a", kind: "x" }, { name: "c" }] } },
          { fieldManager: "second" },
        ),
        200,
      );
      expect(both.spec.parts).toEqual([{ name: "a", amount: 1, kind: "x" }, { name: "b" }, { name: "c" }]);
      expect(owners(both)).toEqual([
        [
          "manager Apply",
          {
            "f:spec": {
              "f:parts": {
                'k:{"name":"a"}': { ".": {}, "f:amount": {}, "f:name": {} },
                'k:{"name":"b"}': { ".": {}, "f:name": {} },
              },
            },
          },
        ],
        [
          "second Apply",
          {
            "f:spec": {
              "f:parts": {
                'k:{"name":"a"}': { ".": {}, "f:kind": {}, "f:name": {} },
                'k:{"name":"c"}': { ".": {}, "f:name": {} },
              },
            },
          },
        ],
      ]);
      const less = taken(
        await of(widgets).apply({ metadata: { name: "map" }, spec: { parts: [{ name: "a" }] } }),
        200,
      );
      expect(less.spec.parts).toEqual([{ name: "a", kind: "x" }, { name: "c" }]);
    },

    "sets are merged value by value": async ({ of, widgets }) => {
      taken(await of(widgets).apply({ metadata: { name: "set" }, spec: { tags: ["a", "b"] } }));
      const both = taken(
        await of(widgets).apply(
          { metadata: { name: "set" }, spec: { tags: ["c", "b"] } },
          { fieldManager: "second" },
        ),
        200,
      );
      expect(new Set(both.spec.tags as string[])).toEqual(new Set(["a", "b", "c"]));
      expect(owners(both)).toEqual([
        ["manager Apply", { "f:spec": { "f:tags": { 'v:"a"': {}, 'v:"b"': {} } } }],
        ["second Apply", { "f:spec": { "f:tags": { 'v:"b"': {}, 'v:"c"': {} } } }],
      ]);
      const less = taken(await of(widgets).apply({ metadata: { name: "set" }, spec: {} }), 200);
      expect(new Set(less.spec.tags as string[])).toEqual(new Set(["b", "c"]));
    },

    "atomic lists and maps are owned whole": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).apply({ metadata: { name: "atomic" }, spec: { list: ["a"], whole: { a: "1" } } }),
      );
      expect(owners(made)).toEqual([["manager Apply", { "f:spec": { "f:list": {}, "f:whole": {} } }]]);
      refused(
        await of(widgets).apply(
          { metadata: { name: "atomic" }, spec: { whole: { b: "2" } } },
          { fieldManager: "second" },
        ),
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "manager": .spec.whole',
      );
      const forced = taken(
        await of(widgets).apply(
          { metadata: { name: "atomic" }, spec: { whole: { b: "2" } } },
          { fieldManager: "second", force: true },
        ),
      );
      expect(forced.spec.whole).toEqual({ b: "2" });
    },

    "a list with keys that holds one twice is refused": async ({ of, widgets, group }) => {
      refused(
        await of(widgets).apply({
          metadata: { name: "twice" },
          spec: { parts: [{ name: "a" }, { name: "a" }] },
        }),
        500,
        undefined,
        new RegExp(
          `failed to create typed patch object \\(.*twice; ${group}/v1, Kind=Widget\\): .spec.parts: duplicate entries for key \\[name="a"\\]`,
        ),
      );
    },

    "containers are merged by name": async ({ of }) => {
      const labels = { app: "merged" };
      const template = (containers: object[]) => ({ metadata: { labels }, spec: { containers } });
      taken(
        await of(Deployments).apply({
          metadata: { name: "merged" },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: template([{ name: "c", image: "none:1" }]),
          },
        }),
        201,
      );
      const next = taken(
        await of(Deployments).apply(
          {
            metadata: { name: "merged" },
            spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "A", value: "1" }] }] } } },
          },
          { fieldManager: "second" },
        ),
        200,
      );
      expect((next.spec.template as Body).spec.containers).toMatchObject([
        { name: "c", image: "none:1", env: [{ name: "A", value: "1" }] },
      ]);
    },

    "owner references are merged by uid": async ({ of }) => {
      const reference = (name: string, uid: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });
      const one = taken(await of(ConfigMaps).create({ metadata: { name: "owner-1" } }));
      const two = taken(await of(ConfigMaps).create({ metadata: { name: "owner-2" } }));
      taken(
        await of(ConfigMaps).apply({
          metadata: { name: "owned", ownerReferences: [reference("owner-1", one.metadata.uid)] },
        }),
      );
      const both = taken(
        await of(ConfigMaps).apply(
          { metadata: { name: "owned", ownerReferences: [reference("owner-2", two.metadata.uid)] } },
          { fieldManager: "second" },
        ),
      );
      expect(both.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["owner-1", "owner-2"]);
    },
  },
};

import { expect } from "vitest";
import { ConfigMaps, Deployments, Pods } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

function deployment(name: string) {
  const labels = { app: name };
  const containers = [
    { name: "one", image: "none:1", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
    { name: "two", image: "none:2" },
  ];
  return {
    metadata: { name, labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly object[];
}

function containersOf(spec: unknown): readonly Container[] {
  return (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers;
}

export const patches: Theme = {
  name: "patches",
  cases: {
    "a JSON patch adds, replaces, removes, moves, copies and tests, in order": async ({ of, widgets }) => {
      taken(
        await of(widgets).create({
          metadata: { name: "json", labels: { a: "1", b: "2" } },
          spec: { size: 1, list: ["x", "z"], options: { from: "v" } },
        }),
      );
      const patched = taken(
        await of(widgets).patch("json", "json", [
          { op: "test", path: "/spec/size", value: 1 },
          { op: "replace", path: "/spec/size", value: 2 },
          { op: "add", path: "/spec/list/1", value: "y" },
          { op: "add", path: "/spec/list/-", value: "end" },
          { op: "remove", path: "/metadata/labels/b" },
          { op: "add", path: "/metadata/labels/example.com~1c", value: "3" },
          { op: "copy", from: "/spec/options/from", path: "/spec/options/copied" },
          { op: "move", from: "/spec/options/from", path: "/spec/options/moved" },
        ]),
        200,
      );
      expect(patched.spec).toEqual({
        mode: "auto",
        size: 2,
        list: ["x", "y", "z", "end"],
        options: { copied: "v", moved: "v" },
      });
      expect(patched.metadata.labels).toEqual({ a: "1", "example.com/c": "3" });
    },

    "a JSON patch whose test fails changes nothing": async ({ of, widgets }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "test" }, spec: { size: 1 } }));
      refused(
        await of(widgets).patch("test", "json", [
          { op: "replace", path: "/spec/size", value: 2 },
          { op: "test", path: "/spec/size", value: 3 },
        ]),
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
      );
      expect(taken(await of(widgets).get("test"))).toEqual(made);
    },

    "a JSON patch of a path that is not there is refused": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "path" }, spec: { size: 1 } }));
      for (const patch of [
        [{ op: "remove", path: "/spec/color" }],
        [{ op: "add", path: "/spec/limits/cpu", value: 1 }],
        [{ op: "add", path: "/spec/list/7", value: "x" }],
      ])
        refused(
          await of(widgets).patch("path", "json", patch),
          422,
          "Invalid",
          "the server rejected our request due to an error in our request",
        );
    },

    "a JSON patch that replaces a missing key sets it": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "set" }, data: { a: "1" } }));
      const patched = taken(
        await of(ConfigMaps).patch("set", "json", [{ op: "replace", path: "/data/b", value: "2" }]),
        200,
      );
      expect(patched.data).toEqual({ a: "1", b: "2" });
    },

    "a JSON patch must be a list of operations": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "list" } }));
      refused(
        await of(widgets).patch("list", "json", { spec: { size: 1 } }),
        400,
        "BadRequest",
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
      );
    },

    "a merge patch merges objects, removes nulls and replaces lists": async ({ of, widgets }) => {
      taken(
        await of(widgets).create({
          metadata: { name: "merge", labels: { a: "1", b: "2" } },
          spec: { size: 1, color: "red", list: ["x", "y"], options: { a: "1" } },
        }),
      );
      const patched = taken(
        await of(widgets).patch("merge", "merge", {
          metadata: { labels: { b: null, c: "3" } },
          spec: { color: null, list: ["z"], options: { b: "2" } },
        }),
        200,
      );
      expect(patched.spec).toEqual({ mode: "auto", size: 1, list: ["z"], options: { a: "1", b: "2" } });
      expect(patched.metadata.labels).toEqual({ a: "1", c: "3" });
    },

    "a merge patch that removes a defaulted field gets the default": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "default" }, spec: { mode: "manual" } }));
      const patched = taken(await of(widgets).patch("default", "merge", { spec: { mode: null } }));
      expect(patched.spec).toEqual({ mode: "auto" });
    },

    "a strategic patch merges lists by their key": async ({ of }) => {
      taken(await of(Deployments).create(deployment("strategic")));
      const patched = taken(
        await of(Deployments).patch("strategic", "strategic", {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "two", image: "none:3" },
                  { name: "three", image: "none:4" },
                  { name: "one", env: [{ name: "B", value: "2" }] },
                ],
              },
            },
          },
        }),
        200,
      );
      const containers = containersOf(patched.spec);
      expect(containers.map(({ name, image }) => [name, image])).toEqual([
        ["two", "none:3"],
        ["three", "none:4"],
        ["one", "none:1"],
      ]);
      expect(containers.find(({ name }) => name === "one")?.env).toEqual([
        { name: "B", value: "2" },
        { name: "A", value: "1" },
      ]);
    },

    "a strategic patch deletes an element, and orders the others": async ({ of }) => {
      taken(await of(Deployments).create(deployment("directives")));
      const patched = taken(
        await of(Deployments).patch("directives", "strategic", {
          spec: {
            template: {
              spec: {
                $setElementOrder$containers: undefined,
                "$setElementOrder/containers": [{ name: "three" }, { name: "two" }],
                containers: [
                  { name: "one", $patch: "delete" },
                  { name: "three", image: "none:5" },
                ],
              },
            },
          },
        }),
        200,
      );
      expect(containersOf(patched.spec).map(({ name }) => name)).toEqual(["three", "two"]);
    },

    "a strategic patch replaces a map or a list when told to": async ({ of }) => {
      taken(await of(Deployments).create(deployment("replace")));
      const patched = taken(
        await of(Deployments).patch("replace", "strategic", {
          metadata: { labels: { $patch: "replace", only: "this" } },
          spec: {
            template: { spec: { containers: [{ $patch: "replace" }, { name: "new", image: "none:6" }] } },
          },
        }),
        200,
      );
      expect(patched.metadata.labels).toEqual({ only: "this" });
      expect(containersOf(patched.spec).map(({ name }) => name)).toEqual(["new"]);
    },

    "a strategic patch keeps only the named keys of a union": async ({ of }) => {
      taken(await of(Deployments).create(deployment("retain")));
      const patched = taken(
        await of(Deployments).patch("retain", "strategic", {
          spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
        }),
        200,
      );
      expect(patched.spec.strategy).toEqual({ type: "Recreate" });
    },

    "a strategic patch merges finalizers, and deletes one from them": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "finalizers", finalizers: ["example.com/a"] } }));
      const both = taken(
        await of(ConfigMaps).patch("finalizers", "strategic", {
          metadata: { finalizers: ["example.com/b"] },
        }),
      );
      expect(both.metadata.finalizers).toEqual(["example.com/b", "example.com/a"]);
      const one = taken(
        await of(ConfigMaps).patch("finalizers", "strategic", {
          metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] },
        }),
      );
      expect(one.metadata.finalizers).toEqual(["example.com/b"]);
      taken(await of(ConfigMaps).patch("finalizers", "merge", { metadata: { finalizers: null } }));
    },

    "a strategic patch of a map merges its keys": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "map" }, data: { a: "1", b: "2" } }));
      const patched = taken(await of(ConfigMaps).patch("map", "strategic", { data: { a: null, c: "3" } }));
      expect(patched.data).toEqual({ b: "2", c: "3" });
    },

    "a custom object takes no strategic patch": async ({ of, widgets }) => {
      taken(await of(widgets).create({ metadata: { name: "custom" } }));
      refused(
        await of(widgets).patch("custom", "strategic", { spec: { size: 1 } }),
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
      );
    },

    "a patch of another type is refused": async ({ of, api }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "type" } }));
      refused(
        await api.send("PATCH", of(ConfigMaps).path("type"), { body: {} }),
        415,
        "UnsupportedMediaType",
        "415: Unsupported Media Type",
      );
    },

    "a patch of a missing object finds nothing": async ({ of, widgets, group }) => {
      refused(
        await of(ConfigMaps).patch("absent", "merge", {}),
        404,
        "NotFound",
        'configmaps "absent" not found',
      );
      refused(
        await of(widgets).patch("absent", "merge", {}),
        404,
        "NotFound",
        `widgets.${group} "absent" not found`,
      );
    },

    "a patch cannot rename": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        taken(await things.create({ metadata: { name: "rename" } }));
        refused(
          await things.patch("rename", "merge", { metadata: { name: "other" } }),
          400,
          "BadRequest",
          "the name of the object (other) does not match the name on the URL (rename)",
        );
      }
    },

    "a patch with an old version is a conflict": async ({ of, widgets, group }) => {
      const made = taken(await of(widgets).create({ metadata: { name: "old" } }));
      taken(await of(widgets).patch("old", "merge", { spec: { size: 1 } }));
      const { resourceVersion } = made.metadata;
      refused(
        await of(widgets).patch("old", "merge", { metadata: { resourceVersion }, spec: { size: 2 } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on widgets.${group} "old": the object has been modified; please apply your changes to the latest version and try again`,
      );
    },

    "a patch that changes nothing keeps the version": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "same" }, data: { a: "1" } }));
      for (const type of ["merge", "strategic"] as const)
        expect(taken(await of(ConfigMaps).patch("same", type, { data: { a: "1" } }))).toEqual(made);
      const test = [{ op: "test", path: "/data/a", value: "1" }];
      expect(taken(await of(ConfigMaps).patch("same", "json", test))).toEqual(made);
    },

    "a patch is validated like an update": async ({ of, widgets, group }) => {
      taken(await of(widgets).create({ metadata: { name: "valid" } }));
      refused(
        await of(widgets).patch("valid", "merge", { spec: { size: 101 } }),
        422,
        "Invalid",
        `Widget.${group} "valid" is invalid: spec.size: Invalid value: 101: spec.size in body should be less than or equal to 100`,
      );
    },

    "the spec of a Pod is nearly immutable": async ({ of }) => {
      const spec = { nodeName: "nowhere", containers: [{ name: "c", image: "none" }] };
      taken(await of(Pods).create({ metadata: { name: "fixed" }, spec }), 201);
      refused(
        await of(Pods).patch("fixed", "strategic", { spec: { restartPolicy: "Never" } }),
        422,
        "Invalid",
        /^Pod "fixed" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/,
      );
      const patched = taken(
        await of(Pods).patch("fixed", "strategic", { spec: { containers: [{ name: "c", image: "other" }] } }),
      );
      expect(patched.spec.containers).toMatchObject([{ name: "c", image: "other" }]);
      taken(await of(Pods).delete("fixed", { gracePeriodSeconds: 0 }));
    },
  },
};

import { expect } from "vitest";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Jobs,
  PersistentVolumeClaims,
  Pods,
} from "../../src/kube/builtin.ts";
import { eventually } from "./world/api.ts";
import { refused, taken } from "./world/expectations.ts";
import { plainCrd } from "./world/plain_crd.ts";
import type { Run, Theme } from "./world/world.ts";

/** A spec that the schema refuses, and how. */
function refuses(name: string, spec: object, problem: string): Run {
  return async ({ of, widgets, group }) => {
    refused(
      await of(widgets).create({ metadata: { name }, spec }),
      422,
      "Invalid",
      `Widget.${group} "${name}" is invalid: ${problem}`,
    );
  };
}

export const validationAndPruning: Theme = {
  name: "validation and pruning",
  cases: {
    "fields that the schema does not know are pruned": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).create({
          metadata: { name: "pruned" },
          spec: { size: 1, odd: true, limits: { cpu: 1, odd: 2 }, parts: [{ name: "a", odd: 3 }] },
          odd: "top",
        }),
        201,
      );
      expect(made.spec).toEqual({
        size: 1,
        mode: "auto",
        limits: { cpu: 1, memory: 64 },
        parts: [{ name: "a" }],
      });
      expect(made).not.toHaveProperty("odd");
    },

    "unknown fields are warned about by default": async ({ of, widgets }) => {
      const answer = await of(widgets).create({
        metadata: { name: "warned" },
        spec: { odd: 1, parts: [{ name: "a", b: 1 }] },
      });
      taken(answer, 201);
      expect(answer.headers.warning).toBe(
        '299 - "unknown field \\"spec.odd\\"", 299 - "unknown field \\"spec.parts[0].b\\""',
      );
    },

    "unknown fields are refused when strict": async ({ of, widgets }) => {
      refused(
        await of(widgets).create(
          { metadata: { name: "strict" }, spec: { odd: 1 } },
          { fieldValidation: "Strict" },
        ),
        400,
        "BadRequest",
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.odd"',
      );
      refused(
        await of(ConfigMaps).create(
          { metadata: { name: "strict" }, dataa: {} },
          { fieldValidation: "Strict" },
        ),
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dataa"',
      );
    },

    "unknown fields are ignored when asked": async ({ of, widgets }) => {
      const answer = await of(widgets).create(
        { metadata: { name: "ignored" }, spec: { odd: 1 } },
        { fieldValidation: "Ignore" },
      );
      taken(answer, 201);
      expect(answer.headers.warning).toBeUndefined();
    },

    "unknown fields of built-in kinds are dropped, with a warning": async ({ of }) => {
      const answer = await of(ConfigMaps).create({
        metadata: { name: "dropped", odd: 1 },
        dataa: { a: "1" },
      });
      expect(taken(answer, 201)).not.toHaveProperty("dataa");
      expect(answer.headers.warning).toBe(
        '299 - "unknown field \\"metadata.odd\\"", 299 - "unknown field \\"dataa\\""',
      );
    },

    "a field that is given twice is warned about": async ({ of, api }) => {
      const answer = await api.send("POST", of(ConfigMaps).path(), {
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}',
      });
      expect(taken(answer, 201).data).toEqual({ a: "2" });
      expect(answer.headers.warning).toBe('299 - "duplicate field \\"data.a\\""');
    },

    "a way of validation that is unknown is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "way" } }, { fieldValidation: "Somehow" }),
        422,
        "Invalid",
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Somehow": supported values: "", "Ignore", "Strict", "Warn"',
      );
    },

    "fields under a preserving object are kept": async ({ of, widgets }) => {
      const free = { any: { deep: [1, "two", null] } };
      const made = taken(await of(widgets).create({ metadata: { name: "free" }, spec: { free } }));
      expect(made.spec.free).toEqual(free);
    },

    "missing fields get their defaults, also inside given objects": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).create({ metadata: { name: "defaults" }, spec: { limits: { cpu: 1 } } }),
      );
      expect(made.spec).toEqual({ mode: "auto", limits: { cpu: 1, memory: 64 } });
      const bare = taken(await of(widgets).create({ metadata: { name: "no-spec" } }));
      expect(bare).not.toHaveProperty("spec");
    },

    "null is dropped where it is not allowed, and gets the default": async ({ of, widgets }) => {
      const made = taken(
        await of(widgets).create({ metadata: { name: "null" }, spec: { mode: null, note: null, size: 1 } }),
      );
      expect(made.spec).toEqual({ mode: "auto", note: null, size: 1 });
    },

    "an integer or a text passes as such": async ({ of, widgets }) => {
      for (const [name, port] of [
        ["int", 80],
        ["text", "http"],
      ] as const)
        expect(taken(await of(widgets).create({ metadata: { name }, spec: { port } })).spec.port).toBe(port);
    },

    "a wrong type is named": refuses(
      "type",
      { size: "big" },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ),
    "a value below the minimum is named": refuses(
      "minimum",
      { size: -1 },
      "spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0",
    ),
    "a value outside of an enumeration is named": refuses(
      "enum",
      { color: "pink" },
      'spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
    ),
    "a text that does not match is named": refuses(
      "pattern",
      { code: "ABC" },
      "spec.code: Invalid value: \"ABC\": spec.code in body should match '^[a-z]+$'",
    ),
    "a text that is too long is named": refuses(
      "long",
      { code: "abcdefghi" },
      "spec.code: Too long: may not be more than 8 bytes",
    ),
    "a missing field is named": refuses("required", { limits: {} }, "spec.limits.cpu: Required value"),
    "a list that is too long is named": refuses(
      "items",
      { tags: ["a", "b", "c", "d", "e", "f"] },
      "spec.tags: Too many: 6: must have at most 5 items",
    ),
    "a value that is twice in a set is named": refuses(
      "set",
      { tags: ["a", "b", "a"] },
      'spec.tags[2]: Duplicate value: "a"',
    ),
    "an element that is twice in a list with keys is named": refuses(
      "map",
      { parts: [{ name: "a" }, { name: "a" }] },
      'spec.parts[1]: Duplicate value: {"name":"a"}',
    ),
    "an element is named by its place": refuses(
      "element",
      { parts: [{ name: "a" }, { amount: 1 }] },
      "spec.parts[1].name: Required value",
    ),
    "a value in a map is named by its key": refuses(
      "key",
      { options: { good: "1", bad: 2 } },
      'spec.options.bad: Invalid value: "integer": spec.options.bad in body must be of type string: "integer"',
    ),

    "what was stored before a field was known is pruned when it is read": async ({
      of,
      api,
      group,
      install,
    }) => {
      const schema = (fields: Record<string, { type: "string" }>) => ({
        type: "object" as const,
        properties: { spec: { type: "object" as const, properties: fields } },
      });
      const crd = plainCrd(group, "Shrinking", schema({ a: { type: "string" }, b: { type: "string" } }));
      const things = of(await install(crd));
      taken(await things.create({ metadata: { name: "old" }, spec: { a: "1", b: "2" } }));
      const versions = [
        { ...crd.spec.versions[0], schema: { openAPIV3Schema: schema({ a: { type: "string" } }) } },
      ];
      taken(
        await api.of(CustomResourceDefinitions).patch(crd.metadata.name, "merge", { spec: { versions } }),
      );
      await eventually("the new schema holds", async () => {
        const { body } = await things.get("old");
        return { done: JSON.stringify(body.spec) === '{"a":"1"}', value: body.spec };
      });
    },

    "a PersistentVolumeClaim needs an access mode and a size": async ({ of }) => {
      refused(
        await of(PersistentVolumeClaims).create({ metadata: { name: "bare" }, spec: {} }),
        422,
        "Invalid",
        'PersistentVolumeClaim "bare" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]',
      );
    },

    "a quantity must be one": async ({ of }) => {
      refused(
        await of(PersistentVolumeClaims).create({
          metadata: { name: "quantity" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "big" } } },
        }),
        400,
        "BadRequest",
        /^PersistentVolumeClaim in version "v1" cannot be handled as a PersistentVolumeClaim: quantities must match the regular expression/,
      );
    },

    "quantities are written in their shortest form": async ({ of }) => {
      const made = taken(
        await of(PersistentVolumeClaims).create({
          metadata: { name: "shortest" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "",
            resources: { requests: { storage: "1024Mi" } },
          },
        }),
        201,
      );
      expect(made.spec.resources).toEqual({ requests: { storage: "1Gi" } });
    },

    "a Pod needs a container, and a container a name and an image": async ({ of }) => {
      refused(
        await of(Pods).create({ metadata: { name: "empty" }, spec: { containers: [] } }),
        422,
        "Invalid",
        'Pod "empty" is invalid: spec.containers: Required value',
      );
      refused(
        await of(Pods).create({ metadata: { name: "empty" }, spec: { containers: [{ image: "none" }] } }),
        422,
        "Invalid",
        'Pod "empty" is invalid: spec.containers[0].name: Required value',
      );
    },

    "the pods of a Job do not restart always": async ({ of }) => {
      const template = { spec: { containers: [{ name: "c", image: "none" }] } };
      refused(
        await of(Jobs).create({ metadata: { name: "restart" }, spec: { template } }),
        422,
        "Invalid",
        'Job.batch "restart" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      );
    },
  },
};

import { expect } from "vitest";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { refused, taken } from "./world/expectations.ts";
import { plainCrd } from "./world/plain_crd.ts";
import type { Theme, World } from "./world/world.ts";

const withSpec = (spec: Structural): Structural => ({ type: "object", properties: { spec } });

const spec: Structural = {
  type: "object",
  properties: {
    min: { type: "integer" },
    max: { type: "integer" },
    fixed: {
      type: "string",
      maxLength: 20,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed is immutable" }],
    },
    names: {
      type: "array",
      maxItems: 10,
      items: { type: "string", maxLength: 20 },
      "x-kubernetes-validations": [
        { rule: "self.all(n, n.startsWith('x-'))", messageExpression: "'bad: ' + self.join(',')" },
      ],
    },
    s3: { type: "object", properties: { bucket: { type: "string" } } },
    file: { type: "object", properties: { path: { type: "string" } } },
    reasoned: {
      type: "integer",
      "x-kubernetes-validations": [
        { rule: "self < 5", message: "too much of it", reason: "FieldValueForbidden" },
      ],
    },
    plain: { type: "integer", "x-kubernetes-validations": [{ rule: "self % 2 == 0" }] },
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.min) || !has(self.max) || self.min <= self.max", message: "min is above max" },
    {
      rule: "!(has(self.s3) && has(self.file))",
      message: "at most one of s3 and file",
      fieldPath: ".s3",
      reason: "FieldValueDuplicate",
    },
    {
      rule: "!has(oldSelf.max) || has(self.max)",
      message: "max cannot be removed",
    },
  ],
};

const ruled = async ({ of, group, install }: World) =>
  of(await install(plainCrd(group, "Ruled", withSpec(spec))));

export const cel: Theme = {
  name: "cel",
  cases: {
    "a rule over several fields holds": async (world) => {
      const things = await ruled(world);
      taken(await things.create({ metadata: { name: "good" }, spec: { min: 1, max: 2 } }), 201);
      const status = refused(
        await things.create({ metadata: { name: "bad" }, spec: { min: 3, max: 2 } }),
        422,
        "Invalid",
        `Ruled.${world.group} "bad" is invalid: spec: Invalid value: min is above max`,
      );
      expect(status.details.causes).toEqual([
        { reason: "FieldValueInvalid", message: "Invalid value: min is above max", field: "spec" },
      ]);
    },

    "a rule without a message is quoted": async (world) => {
      refused(
        await (await ruled(world)).create({ metadata: { name: "quoted" }, spec: { plain: 3 } }),
        422,
        "Invalid",
        `Ruled.${world.group} "quoted" is invalid: spec.plain: Invalid value: 3: failed rule: self % 2 == 0`,
      );
    },

    "a message may be computed": async (world) => {
      refused(
        await (await ruled(world)).create({ metadata: { name: "computed" }, spec: { names: ["x-a", "b"] } }),
        422,
        "Invalid",
        `Ruled.${world.group} "computed" is invalid: spec.names: Invalid value: bad: x-a,b`,
      );
    },

    "a rule names its reason": async (world) => {
      const status = refused(
        await (await ruled(world)).create({ metadata: { name: "reason" }, spec: { reasoned: 9 } }),
        422,
        "Invalid",
        `Ruled.${world.group} "reason" is invalid: spec.reasoned: Forbidden: too much of it`,
      );
      expect(status.details.causes).toEqual([
        { reason: "FieldValueForbidden", message: "Forbidden: too much of it", field: "spec.reasoned" },
      ]);
    },

    "a rule names its field": async (world) => {
      refused(
        await (await ruled(world)).create({ metadata: { name: "union" }, spec: { s3: {}, file: {} } }),
        422,
        "Invalid",
        `Ruled.${world.group} "union" is invalid: spec.s3: Duplicate value`,
      );
    },

    "a rule about the old value is asked on change alone": async (world) => {
      const things = await ruled(world);
      taken(await things.create({ metadata: { name: "fixed" }, spec: { fixed: "a" } }), 201);
      refused(
        await things.patch("fixed", "merge", { spec: { fixed: "b" } }),
        422,
        "Invalid",
        `Ruled.${world.group} "fixed" is invalid: spec.fixed: Invalid value: "b": fixed is immutable`,
      );
      taken(await things.patch("fixed", "merge", { spec: { min: 1 } }), 200);
      taken(await things.patch("fixed", "merge", { spec: { fixed: null } }), 200);
      taken(await things.patch("fixed", "merge", { spec: { fixed: "c" } }), 200);
    },

    "a rule of the parent sees that a field was removed": async (world) => {
      const things = await ruled(world);
      taken(await things.create({ metadata: { name: "removed" }, spec: { max: 1 } }), 201);
      refused(
        await things.patch("removed", "merge", { spec: { max: null } }),
        422,
        "Invalid",
        `Ruled.${world.group} "removed" is invalid: spec: Invalid value: max cannot be removed`,
      );
    },

    "rules are not asked when the schema already refuses": async (world) => {
      refused(
        await (await ruled(world)).create({ metadata: { name: "first" }, spec: { plain: "x" } }),
        422,
        "Invalid",
        `Ruled.${world.group} "first" is invalid: [spec.plain: Invalid value: "string": spec.plain in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`,
      );
    },

    "a rule that does not compile is refused with the definition": async ({ api, group }) => {
      const broken: Structural = {
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.b > 1" }],
      };
      refused(
        await api.of(CustomResourceDefinitions).create(plainCrd(group, "Broken", withSpec(broken))),
        422,
        "Invalid",
        /properties\[spec\].x-kubernetes-validations\[0\].rule: Invalid value: .*compilation failed: ERROR: <input>:1:5: undefined field 'b'/s,
      );
    },

    "a rule that is not true or false is refused": async ({ api, group }) => {
      const broken: Structural = {
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "1 + 1" }],
      };
      refused(
        await api.of(CustomResourceDefinitions).create(plainCrd(group, "Numeric", withSpec(broken))),
        422,
        "Invalid",
        /x-kubernetes-validations\[0\].rule: Invalid value: .*cel expression must evaluate to a bool/,
      );
    },

    "rules hold for the status too": async ({ of, group, install }) => {
      const schema: Structural = {
        type: "object",
        properties: {
          spec: { type: "object", properties: { n: { type: "integer" } } },
          status: {
            type: "object",
            properties: { n: { type: "integer" } },
            "x-kubernetes-validations": [{ rule: "self.n < 3", message: "n is too big" }],
          },
        },
      };
      const things = of(
        await install(plainCrd(group, "Reporting", schema, { subresources: { status: {} } })),
      );
      taken(await things.create({ metadata: { name: "x" } }), 201);
      refused(
        await things.sub("status").patch("x", "merge", { status: { n: 3 } }),
        422,
        "Invalid",
        `Reporting.${group} "x" is invalid: status: Invalid value: n is too big`,
      );
      taken(await things.sub("status").patch("x", "merge", { status: { n: 2 } }), 200);
    },
  },
};

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SelectOptions } from "../client.ts";
import { eventPlan, listPlan, type Projection } from "../projection.ts";
import { projectedText } from "./projected_text.ts";

const entry = (manager: string) => ({
  manager,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { ".": {}, 'k:{"name":"a]"}': { "f:x": {} } } },
});

const event = (object: unknown) => ({ type: "ADDED", object });
const list = (...items: readonly unknown[]) => ({ kind: "List", items, metadata: { resourceVersion: "1" } });

function parsed(value: unknown, asked: SelectOptions, { indent = 0 } = {}): unknown {
  const json = Buffer.from(JSON.stringify(value, undefined, indent));
  const isList = typeof value === "object" && value !== null && "items" in value;
  return JSON.parse(projectedText(json, isList ? listPlan(asked) : eventPlan(asked)));
}

describe("managed fields", () => {
  const omit = { omitManagedFields: true };
  const metadata = { name: "a", uid: "u" };
  const rest = { kind: "Thing", spec: { list: [1, [2]], managedFields: [entry("mine")] } };
  const full = { ...rest, metadata: { ...metadata, managedFields: [entry("one"), entry('quo"te\\]}')] } };
  const bare = { ...rest, metadata };

  test("are left out of an event's object and of every item of a list, and only there", () => {
    expect(parsed(event(full), omit)).toEqual(event(bare));
    expect(parsed(list(full, bare, full), omit)).toEqual(list(bare, bare, bare));
  });

  test.each([
    [["managedFields"], "alone"],
    [["managedFields", "name", "uid"], "first"],
    [["name", "managedFields", "uid"], "in the middle"],
    [["name", "uid", "managedFields"], "last"],
  ])("leave the fields around them whole: %j", (order) => {
    const fields = Object.fromEntries(order.map((name) => [name, name === "managedFields" ? [{}] : name]));
    const { managedFields: _, ...kept } = fields;
    for (const object of [{ metadata: fields }, { a: 1, metadata: fields, z: 2 }]) {
      const expected = { ...object, metadata: kept };
      expect(parsed(event(object), omit)).toEqual(event(expected));
      expect(parsed(list(object), omit, { indent: 2 })).toEqual(list(expected));
    }
  });

  test("stay when nobody asked to leave them out", () => {
    expect(parsed(event(full), {})).toEqual(event(full));
  });
});

describe("a projection", () => {
  const keep = { spec: { nodeName: true, containers: { name: true } }, status: { phase: true } } as const;
  const pod = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a", managedFields: [entry("one")] },
    spec: { volumes: [], containers: [{ name: "x", image: "i" }, { image: "j" }], nodeName: "n" },
    status: { podIP: "1" },
    extra: null,
  };

  test("keeps type, metadata and what it names, of every element of a list", () => {
    const kept = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "a" },
      spec: { containers: [{ name: "x" }, {}], nodeName: "n" },
      status: {},
    };
    expect(parsed(event(pod), { keep, omitManagedFields: true })).toEqual(event(kept));
    expect(parsed(list(pod, pod), { keep, omitManagedFields: true })).toEqual(list(kept, kept));
  });

  test("finds names that are written with escapes", () => {
    const json = '{"object":{"sp\\u0065c":{"nod\\u0065Name":"n","x\\u0065":1}}}';
    expect(JSON.parse(projectedText(Buffer.from(json), eventPlan({ keep })))).toEqual({
      object: { spec: { nodeName: "n" } },
    });
  });
});

const names = ["metadata", "managedFields", "spec", "a", "é", 'q"\\', "__proto__", ""];
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom("\\", '"', "{", "}", "[", "]", ",", ":", "\n", "é", "💾") }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false, -0.5e-7, [], {}),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie("value"), { maxKeys: 6 }),
  ),
})).value;
const anyProjection = fc.letrec<{ fields: Projection }>((tie) => ({
  fields: fc.dictionary(
    fc.constantFrom(...names.filter((name) => name !== "__proto__")),
    fc.oneof({ depthSize: "small" }, fc.constant(true as const), tie("fields")),
    { maxKeys: 4 },
  ),
})).fields;

describe("whatever the JSON", () => {
  const asked = fc.record(
    { keep: anyProjection, omitManagedFields: fc.boolean() },
    { requiredKeys: ["omitManagedFields"] },
  );

  test("the text holds exactly what a projection of the parsed value would", () => {
    fc.assert(
      fc.property(fc.array(anyJson), asked, fc.constantFrom(0, 1), (objects, asked, indent) => {
        const values = JSON.parse(JSON.stringify(objects)) as readonly unknown[];
        const expected = values.map((value) => projected(value, asked));
        expect(parsed(list(...values), asked, { indent })).toEqual(list(...expected));
        for (const [i, value] of values.entries()) {
          expect(parsed(event(value), asked, { indent })).toEqual(event(expected[i]));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("text that ends too soon is not made whole", () => {
    fc.assert(
      fc.property(anyJson, asked, fc.nat(), (value, asked, cut) => {
        const json = Buffer.from(JSON.stringify(event(value)));
        const half = json.subarray(0, cut % json.length);
        expect(() => JSON.parse(projectedText(half, eventPlan(asked)))).toThrow(SyntaxError);
      }),
      { numRuns: 1000 },
    );
  });
});

/** The same, the plain way: on the parsed value. */
function projected(value: unknown, { keep, omitManagedFields }: SelectOptions): unknown {
  return eachObject(value, (object) =>
    entriesWhere(object, (name, field) => {
      if (name === "metadata" && omitManagedFields)
        return [
          eachObject(field, (metadata) => entriesWhere(metadata, (n, f) => n !== "managedFields" && [f])),
        ];
      if (!keep || ["apiVersion", "kind", "metadata"].includes(name)) return [field];
      return Object.hasOwn(keep, name) && [kept(field, keep[name] ?? true)];
    }),
  );
}

function kept(value: unknown, keep: true | Projection): unknown {
  if (keep === true) return value;
  return eachObject(value, (object) =>
    entriesWhere(object, (name, field) => Object.hasOwn(keep, name) && [kept(field, keep[name] ?? true)]),
  );
}

function eachObject(value: unknown, change: (object: object) => object): unknown {
  if (Array.isArray(value)) return value.map((element) => eachObject(element, change));
  return typeof value === "object" && value !== null ? change(value) : value;
}

function entriesWhere(object: object, pick: (name: string, field: unknown) => false | [unknown]): object {
  const entries = Object.entries(object).flatMap(([name, field]) => {
    const picked = pick(name, field);
    return picked ? [[name, picked[0]] as const] : [];
  });
  return Object.fromEntries(entries);
}

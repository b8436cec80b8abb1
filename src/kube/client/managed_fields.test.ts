import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutManagedFields } from "./managed_fields.ts";

const entry = (manager: string) => ({
  manager,
  operation: "Apply",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { ".": {}, 'k:{"name":"a]"}': { "f:x": {} } } },
});

const object = (managedFields: readonly object[], rest: object = {}) => ({
  kind: "Thing",
  metadata: { name: "a", uid: "u", managedFields },
  ...rest,
});

test("the managed fields of an object, of an event and of every item of a list are cut out", () => {
  const thing = object([entry("one"), entry("two")], { spec: { list: [1, [2]] } });
  const bare = { kind: "Thing", metadata: { name: "a", uid: "u" }, spec: { list: [1, [2]] } };
  for (const [full, expected] of [
    [thing, bare],
    [
      { type: "ADDED", object: thing },
      { type: "ADDED", object: bare },
    ],
    [{ items: [thing, bare, thing] }, { items: [bare, bare, bare] }],
  ]) {
    expect(JSON.parse(withoutManagedFields(JSON.stringify(full)))).toEqual(expected);
  }
});

test("they are found in the order of custom resources too, where the name follows", () => {
  const json = `{"metadata":{"generation":1,"managedFields":[${JSON.stringify({ apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {}, manager: "m" })}],"name":"a"}}`;
  expect(JSON.parse(withoutManagedFields(json))).toEqual({ metadata: { generation: 1, name: "a" } });
});

test("a field of the same name that holds something else stays", () => {
  const spec = { spec: { first: 1, managedFields: [{ name: "x", of: [1, 2] }] } };
  const thing = { ...spec, metadata: { name: "a", managedFields: [entry("one")] } };
  expect(JSON.parse(withoutManagedFields(JSON.stringify(thing)))).toEqual({
    ...spec,
    metadata: { name: "a" },
  });
});

test("text inside strings is never taken for structure", () => {
  const trap = JSON.stringify(object([entry("x")]));
  const data = { trap, 'key"\\': ',"managedFields":[{"' };
  const thing = object([entry('quo"te\\]}')], { data });
  const result = JSON.parse(withoutManagedFields(JSON.stringify(thing)));
  expect(result).toEqual({ kind: "Thing", metadata: { name: "a", uid: "u" }, data });
});

test("whatever else is in it, the object keeps all but its managed fields", () => {
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), fc.array(fc.string()), (rest, managers) => {
      const clean = JSON.parse(JSON.stringify(rest)) as object;
      const full = { data: clean, metadata: { name: "a", managedFields: managers.map(entry) } };
      const expected = managers.length > 0 ? { data: clean, metadata: { name: "a" } } : full;
      expect(JSON.parse(withoutManagedFields(JSON.stringify(full)))).toEqual(expected);
    }),
  );
});

test("a text that is cut off is left as it is", () => {
  const json = JSON.stringify(object([entry("one")])).slice(0, -40);
  expect(withoutManagedFields(json)).toBe(json);
});

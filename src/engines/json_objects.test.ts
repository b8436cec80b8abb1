import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonObjects } from "./json_objects.ts";
import { all, failureOf } from "./testing/ground.ts";

const OBJECTS = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

test.each([
  ["at the top", (text: string) => text, 0],
  ["inside another", (text: string) => `{"says":"a } and a \\"{","nodes":${text},"count":1}`, 1],
] as const)("jsonObjects() yields every object %s, however the bytes are cut", async (_, placed, depth) => {
  await fc.assert(
    fc.asyncProperty(OBJECTS, fc.integer({ min: 1, max: 7 }), async (values, size) => {
      const text = JSON.stringify(values);
      expect(await all(jsonObjects(cut(placed(text), size), depth))).toEqual(JSON.parse(text));
    }),
  );
});

test("jsonObjects() passes over lines that are no JSON", async () => {
  const text = 'a line of "text\n{what} is this\n[{"a":1},\nanother\n{"b":2}]\nthe end';
  expect(await all(jsonObjects(cut(text, 5)))).toEqual([{ a: 1 }, { b: 2 }]);
});

test.each(["a { that nobody closes", "{{", "{ what }", "{", "}"])(
  "jsonObjects() finds what comes after %j",
  async (notice) => {
    for (const size of [1, 2, 100]) {
      expect(await all(jsonObjects(cut(`${notice}\n[{"a":{"b":1}},{}]`, size)))).toEqual([
        { a: { b: 1 } },
        {},
      ]);
    }
  },
);

test.each<[string, string, 0 | 1]>([
  ["ends within an object", '[{"a":1},{"b":', 0],
  ["ends within a text", '[{"a":1},{"b":"}]', 0],
  ["ends within the outer object", '{"nodes":[{"a":1},', 1],
  ["has an object that is no JSON", '[{"a":1},{"b":oops},{"c":3}]', 0],
  ["has an inner object that is no JSON", '{"nodes":[{"a":oops}]}', 1],
])("jsonObjects() fails when the stream %s", async (_, text, depth) => {
  expect(await failureOf(all(jsonObjects(cut(text, 4), depth)))).toMatchObject({ class: "EngineFailed" });
});

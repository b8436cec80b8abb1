import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonArray } from "./json_array.ts";

test("jsonArray() yields every object, however the bytes are cut", async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 7 }), async (values, size) => {
      const bytes = Buffer.from(JSON.stringify(values));
      const chunks = async function* () {
        for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
      };
      const found: unknown[] = [];
      for await (const value of jsonArray(chunks())) found.push(value);
      expect(found).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { isRecord } from "../../lib/json.ts";
import { mergePatch } from "./merge_patch.ts";

/** RFC 7396, as the API server does it. */
function patched(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = patched(result[key], value);
  }
  return result;
}

const key = fc.constantFrom("a", "b", "c");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 1, "x", true, ""),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(key, tie("value")),
  ),
}));
const record = fc.dictionary(key, value);

test("mergePatch() is what turns the one into the other", () => {
  fc.assert(
    fc.property(record, record, (from, to) => {
      expect(patched(from, mergePatch(from, to))).toEqual(to);
    }),
  );
});

test("mergePatch() says only what differs", () => {
  const from = { same: { deep: [1] }, gone: 1, list: [1, 2], object: { kept: 1, gone: 2 } };
  const to = { same: { deep: [1] }, list: [2], object: { kept: 1, added: 3 } };
  expect(mergePatch(from, to)).toEqual({ gone: null, list: [2], object: { gone: null, added: 3 } });
});

test("mergePatch() takes undefined for absent", () => {
  expect(mergePatch({ a: 1, b: undefined }, { a: undefined, b: undefined })).toEqual({ a: null });
});

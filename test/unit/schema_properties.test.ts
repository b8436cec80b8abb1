import fc from "fast-check";
import { expect, test } from "vitest";
import { admit } from "../../src/kube/schema/admit.ts";
import { applyDefaults } from "../../src/kube/schema/default.ts";
import { problemText } from "../../src/kube/schema/problem.ts";
import { prune } from "../../src/kube/schema/prune.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { validate } from "../../src/kube/schema/validate.ts";
import { seededRandom } from "../../src/lib/random.ts";
import { anySchema, valueFor, withDefaults } from "./schema_arbitrary.ts";

/** A schema of an object with the field `it`, and such an object. */
const cases = fc.tuple(anySchema, fc.nat()).chain(([bare, seed]) => {
  const random = seededRandom(seed);
  const one = <T>(values: fc.Arbitrary<T>) =>
    fc.sample(values, { numRuns: 1, seed: Math.floor(random.next() * 2 ** 31) })[0] as T;
  const it = withDefaults(bare, one, random.next);
  const schema: Structural = { type: "object", properties: { it } };
  return valueFor(it).map((value) => ({ schema, object: { it: value } }));
});

test("what was pruned has nothing more to prune", () => {
  fc.assert(
    fc.property(cases, ({ schema, object }) => {
      const { value } = prune(schema, object);
      expect(prune(schema, value)).toEqual({ value, unknown: [] });
    }),
  );
});

test("defaults are complete after one pass", () => {
  fc.assert(
    fc.property(cases, ({ schema, object }) => {
      const value = applyDefaults(schema, object);
      expect(applyDefaults(schema, value)).toEqual(value);
    }),
  );
});

test("what was admitted is admitted again, unchanged", () => {
  fc.assert(
    fc.property(cases, ({ schema, object }) => {
      const first = admit(schema, object);
      fc.pre(first.problems.length === 0);
      expect(admit(schema, first.object)).toEqual({ object: first.object, unknown: [], problems: [] });
    }),
  );
});

test("an update that changes nothing is refused for nothing that a creation is not", () => {
  fc.assert(
    fc.property(cases, ({ schema, object }) => {
      const created = validate(schema, object).map(problemText);
      const updated = validate(schema, object, object).map(problemText);
      expect(updated.filter((text) => !created.includes(text))).toEqual([]);
    }),
  );
});

test("nothing that is given is changed in place", () => {
  fc.assert(
    fc.property(cases, ({ schema, object }) => {
      const before = structuredClone(object);
      admit(schema, object);
      expect(object).toEqual(before);
    }),
  );
});

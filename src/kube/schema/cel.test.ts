import { describe, expect, test } from "vitest";
import { CelError, celEvaluator } from "./cel.ts";
import type { Structural } from "./structural.ts";

const cel = celEvaluator();
const object: Structural = {
  type: "object",
  properties: {
    count: { type: "integer" },
    share: { type: "number" },
    namespace: { type: "string" },
    at: { type: "string", format: "date-time" },
    data: { type: "string", format: "byte" },
    port: { "x-kubernetes-int-or-string": true },
    labels: { type: "object", additionalProperties: { type: "string" } },
    list: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } },
  },
};

describe("the CEL evaluator", () => {
  test.each<[string, unknown]>([
    ["self.count + 1 == 3", { count: 2 }],
    ["self.share < 1.5", { share: 1 }],
    ["self.__namespace__ == 'a'", { namespace: "a" }],
    ["self.at > timestamp('2020-01-01T00:00:00Z')", { at: "2024-01-01T00:00:00Z" }],
    ["self.data == b'hi'", { data: "aGk=" }],
    ["self.port == 80", { port: 80 }],
    ["self.port == 'http'", { port: "http" }],
    ["self.labels['namespace'] == 'a'", { labels: { namespace: "a" } }],
    ["self.list.all(item, item.n > 0)", { list: [{ n: 1 }] }],
    ["!has(self.count)", {}],
  ])("finds %s true", (expression, self) => {
    expect(cel.compile(expression, object).evaluate(self, undefined)).toBe(true);
  });

  test("compares whole objects", () => {
    const program = cel.compile("self == oldSelf", object);
    expect(program.usesOldSelf).toBe(true);
    expect(program.evaluate({ list: [{ n: 1 }] }, { list: [{ n: 1 }] })).toBe(true);
    expect(program.evaluate({ list: [{ n: 1 }] }, { list: [{ n: 2 }] })).toBe(false);
  });

  test("sees the names alone of a resource's metadata", () => {
    const program = cel.compile("self == oldSelf && self.metadata.name == 'a'", object, { resource: true });
    const named = (name: string, resourceVersion: string) => ({
      count: 1,
      metadata: { name, resourceVersion },
    });
    expect(program.evaluate(named("a", "2"), named("a", "1"))).toBe(true);
    expect(program.evaluate(named("a", "1"), named("b", "1"))).toBe(false);
    const inner: Structural = { type: "object", properties: {}, "x-kubernetes-embedded-resource": true };
    const outer = { type: "object", properties: { inner } } as const;
    const equal = cel.compile("self.inner == oldSelf.inner", outer);
    expect(equal.evaluate({ inner: named("a", "2") }, { inner: named("a", "1") })).toBe(true);
  });

  test("hands out the old value as an optional when asked", () => {
    const program = cel.compile("!oldSelf.hasValue() || oldSelf.value().count == self.count", object, {
      optionalOldSelf: true,
    });
    expect(program.evaluate({ count: 1 }, undefined)).toBe(true);
    expect(program.evaluate({ count: 1 }, { count: 2 })).toBe(false);
  });

  test.each(["self.nope == 1", "self.count == 'a'", "self ==", "self.list.all(i, i.x > 1)"])(
    "does not compile %s",
    (expression) => {
      expect(() => cel.compile(expression, object)).toThrow(CelError);
    },
  );

  test("fails with one line when a value is not there", () => {
    const program = cel.compile("self.count == 1", object);
    expect(() => program.evaluate({}, undefined)).toThrow(/^No such key: count$/);
  });
});

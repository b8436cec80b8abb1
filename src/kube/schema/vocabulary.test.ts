import { describe, expect, test } from "vitest";
import { z } from "zod";
import { admit } from "./admit.ts";
import { celEvaluator } from "./cel.ts";
import { fromZod, structuralOf } from "./from_zod.ts";
import { problemText } from "./problem.ts";
import * as v from "./vocabulary.ts";

const cel = celEvaluator();

function problems(schema: z.ZodObject, value: unknown, old?: unknown): readonly string[] {
  const options = old === undefined ? { cel } : { cel, old };
  return admit(structuralOf(fromZod(schema)), value, options).problems.map(problemText);
}

describe("oneOf()", () => {
  const schema = z.object({ it: v.oneOf({ a: z.object({}), namespace: z.object({}) }) });

  test("takes any one member", () => {
    expect(problems(schema, { it: { a: {} } })).toEqual([]);
    expect(problems(schema, { it: { namespace: {} } })).toEqual([]);
  });

  test.each([[{}], [{ a: {}, namespace: {} }]])("refuses %j", (it) => {
    expect(problems(schema, { it })).toEqual(["it: Invalid value: exactly one of a, namespace must be set"]);
  });
});

describe("immutable()", () => {
  const schema = z.object({ it: v.immutable(z.string()).optional() });

  test("refuses another value", () => {
    expect(problems(schema, { it: "b" }, { it: "a" })).toEqual(['it: Invalid value: "b": is immutable']);
  });

  test("says nothing of a field that comes or goes", () => {
    expect(problems(schema, { it: "b" }, {})).toEqual([]);
    expect(problems(schema, {}, { it: "b" })).toEqual([]);
  });
});

describe("immutableFields()", () => {
  const schema = v.immutableFields(z.object({ it: z.string().optional(), other: z.int().optional() }), "it");

  test.each([
    ["changes", { it: "b" }, { it: "a" }],
    ["comes", { it: "b" }, {}],
    ["goes", {}, { it: "a" }],
  ])("refuses a field that %s", (_, value, old) => {
    expect(problems(schema, value, old)).toEqual(["<nil>: Invalid value: it is immutable"]);
  });

  test("takes changes beside it", () => {
    expect(problems(schema, { it: "a", other: 1 }, { it: "a" })).toEqual([]);
  });
});

describe("setOnce()", () => {
  const schema = v.setOnce(z.object({ it: z.string().optional() }), "it");

  test("takes a field that comes", () => {
    expect(problems(schema, { it: "a" }, {})).toEqual([]);
  });

  test.each([
    ["changes", { it: "b" }],
    ["goes", {}],
  ])("refuses a field that %s", (_, value) => {
    expect(problems(schema, value, { it: "a" })).toEqual(["<nil>: Invalid value: it is immutable once set"]);
  });
});

test.each([
  ["quantity", v.quantity(), ["10Gi", "500m", "1.5", 3, "-1", "1e3", ".5"], ["10 Gi", "", "Gi", "1gb"]],
  ["duration", v.duration(), ["1h30m", "15s", "1.5h"], ["", "1d", "5", "-1s"]],
  ["objectName", v.objectName(), ["a", "a-b.c"], ["", "A", "-a", "a..b"]],
  ["timestamp", v.timestamp(), ["2024-01-01T00:00:00Z"], ["2024-01-01", "now"]],
] as const)("%s() takes and refuses the right texts", (_, schema, good, bad) => {
  const verdict = (it: unknown) => problems(z.object({ it: schema }), { it }).length === 0;
  expect(good.filter((text) => !verdict(text))).toEqual([]);
  expect(bad.filter(verdict)).toEqual([]);
});

test("a rule about a field that CEL cannot name is refused when it is written", () => {
  expect(() => v.immutableFields(z.object({ é: z.string() }), "é")).toThrow(/cannot name the field "é"/);
});

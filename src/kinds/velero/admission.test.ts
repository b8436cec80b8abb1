import { describe, expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import { KINDS } from "./kinds.ts";
import { veleroCases } from "./testing/cases.ts";

const cel = celEvaluator();

describe.each(veleroCases)("a $kind", ({ kind, cases }) => {
  const schema = KINDS.find(({ resource }) => resource.kind === kind)?.schema ?? {};

  test("has cases of both sorts", () => {
    expect(cases.filter(({ problems }) => problems === undefined).length).toBeGreaterThan(1);
    expect(cases.filter(({ problems }) => problems !== undefined).length).toBeGreaterThan(1);
  });

  test.each(cases)("$name", ({ spec, status, problems = [] }) => {
    const object = JSON.parse(JSON.stringify({ metadata: { name: "it" }, spec, status }));
    const found = admit(schema, object, { cel });
    expect(found.problems.map(problemText)).toEqual(problems.map((start) => expect.stringContaining(start)));
    expect(found.unknown).toEqual([]);
    if (problems.length === 0) expect(found.object).toEqual(object);
  });
});

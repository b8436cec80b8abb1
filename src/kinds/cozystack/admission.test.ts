import { describe, expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { KINDS } from "./kinds.ts";
import { type Case, cozystackCases } from "./testing/cases.ts";

const cel = celEvaluator();
const metadata = { name: "it" };

function schemaOf(kind: string): Structural {
  const found = KINDS.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found.schema;
}

function admitted({ kind, spec, old }: Case) {
  const schema = schemaOf(kind);
  const before = old && admit(schema, { metadata, spec: old }, { cel });
  if (before) expect(before.problems).toEqual([]);
  return admit(schema, { metadata, spec }, { cel, ...(before ? { old: before.object } : {}) });
}

test("every kind has cases of both sorts", () => {
  for (const { resource } of KINDS) {
    const cases = cozystackCases.filter(({ kind }) => kind === resource.kind);
    expect([resource.kind, new Set(cases.map(({ problems }) => problems === undefined)).size]).toEqual([
      resource.kind,
      2,
    ]);
  }
});

describe("the schemas", () => {
  test.each(cozystackCases.filter(({ problems }) => !problems))("a $kind takes $name", (given) => {
    const { object, problems, unknown } = admitted(given);
    expect(problems.map(problemText)).toEqual([]);
    expect(unknown).toEqual([]);
    if (given.stored) expect(object).toMatchObject({ spec: given.stored });
  });

  test.each(cozystackCases.filter(({ problems }) => problems))("a $kind refuses $name", (given) => {
    const { problems = [] } = given;
    const found = admitted(given).problems.map(problemText);
    // A rule that could not be checked because of the first problem may follow.
    expect(found.slice(0, problems.length)).toEqual(problems.map((start) => expect.stringContaining(start)));
  });
});

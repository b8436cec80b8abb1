import { describe, expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { KINDS } from "./kinds.ts";
import type { Case } from "./testing/case.ts";
import { autorestoreCases } from "./testing/cases.ts";

const cel = celEvaluator();
const metadata = { name: "it" };

function schemaOf(kind: string): Structural {
  const found = KINDS.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found.schema;
}

/** The object of a case on its way in, after the one that it replaces. */
function admitted(schema: Structural, { spec, old }: Case) {
  const before = old && admit(schema, { metadata, spec: old }, { cel });
  if (before) expect(before.problems).toEqual([]);
  return admit(schema, { metadata, spec }, { cel, ...(before ? { old: before.object } : {}) });
}

test("every kind has cases", () => {
  const kinds = KINDS.map(({ resource }) => resource.kind);
  expect(autorestoreCases.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
});

describe.each(autorestoreCases)("a $kind", ({ kind, cases }) => {
  const schema = schemaOf(kind);

  test.each(cases.filter(({ problems }) => problems === undefined))("takes $name", (given) => {
    const { object, problems, unknown } = admitted(schema, given);
    expect(problems.map(problemText)).toEqual([]);
    expect(unknown).toEqual([]);
    if (given.stored) expect(object).toMatchObject({ spec: given.stored });
  });

  test.each(cases.filter(({ problems }) => problems !== undefined))("refuses $name", (given) => {
    const [first] = admitted(schema, given).problems.map(problemText);
    expect(first).toEqual(expect.stringContaining(given.problems?.[0] ?? ""));
  });
});

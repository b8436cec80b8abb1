import { describe, expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { KINDS } from "./kinds.ts";
import type { Case } from "./testing/case.ts";
import { kopiurCases } from "./testing/cases.ts";

const cel = celEvaluator();
const metadata = { name: "it" };

function schemaOf(kind: string): Structural {
  const found = KINDS.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found.schema;
}

/** The object of a case on its way in, after the one that it replaces. */
function admitted(schema: Structural, { spec, old }: Case) {
  const before = old && admit(schema, { metadata, ...old }, { cel });
  if (before) expect(before.problems).toEqual([]);
  const status = old?.status ? { status: old.status } : {};
  return admit(schema, { metadata, spec, ...status }, { cel, ...(before ? { old: before.object } : {}) });
}

describe.each(kopiurCases)("a $kind", ({ kind, cases }) => {
  const schema = schemaOf(kind);
  const good = cases.filter(({ problems }) => problems === undefined);
  const bad = cases.filter(({ problems }) => problems !== undefined);

  test("has cases of both sorts", () => {
    expect(good.length).toBeGreaterThan(1);
    expect(bad.length).toBeGreaterThan(1);
  });

  test.each(good)("takes $name", (given) => {
    const { object, problems, unknown } = admitted(schema, given);
    expect(problems.map(problemText)).toEqual([]);
    expect(unknown).toEqual(given.unknown ?? []);
    if (given.stored) expect(object).toMatchObject({ spec: given.stored });
  });

  test.each(bad)("refuses $name", (given) => {
    const found = admitted(schema, given).problems.map(problemText);
    const wanted = given.problems ?? [];
    expect(found).toEqual(wanted.map((start) => expect.stringContaining(start)));
  });
});

test("a Backup needs no spec at all", () => {
  const { object, problems } = admit(schemaOf("Backup"), { metadata }, { cel });
  expect(problems).toEqual([]);
  expect(object).toEqual({ metadata, spec: {} });
});

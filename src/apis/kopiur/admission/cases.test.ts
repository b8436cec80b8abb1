import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../kube/object.ts";
import type { AdmissionCase } from "./testing/admission_case.ts";
import { admissionCases } from "./testing/cases.ts";
import { MemoryDoor, storedOf } from "./testing/memory_door.ts";

async function entered({ given = [], object, author, meanwhile = [], change }: AdmissionCase) {
  const door = new MemoryDoor();
  for (const manifest of given) door.put(manifest);
  const by = author ?? "stranger";
  if (!change) return door.write(object, by);
  const first = await door.write(object, "reader");
  expect(first.verdict).toMatchObject({ allowed: true });
  door.keep(first.object);
  for (const manifest of meanwhile) door.put(manifest);
  const changed = storedOf({ ...object, ...change, spec: { ...object.spec, ...change.spec } });
  // Whoever edits sends what is stored along.
  const annotations = { ...first.object.metadata.annotations, ...change.annotations };
  const edited = { ...changed, metadata: { ...first.object.metadata, annotations } } satisfies KubeObject;
  return door.write(edited, by, first.object);
}

describe.each(admissionCases)("the door for a $kind", ({ cases }) => {
  const good = cases.filter(({ refused }) => refused === undefined);
  const bad = cases.filter(({ refused }) => refused !== undefined);

  test("has cases of both sorts", () => {
    expect(good.length).toBeGreaterThan(0);
    expect(bad.length).toBeGreaterThan(0);
  });

  test.each(good)("takes $name", async (given) => {
    const { verdict, object } = await entered(given);
    expect(verdict).toEqual({ allowed: true, warnings: given.warnings ?? [] });
    if (given.stored) expect(object).toMatchObject(given.stored);
  });

  test.each(bad)("refuses $name", async (given) => {
    const { verdict } = await entered(given);
    expect(verdict).toMatchObject({ allowed: false, message: given.refused, warnings: given.warnings ?? [] });
  });
});

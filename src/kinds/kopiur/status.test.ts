import { expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { problemText } from "../../kube/schema/problem.ts";
import { KINDS } from "./kinds.ts";
import { brokenPromises, PROMISED } from "./testing/promised.ts";

test.each(KINDS)("the status of a $resource.kind holds what the API promises", ({ resource, schema }) => {
  const status = PROMISED[resource.kind];
  const onlyStatus = { type: "object", properties: { status: schema.properties?.status ?? {} } } as const;
  const { object, problems, unknown } = admit(onlyStatus, { status });
  expect(problems.map(problemText)).toEqual([]);
  expect(unknown).toEqual([]);
  expect(object).toEqual({ status });
});

test.each(KINDS)(
  "the status of a $resource.kind has no defaults: only what is known is said",
  ({ schema }) => {
    expect(JSON.stringify(schema.properties?.status)).not.toContain('"default"');
  },
);

test("a promise that is not kept is named", () => {
  const status = {
    phase: "Succeeded",
    snapshots: [{ kopiaSnapshotID: "k" }],
    conditions: [{ type: "SnapshotCreated" }],
  };
  const broken = brokenPromises("Backup", status, [
    "failure",
    "resolved",
    "timing",
    "snapshot",
    "job",
    "stats",
  ]);
  expect(broken).toEqual([
    "origin",
    "snapshots[].identity.username",
    "snapshots[].identity.hostname",
    "snapshots[].identity.sourcePath",
    "conditions.SourcesQuiesced",
    "logTail",
    "orphaned",
  ]);
});

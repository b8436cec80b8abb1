import { describe, expect, test } from "vitest";
import { crdOf } from "../../../kube/schema/crd.ts";
import type { Structural } from "../../../kube/schema/structural.ts";
import { cozystackKinds } from "./kinds.ts";

/* The structs of the document, line by line: each field with its type, and whether it may be absent. */

type Field = readonly [path: string, type: string, presence?: "optional"];

/** A reference to an application or a strategy: its group may be absent. */
const ref = (path: string, presence?: "optional"): readonly Field[] => [
  presence ? [path, "object", presence] : [path, "object"],
  [`${path}.apiGroup`, "string", "optional"],
  [`${path}.kind`, "string"],
  [`${path}.name`, "string"],
];
const local = (path: string, presence?: "optional"): readonly Field[] => [
  presence ? [path, "object", presence] : [path, "object"],
  [`${path}.name`, "string"],
];
const JOB_STATUS: readonly Field[] = [
  ["status.phase", "string", "optional"],
  ["status.startedAt", "date-time", "optional"],
  ["status.completedAt", "date-time", "optional"],
  ["status.message", "string", "optional"],
  ["status.conditions", "array", "optional"],
];

const DOCUMENT: Readonly<Record<string, readonly Field[]>> = {
  Plan: [
    ...ref("spec.applicationRef"),
    ["spec.backupClassName", "string"],
    ["spec.schedule", "object"],
    ["spec.schedule.type", "string", "optional"],
    ["spec.schedule.cron", "string", "optional"],
  ],
  BackupClass: [
    ["spec.strategies", "array"],
    ...ref("spec.strategies.[].strategyRef"),
    ["spec.strategies.[].application", "object"],
    ["spec.strategies.[].application.apiGroup", "string", "optional"],
    ["spec.strategies.[].application.kind", "string"],
    ["spec.strategies.[].parameters", "map of string", "optional"],
  ],
  BackupJob: [
    ...local("spec.planRef", "optional"),
    ...ref("spec.applicationRef"),
    ["spec.backupClassName", "string"],
    ...JOB_STATUS,
    ...local("status.backupRef", "optional"),
  ],
  Backup: [
    ...ref("spec.applicationRef"),
    ...local("spec.planRef", "optional"),
    ...ref("spec.strategyRef"),
    ["spec.takenAt", "date-time"],
    ["spec.driverMetadata", "map of string", "optional"],
    ["status.phase", "string", "optional"],
    ["status.artifact", "object", "optional"],
    ["status.artifact.uri", "string"],
    ["status.artifact.sizeBytes", "integer", "optional"],
    ["status.artifact.checksum", "string", "optional"],
    ["status.conditions", "array", "optional"],
  ],
  RestoreJob: [...local("spec.backupRef"), ...ref("spec.targetApplicationRef", "optional"), ...JOB_STATUS],
};

const OF_THE_DOCUMENT = new Set(Object.keys(DOCUMENT));
const crds = cozystackKinds
  .filter(({ group }) => group === "backups.cozystack.io")
  .map((kind) => crdOf(kind))
  .map((crd) => ({ crd, kind: crd.spec.names.kind }));

function schemaOf(kind: string): Structural {
  const version = crds.find((one) => one.kind === kind)?.crd.spec.versions[0];
  return version?.schema.openAPIV3Schema as Structural;
}

interface Found {
  readonly schema: Structural | undefined;
  readonly required: boolean;
}

function at(schema: Structural, path: string): Found {
  return path
    .split(".")
    .reduce<Found>(
      ({ schema: node }, name) =>
        name === "[]"
          ? { schema: node?.items, required: true }
          : { schema: node?.properties?.[name], required: node?.required?.includes(name) ?? false },
      { schema, required: true },
    );
}

function typeOf(schema: Structural | undefined): string | undefined {
  const { type, format, additionalProperties } = schema ?? {};
  if (typeof additionalProperties === "object") return `map of ${additionalProperties.type}`;
  return format === "date-time" ? format : type;
}

test("the core's kinds are those of the document, in its group and version", () => {
  expect(new Set(crds.map(({ kind }) => kind))).toEqual(OF_THE_DOCUMENT);
  for (const { crd } of crds) expect(crd.spec.versions.map(({ name }) => name)).toEqual(["v1alpha1"]);
  const wide = crds.filter(({ crd }) => crd.spec.scope === "Cluster").map(({ kind }) => kind);
  expect(wide).toEqual(["BackupClass"]);
});

describe.each(Object.entries(DOCUMENT))("%s", (kind, fields) => {
  const rows = fields.map(([path, type, presence = "required"]) => [path, type, presence] as const);

  test.each(rows)("has %s: %s, %s", (path, type, presence) => {
    const { schema, required } = at(schemaOf(kind), path);
    expect([typeOf(schema), required]).toEqual([type, presence === "required"]);
  });

  test("asks for nothing that the document does not have", () => {
    const asked: string[] = [];
    const walk = (schema: Structural, path: readonly string[]): void => {
      for (const name of schema.required ?? []) asked.push([...path, name].join("."));
      for (const [name, child] of Object.entries(schema.properties ?? {})) {
        const here = [...path, name].join(".");
        // What only we have may ask for its own parts.
        if (path.length === 0 || fields.some(([known]) => known === here)) walk(child, [...path, name]);
      }
      if (schema.items) walk(schema.items, [...path, "[]"]);
    };
    for (const part of ["spec", "status"]) {
      const child = schemaOf(kind).properties?.[part];
      if (child) walk(child, [part]);
    }
    const ofConditions = asked.filter((path) => !path.startsWith("status.conditions."));
    expect(ofConditions.filter((path) => !fields.some(([known]) => known === path))).toEqual([]);
  });
});

test.each([
  ["BackupJob", ["Pending", "Running", "Succeeded", "Failed"]],
  ["RestoreJob", ["Pending", "Running", "Succeeded", "Failed"]],
  // The document says "etc.": one that is being deleted is ours.
  ["Backup", ["Pending", "Ready", "Failed", "Deleting"]],
])("the phases of a %s", (kind, phases) => {
  expect(at(schemaOf(kind), "status.phase").schema?.enum).toEqual(phases);
});

test("a schedule is cron, unless it says another type, of which there is none", () => {
  const { schema } = at(schemaOf("Plan"), "spec.schedule.type");
  expect([schema?.default, schema?.enum]).toEqual(["cron", ["", "cron"]]);
});

test("a condition is as Kubernetes' own", () => {
  const { schema } = at(schemaOf("BackupJob"), "status.conditions.[]");
  expect(schema?.required?.toSorted()).toEqual(["lastTransitionTime", "message", "reason", "status", "type"]);
});

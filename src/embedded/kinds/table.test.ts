import { expect, test } from "vitest";
import { builtinKinds } from "./builtin_kinds.ts";
import { kindsOfCrd } from "./crd_kinds.ts";
import type { KindInfo } from "./kind_info.ts";
import { tableOf } from "./table.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const metadata = { name: "it", uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function builtin(name: string): KindInfo {
  const found = builtinKinds.find(({ resource }) => resource.kind === name);
  if (!found) throw new Error(`${name} is not built in`);
  return found;
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: unknown }[];
}

test("rows carry what was asked for", () => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { a: "YQ==" } };
  const rows = (includeObject: "None" | "Metadata" | "Object") =>
    (tableOf(builtin("Secret"), [secret], { includeObject, now: NOW }) as Table).rows;
  expect(rows("None")).toEqual([{ cells: ["it", "Opaque", 1, "60s"] }]);
  expect(rows("Metadata")[0]?.object).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata,
  });
  expect(rows("Object")[0]?.object).toBe(secret);
});

test("a table of nothing still has its columns, the wide ones last in rank", () => {
  const { columnDefinitions, rows } = tableOf(builtin("Job"), [], {
    includeObject: "None",
    now: NOW,
  }) as Table;
  expect(rows).toEqual([]);
  expect(columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
    ["Name", 0],
    ["Status", 0],
    ["Completions", 0],
    ["Duration", 0],
    ["Age", 0],
    ["Containers", 1],
    ["Images", 1],
    ["Selector", 1],
  ]);
});

test("columns of a custom kind show values of their type, and nothing else", () => {
  const column = (name: string, type: "string" | "integer" | "number" | "boolean" | "date") => ({
    name,
    type,
    jsonPath: `.spec.${name}`,
  });
  const [kind] = kindsOfCrd({
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
          additionalPrinterColumns: [
            column("text", "string"),
            column("whole", "integer"),
            column("part", "number"),
            column("flag", "boolean"),
            column("time", "date"),
          ],
        },
      ],
    },
  });
  if (!kind) throw new Error("the CRD serves nothing");
  const cells = (spec: object) => {
    const object = { apiVersion: "example.com/v1", kind: "Thing", metadata, spec };
    return (tableOf(kind, [object], { includeObject: "None", now: NOW }) as Table).rows[0]?.cells;
  };
  const good = { text: { a: 1 }, whole: 1.7, part: 1.5, flag: false, time: "2025-12-31T23:59:00Z" };
  expect(cells(good)).toEqual(["it", '{"a":1}', 1, 1.5, false, "2m"]);
  expect(cells({ text: 1, whole: "1", part: "1", flag: "no", time: "soon" })).toEqual([
    "it",
    "1",
    null,
    null,
    null,
    "<invalid>",
  ]);
  expect(cells({})).toEqual(["it", null, null, null, null, null]);
});

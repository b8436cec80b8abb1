import { describe, expect, test } from "vitest";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import { kindsOfCrd } from "../kinds/crd_kinds.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { decode, type FieldValidation } from "./decode.ts";

function builtin(kind: string): KindInfo {
  const found = builtinKinds.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
}

const [widget] = kindsOfCrd({
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", default: 3 } } } },
          },
        },
      },
    ],
  },
}) as [KindInfo];

function decoded(kind: KindInfo, value: Record<string, unknown>, fieldValidation: FieldValidation = "Warn") {
  const warnings: string[] = [];
  const object = decode(kind, value, { fieldValidation, warn: (text) => warnings.push(text) });
  return { object, warnings };
}

describe("decode()", () => {
  test("gives an object its type and its defaults", () => {
    expect(decoded(widget, { metadata: { name: "a" }, spec: {} }).object).toEqual({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "a" },
      spec: { size: 3 },
    });
  });

  test("drops what is unknown, in the metadata too, and warns of it", () => {
    const value = { metadata: { name: "a", colour: 1 }, spec: { shape: 1 }, more: 1 };
    const { object, warnings } = decoded(widget, value);
    expect(object).toMatchObject({ metadata: { name: "a" }, spec: { size: 3 } });
    expect(warnings).toEqual([
      'unknown field "metadata.colour"',
      'unknown field "more"',
      'unknown field "spec.shape"',
    ]);
    expect(decoded(widget, value, "Ignore").warnings).toEqual([]);
  });

  test("refuses what is unknown or doubled when it is to be strict", () => {
    const value = { metadata: { name: "a" }, spec: { shape: 1 } };
    const options = { fieldValidation: "Strict", warn: () => {}, duplicates: ["spec.size"] } as const;
    expect(() => decode(widget, value, options)).toThrow(
      'strict decoding error: duplicate field "spec.size", unknown field "spec.shape"',
    );
  });

  test("keeps no empty metadata", () => {
    const metadata = {
      name: "a",
      namespace: "",
      labels: {},
      finalizers: [],
      annotations: null,
      generation: 0,
    };
    expect(decoded(builtin("ConfigMap"), { metadata }).object.metadata).toEqual({ name: "a" });
  });

  test.each([
    ["ConfigMap", { data: { a: 1 } }, "number into Go struct field ConfigMap.data of type string"],
    ["ConfigMap", { data: "a" }, "string into Go struct field ConfigMap.data of type map[string]string"],
    [
      "ConfigMap",
      { metadata: { labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      "Pod",
      { spec: { containers: [{ name: 1 }] } },
      "number into Go struct field Container.spec.containers.name of type string",
    ],
  ])("refuses a %s with %j", (kind, value, message) => {
    expect(() => decoded(builtin(kind), value)).toThrow(`json: cannot unmarshal ${message}`);
  });

  test("refuses bytes that are not base64", () => {
    expect(() => decoded(builtin("Secret"), { data: { a: "ab!c" } })).toThrow(
      "illegal base64 data at input byte 2",
    );
  });
});

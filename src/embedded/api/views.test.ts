import { describe, expect, test } from "vitest";
import { formOf } from "./views.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("formOf()", () => {
  test.each([
    [undefined, "object"],
    ["*/*", "object"],
    ["application/json", "object"],
    ["application/vnd.kubernetes.protobuf, application/json", "object"],
    [TABLE, "table"],
    [`${TABLE},application/json`, "table"],
    ["application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", "object"],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "metadata"],
    ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "metadata"],
  ])("of %s is %s", (accept, form) => {
    expect(formOf(accept)).toBe(form);
  });

  test("refuses what cannot be had", () => {
    expect(() => formOf("text/html")).toThrow("406: Not Acceptable");
  });
});

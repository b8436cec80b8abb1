import { expect, test } from "vitest";
import { jsonPath } from "./json_path.ts";

const object = {
  spec: { list: [{ name: "a" }, { name: "b" }], "dotted.name": 1 },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Stalled", status: "False" },
    ],
  },
};

test.each([
  [".spec.list[0].name", ["a"]],
  [".spec.list[-1].name", ["b"]],
  [".spec.list[*].name", ["a", "b"]],
  [".spec.dotted\\.name", [1]],
  [".spec['dotted.name']", [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type == 'Stalled')].status", ["False"]],
  [".spec.missing.name", []],
  [".spec.list.name", []],
  [".spec.constructor", []],
  ["spec", []],
  [".spec[", []],
])("%s leads to %j", (path, values) => {
  expect(jsonPath(path)(object)).toEqual(values);
});

import { expect, test } from "vitest";
import { NodeImpossible } from "./node_impossible.ts";
import { checkSocketPaths } from "./node_programs.ts";

test("a folder that is too deep for sockets is refused, with the remedy", () => {
  expect(() => checkSocketPaths(`/${"d".repeat(100)}`)).toThrow(NodeImpossible);
  expect(() => checkSocketPaths(`/${"d".repeat(100)}`)).toThrow(/HOLDFAST_CLUSTERS/);
});

test("a usual home's folder is not too deep", () => {
  expect(() =>
    checkSocketPaths("/home/somebody/.local/state/holdfast/clusters/test-1234567-0"),
  ).not.toThrow();
});

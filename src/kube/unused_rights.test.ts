import { expect, test } from "vitest";
import { Jobs, Pods } from "./builtin.ts";
import type { Right } from "./rights.ts";
import { unusedRights } from "./unused_rights.ts";

const RIGHTS: readonly Right[] = [
  { resource: Pods, verbs: ["get", "list"], why: "they are read", unseen: { list: "old servers" } },
  { resource: Pods, subresource: "log", verbs: ["get"], why: "they report" },
  { resource: Jobs, verbs: ["get"], why: "movers" },
  { resource: Jobs, verbs: ["get", "delete"], why: "hooks" },
];

test("a right that nobody asks for is found, unless somebody says why it is needed", () => {
  expect(unusedRights(RIGHTS, new Set(["get pods", "get jobs.batch"]))).toEqual([
    "nobody asks to delete jobs.batch",
    "nobody asks to get pods/log",
  ]);
});

test("a defence that is no longer needed is found, too", () => {
  const all = ["get pods", "list pods", "get pods/log", "get jobs.batch", "delete jobs.batch"];
  expect(unusedRights(RIGHTS, new Set(all))).toEqual(["somebody does ask to list pods"]);
});

import { expect, test } from "vitest";
import { Jobs, Pods } from "../builtin.ts";
import type { Right } from "../rights.ts";
import { unusedRights } from "./unused_rights.ts";

const RIGHTS: readonly Right[] = [
  { resource: Pods, verbs: ["get", "list"], why: "they are read", unseen: { list: "old servers" } },
  { resource: Pods, subresource: "log", verbs: ["get"], why: "they report" },
  { resource: Jobs, verbs: ["get"], why: "movers" },
  { resource: Jobs, verbs: ["get", "delete"], why: "hooks" },
];

test("a right that nobody asks for is found, unless somebody says why it is needed", () => {
  expect(unusedRights(RIGHTS, new Set(["get pods", "get jobs.batch"]))).toEqual([
    "delete jobs.batch",
    "get pods/log",
  ]);
  expect(
    unusedRights(RIGHTS, new Set(["get pods", "get pods/log", "get jobs.batch", "delete jobs.batch"])),
  ).toEqual([]);
});

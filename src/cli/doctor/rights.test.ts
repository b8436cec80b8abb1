import { expect, test } from "vitest";
import { NATIVE_KINDS } from "../frame/kinds.ts";
import { rightsFor } from "./rights.ts";

const RIGHTS = rightsFor(NATIVE_KINDS.map(({ resource }) => resource));

const named = RIGHTS.map(({ verb, resource, subresource }) =>
  [verb, subresource ? `${resource}/${subresource}` : resource].join(" "),
);

test.each([
  [
    "a session is made, let go, found, asked and removed",
    "create jobs",
    "create configmaps",
    "create secrets",
  ],
  ["a session is let go, found and removed", "patch jobs", "list pods", "delete jobs", "get configmaps"],
  ["a session is asked", "get pods/exec", "create pods/exec"],
  ["an object is explained", "get backups", "list events"],
  ["a run is begun and followed", "create backups", "watch backups", "create restores", "watch restores"],
  ["a run is cancelled", "patch backups", "patch restores", "patch maintenances"],
  ["a plan is shown", "get backups", "get persistentvolumeclaims", "list pods"],
])("%s with rights that doctor asks for", (_, ...rights) => {
  expect(named).toEqual(expect.arrayContaining(rights));
});

test("what is in no namespace is asked for in none", () => {
  const wide = RIGHTS.filter(({ clusterWide }) => clusterWide).map(
    ({ verb, resource }) => `${verb} ${resource}`,
  );
  expect(wide).toEqual(["list clusterrepositories", "get clusterrepositories"]);
});

test("no right is asked for twice", () => {
  expect(named).toHaveLength(new Set(named).size);
});

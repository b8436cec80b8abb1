import { expect, test } from "vitest";
import { GROUP } from "../../kinds/kopiur/group.ts";
import { KINDS } from "../../kinds/kopiur/kinds.ts";
import { KOPIUR_RIGHTS } from "./kopiur_rights.ts";

test("the kinds that are known as created by the operator are those that it may create", () => {
  const may = KOPIUR_RIGHTS.filter(
    ({ resource, verbs }) => resource.group === GROUP && verbs.includes("create"),
  );
  const created = KINDS.filter((kind) => kind.created).map(({ resource }) => resource.plural);
  expect(created.toSorted()).toEqual([...new Set(may.map(({ resource }) => resource.plural))].toSorted());
});

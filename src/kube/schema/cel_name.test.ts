import { expect, test } from "vitest";
import { celName } from "./cel_name.ts";

test.each([
  ["plain", "plain"],
  ["namespace", "__namespace__"],
  ["a-b.c/d", "a__dash__b__dot__c__slash__d"],
  ["a__b", "a__underscores__b"],
  ["1a", undefined],
  ["é", undefined],
])("celName(%j) is %j", (property, expected) => {
  expect(celName(property)).toBe(expected);
});

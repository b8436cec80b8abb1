import { expect, test } from "vitest";
import { operatorOnly } from "./operator_only.ts";

test.each([
  ["others stay", { note: "mine" }, undefined, { note: "mine" }],
  ["what only the operator says is left out", { note: "mine", slot: "now" }, undefined, { note: "mine" }],
  [
    "what was there stays, whatever is sent",
    { slot: "later" },
    { slot: "now", note: "old" },
    { slot: "now" },
  ],
  ["what was there stays, though nothing is sent", undefined, { slot: "now" }, { slot: "now" }],
  ["nothing stays nothing", undefined, { note: "old" }, undefined],
])("%s", (_, given, before, wanted) => {
  expect(operatorOnly(given, before, ["slot"])).toEqual(wanted);
});

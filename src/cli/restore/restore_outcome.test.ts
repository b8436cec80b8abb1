import { expect, test } from "vitest";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { native } from "../testing/cli_samples.ts";
import { outcomeLines } from "./restore_outcome.ts";

test.each([
  ["is empty", { pvc: { name: "new" } }],
  ["is left as it is", { pvcRef: { name: "data" } }],
])("outcomeLines() of a repository without a snapshot say that the volume %s, with %j", (end, target) => {
  const status = { phase: "Completed", resolved: { noSnapshot: true } };
  expect(outcomeLines(native<Restore>("Restore", "r", { spec: { target }, status }))).toEqual([
    `restore/r is done: the repository holds no such snapshot, and the volume ${end}`,
  ]);
});

import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { Given } from "../frame/given.ts";
import { native } from "../testing/cli_samples.ts";
import { undone } from "./undone.ts";

const made = (name: string, at: string, backup?: string): Restore => {
  const one = native<Restore>("Restore", name, { spec: { target: { pvcRef: { name: "documents" } } } });
  const annotations = backup === undefined ? {} : { [ANNOTATIONS.safetyBackup]: backup };
  return { ...one, metadata: { ...one.metadata, creationTimestamp: at, annotations } };
};
const restores = [
  made("first", "2026-05-01T00:00:00Z", "before-first"),
  made("last", "2026-05-03T00:00:00Z", "before-last"),
  made("without", "2026-05-04T00:00:00Z"),
];

test.each([
  [[], "backup/before-last"],
  [["restore/first"], "backup/before-first"],
])("%j goes back to %s, with what came since deleted", (words, source) => {
  const given = undone(new Given(words, { undo: true, yes: true }), restores);
  expect(given.words).toEqual([source]);
  expect(given.text("into")).toBe("documents");
  expect([given.flag("delete-extra"), given.flag("yes")]).toEqual([true, true]);
});

test("without a backup from before it there is nothing to go back to", () => {
  expect(() => undone(new Given(["restore/without"], {}), restores)).toThrow(
    "there is no backup from before restore/without",
  );
  expect(() => undone(new Given([], {}), [])).toThrow("there is no backup from before any restore");
});

test("what the Restore says itself is not said again", () => {
  expect(() => undone(new Given([], { into: "other" }), restores)).toThrow(
    "--into has no effect with --undo",
  );
});

test("what the operator backed up first can be undone, too", () => {
  const one = made("by-operator", "2026-05-05T00:00:00Z");
  const restore = { ...one, status: { safetyBackup: "before-1a2b3c4d" } };
  expect(undone(new Given([], {}), [...restores, restore]).words).toEqual(["backup/before-1a2b3c4d"]);
});

import { describe, expect, test } from "vitest";
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
  const { given } = undone(new Given(words, { undo: true, yes: true }), restores);
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
  const { given, notes } = undone(new Given([], {}), [...restores, restore]);
  expect([given.words, notes]).toEqual([["backup/before-1a2b3c4d"], []]);
});

describe("a restore that was tried again", () => {
  const at = (day: number) => `2026-05-0${day}T00:00:00Z`;
  const condition = (status: string, reason: string) => ({
    conditions: [{ type: "TargetIncomplete", status, reason, message: "", lastTransitionTime: at(1) }],
  });
  const failed = { phase: "Failed", ...condition("False", "RestoredSince") };
  const half = { phase: "Failed", ...condition("True", "RestoreBrokenOff") };
  const completed = (day: number) => ({ phase: "Completed", timing: { endTime: at(day) } });
  const ended = (
    name: string,
    day: number,
    status: object,
    backup: string | undefined = `before-${name}`,
  ) => {
    const one = made(name, at(day), backup);
    const spec = { ...one.spec, options: { existingFiles: "Overwrite" } };
    return { ...one, spec, status } as unknown as Restore;
  };
  const third = ended("third", 3, completed(4));
  const goesTo = (...all: readonly Restore[]) => {
    const { given, notes } = undone(new Given(["restore/third"], {}), all);
    return [given.word(0), ...notes];
  };
  const TOLD =
    "restore/first left documents half written before restore/third began: this goes back to before restore/first";

  test.each<[string, readonly Restore[], readonly string[]]>([
    ["after one that had left the volume half written", [ended("first", 1, failed)], ["before-first", TOLD]],
    ["after two of these", [ended("first", 1, failed), ended("second", 2, half)], ["before-first", TOLD]],
    [
      "after one that had not begun, and one that had",
      [ended("first", 1, failed), ended("second", 2, { phase: "Failed" })],
      ["before-first", TOLD],
    ],
    [
      "after one that another one made up for",
      [ended("first", 1, failed), ended("second", 2, completed(2))],
      ["before-third"],
    ],
    [
      "after one that was acknowledged",
      [ended("first", 1, condition("False", "Acknowledged"))],
      ["before-third"],
    ],
    ["before one that fails", [ended("fourth", 4, half)], ["before-third"]],
  ])("is undone, %s, by the backup of the volume that was whole", (_, others, [backup, ...notes]) => {
    expect(goesTo(third, ...others)).toEqual([`backup/${backup}`, ...notes]);
  });

  test("is not undone by the backup of a half-written volume where there is no other", () => {
    const first = { ...ended("first", 1, failed), metadata: made("first", at(1)).metadata };
    expect(() => goesTo(third, first)).toThrow(
      "there is no backup of documents from before it was half written",
    );
  });
});

test("what came later without a backup is said, as it goes too", () => {
  expect(undone(new Given([], {}), restores).notes).toEqual([
    "restore/without into documents was made since, without a backup first: this goes back to before an earlier restore",
  ]);
});

import { describe, expect, test } from "vitest";
import type { Difference, Entry } from "../../../../src/cli/console/contract.ts";
import { filtered, sizeText, summaryOf, whatText } from "./differences.ts";

const entry = (more: Partial<Entry> = {}): Entry => ({
  name: "a",
  type: "File",
  size: 1024,
  mode: 0o644,
  modifiedAt: "2026-05-24T03:00:00Z",
  ...more,
});
const added: Difference = { path: "Letters/new.txt", change: "added", after: entry() };
const removed: Difference = { path: "letters/old.txt", change: "removed", before: entry({ size: 2048 }) };
const folder: Difference = { path: "music", change: "added", after: entry({ type: "Folder", size: 4096 }) };
const changed: Difference = {
  path: "letters/anna.txt",
  change: "changed",
  what: ["size", "time"],
  before: entry(),
  after: entry({ size: 3072 }),
};

test("a summary counts each kind, and the bytes of files alone", () => {
  expect(summaryOf([added, removed, folder, changed])).toEqual({
    counts: { added: 2, removed: 1, changed: 1 },
    added: 1024,
    removed: 2048,
    grown: 2048,
  });
});

describe("filtered()", () => {
  const all = [added, removed, changed];
  test.each([
    ["", ["added", "removed", "changed"], all],
    ["letters/", ["added"], [added]],
    ["ANNA", ["added", "removed", "changed"], [changed]],
    ["", [], []],
  ] as const)("with %j of %j", (text, changes, expected) => {
    expect(filtered(all, { text, changes: new Set(changes) })).toEqual(expected);
  });
});

describe("what changed is told with both sides", () => {
  const from = { owner: { uid: 1, gid: 2 } };
  const to = { owner: { uid: 3, gid: 2 }, mode: 0o600 };
  test.each([
    [changed, "content, time", "1.0 KiB → 3.0 KiB"],
    [added, "", "1.0 KiB"],
    [removed, "", "2.0 KiB"],
    [folder, "", "–"],
    [
      { path: "a", change: "changed", what: ["mode", "owner"], before: entry(from), after: entry(to) },
      "mode -rw-r--r-- → -rw-------, owner 1:2 → 3:2",
      "1.0 KiB",
    ],
    [
      { path: "a", change: "changed", what: ["type"], before: entry(), after: entry({ type: "Folder" }) },
      "File is now a Folder",
      "1.0 KiB → –",
    ],
  ] as const)("%j", (difference, what, size) => {
    expect([whatText(difference), sizeText(difference)]).toEqual([what, size]);
  });
});

import { describe, expect, test } from "vitest";
import { backupMustMove, listingMustMove, restoreMustMove } from "./must_move.ts";

describe("a backup's figures must move", () => {
  test.each([
    ["not while the indexes are read", {}, false],
    ["not before the first file", { files_done: 0, bytes_done: 0, percent_done: 0 }, false],
    ["once a part of a file is stored", { bytes_done: 1 }, true],
    ["once an empty file is stored", { files_done: 1, bytes_done: 0 }, true],
  ])("%s", (_, status, expected) => {
    expect(backupMustMove(status)).toBe(expected);
  });
});

describe("a restore's figures must move", () => {
  const nothing = { total_files: 9, files_restored: 0, total_bytes: 100 };
  const some = { total_files: 9, total_bytes: 100, bytes_restored: 1 };
  const all = { total_files: 9, total_bytes: 100, bytes_restored: 100 };
  test.each([
    ["not while the indexes are read", undefined, {}, false],
    ["while the first content for an empty target is awaited", undefined, nothing, true],
    ["while content for an empty target is outstanding", "Refuse", some, true],
    ["not while owners, rights and times are set", "Refuse", all, false],
    ["not while a file that is there is compared", "Overwrite", nothing, false],
    ["not while a changed file that is there is compared", "OverwriteChanged", nothing, false],
    ["while content for a target with files is outstanding", "OverwriteChanged", some, true],
    ["not while owners of files that were there are set", "Overwrite", all, false],
  ] as const)("%s", (_, existing, status, expected) => {
    expect(restoreMustMove(existing)(status)).toBe(expected);
  });
});

test("a listing must move from its first word on", () => {
  expect([{}, { bytes_read: 0 }, { bytes_read: 1 }].map(listingMustMove)).toEqual([false, false, true]);
});

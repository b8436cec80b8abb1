import { describe, expect, test } from "vitest";
import { copyName, readRecords, recordsText } from "./volume_record.ts";

describe("the PVC of a copy", () => {
  test.each([
    ["data-db-0", "db", "db", "data-db-0"],
    ["data-db-0", "db", "copy", "data-copy-0"],
    ["db", "db", "copy", "copy"],
    ["db-data", "db", "copy", "copy-data"],
    ["data-dbb-0", "db", "copy", "copy-data-dbb-0"],
    ["data-my-db-0", "my-db", "other", "data-other-0"],
  ])("%s of %s is for %s called %s", (claim, from, to, name) => {
    expect(copyName(claim, from, to)).toBe(name);
  });
});

test("what is recorded of volumes is read again, and nothing else is", () => {
  const records = [{ name: "data", capacity: "1Gi", modes: ["ReadWriteOnce"] }];
  expect(readRecords(recordsText(records))).toEqual(records);
  expect(readRecords(undefined)).toBeUndefined();
  expect(readRecords("[]")).toBeUndefined();
  expect(readRecords("{")).toBeUndefined();
});

import { expect, test } from "vitest";
import { referenceOf } from "./kinds.ts";

test.each([
  ["backup/a", "Backup", "a"],
  ["backups/a", "Backup", "a"],
  ["config/a", "BackupConfig", "a"],
  ["backupconfig/a", "BackupConfig", "a"],
  ["backupconfigs.kopiur.home-operations.com/a", "BackupConfig", "a"],
  ["backupconfig.kopiur.home-operations.com/a", "BackupConfig", "a"],
  ["Repository/a", "Repository", "a"],
  ["clusterrepository/a", "ClusterRepository", "a"],
])("%s is the %s %s", (text, kind, name) => {
  expect(referenceOf(text)).toMatchObject({ resource: { kind }, name });
});

test("a name alone is of the usual kind, where there is one", () => {
  expect(referenceOf("a", { usual: "schedule" })).toMatchObject({ resource: { kind: "BackupSchedule" } });
  expect(() => referenceOf("a")).toThrow("names nothing");
});

test("a kind that a command does not work on is refused", () => {
  expect(() => referenceOf("restore/a", { kinds: ["backup"] })).toThrow(
    expect.objectContaining({ code: 2, fix: expect.stringContaining("backup") }),
  );
  expect(() => referenceOf("backup/")).toThrow("names nothing");
});

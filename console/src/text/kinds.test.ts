import { expect, test } from "vitest";
import { referenceOf, resourceOf } from "./kinds.ts";

const apis = [
  { api: "kopiur", kinds: [{ word: "backup", kind: "Backup", resource: "backups.kopiur" }] },
  {
    api: "velero",
    kinds: [
      { word: "velerobackup", kind: "Backup", resource: "backups.velero.io" },
      { word: "backupstoragelocation", kind: "BackupStorageLocation", resource: "bsls.velero.io" },
    ],
  },
];

test("a kind that several APIs have is told by its API", () => {
  expect(resourceOf(apis, { kind: "Backup", name: "a" })).toBe("backups.kopiur");
  expect(resourceOf(apis, { kind: "Backup", name: "a", api: "velero" })).toBe("backups.velero.io");
  expect(referenceOf(apis, { kind: "Backup", name: "a", api: "velero" })).toBe("velerobackup/a");
});

test("a claim is known without any API; a kind of nobody is not", () => {
  expect(resourceOf(undefined, { kind: "PersistentVolumeClaim", name: "a" })).toBe("persistentvolumeclaims");
  expect(resourceOf(apis, { kind: "Node", name: "a" })).toBeUndefined();
  expect(referenceOf(apis, { kind: "Restore", name: "a" })).toBe("restore/a");
});

import { expect, test } from "vitest";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import { findRepository } from "./find_repository.ts";

const one = (name: string, spec: object = {}, metadata: object = {}): BackupRepository =>
  ({
    metadata: { name, ...metadata },
    spec: { volumeNamespace: "shop", backupStorageLocation: "default", repositoryType: "kopia", ...spec },
  }) as unknown as BackupRepository;
const question = { volumeNamespace: "shop", location: "default", type: "kopia" } as const;

test("findRepository() takes one that names no program for restic's", () => {
  const [older, newer] = [one("a", { repositoryType: "" }), one("b")];
  const found = findRepository([older, newer], { ...question, type: "restic" });
  expect(found).toEqual({ type: "Found", object: older });
});

test("findRepository() finds the one for a namespace and a location", () => {
  const others = [
    one("a", { volumeNamespace: "other" }),
    one("b", { backupStorageLocation: "other" }),
    one("c", { repositoryType: "restic" }),
    one("d", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  ];
  expect(findRepository(others, question)).toEqual({ type: "Missing", question });
  expect(findRepository([...others, one("e")], question)).toMatchObject({
    type: "Found",
    object: { metadata: { name: "e" } },
  });
  expect(findRepository([one("e"), one("f")], question)).toEqual({ type: "Several", names: ["e", "f"] });
});

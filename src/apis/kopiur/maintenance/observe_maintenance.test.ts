import { expect, test } from "vitest";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { BY_SNAPSHOT, type KopiurCaches } from "../caches.ts";
import { backup, readyNas } from "../testing/samples.ts";
import { backupsIn } from "./observe_maintenance.ts";

const HIT = {
  id: "k1",
  identity: { username: "app", hostname: "shop", path: "/data" },
  startedAt: "2026-05-20T01:02:03Z",
  run: "run-1",
  files: 1,
  examples: [],
};

/** A Backup whose snapshot is in the repository with this ID. */
function standing(name: string, uniqueID: string): Backup {
  const repository = { kind: "Repository", name: "nas", uniqueID } as const;
  return backup({
    metadata: { name },
    status: { resolved: { repository } } as NonNullable<Backup["status"]>,
  });
}

function backupOf(indexed: Readonly<Record<string, readonly Backup[]>>) {
  const backups = {
    indexed: (index: string, key: string) => (index === BY_SNAPSHOT ? (indexed[key] ?? []) : []),
  } as unknown as KopiurCaches["backups"];
  return backupsIn({ backups }, readyNas())(HIT);
}

const OURS = readyNas().status?.uniqueID ?? "";

test("the Backup of a snapshot is found by its ID, or by the run that made it, in the same repository", () => {
  expect(backupOf({ k1: [standing("nightly", OURS)] })).toBe("billing/nightly");
  expect(backupOf({ "run-1": [standing("nightly", OURS)] })).toBe("billing/nightly");
  expect(backupOf({ k1: [standing("elsewhere", "another")], "run-1": [standing("nightly", OURS)] })).toBe(
    "billing/nightly",
  );
  expect(backupOf({ k1: [standing("elsewhere", "another")] })).toBeUndefined();
});

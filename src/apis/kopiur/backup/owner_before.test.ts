import { expect, test } from "vitest";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { backup } from "../testing/samples.ts";
import { ownerBefore } from "./owner_before.ts";

const APP = { uid: 1000, gid: 2000 };
const OTHER = { uid: 1001, gid: 2000 };
const ROOT = { uid: 0, gid: 0 };

/** One that ended at that minute, with volumes of these owners. */
function ended(minute: number, owners: readonly (Owner | undefined)[], phase = "Succeeded"): Backup {
  const snapshots = owners.map((owner, n) => ({
    kopiaSnapshotID: `k${minute}${n}`,
    identity: { username: "u", hostname: "h", sourcePath: `/${n}` },
    ...(owner ? { owner } : {}),
  }));
  const timing = { endTime: `2026-05-24T02:${String(minute).padStart(2, "0")}:00Z` };
  return { ...backup(), status: { phase, snapshots, timing } as Backup["status"] } as Backup;
}

test.each<[string, readonly Backup[], Owner | undefined]>([
  ["nobody, before there is a backup", [], undefined],
  ["the only owner", [ended(1, [APP])], APP],
  ["the only owner of several volumes", [ended(1, [APP, APP])], APP],
  ["the only owner beside root", [ended(1, [ROOT, APP])], APP],
  ["nobody, where all is root's", [ended(1, [ROOT])], undefined],
  ["nobody, where one volume has several owners", [ended(1, [undefined])], undefined],
  ["nobody, where one of the volumes has several owners", [ended(1, [APP, undefined])], undefined],
  ["nobody, where volumes have different owners", [ended(1, [APP, OTHER])], undefined],
  ["the owner as the last one saw it", [ended(2, [OTHER]), ended(3, [APP]), ended(1, [OTHER])], APP],
  ["nobody, where the last one saw several", [ended(1, [APP]), ended(2, [undefined])], undefined],
  ["the owner of the last that succeeded", [ended(1, [APP]), ended(2, [OTHER], "Failed")], APP],
  ["the owner of the last that stored something", [ended(1, [APP]), ended(2, [])], APP],
])("a mover runs as %s", (_, backups, owner) => {
  expect(ownerBefore(backups)).toEqual(owner);
});

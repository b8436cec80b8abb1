import { expect, test } from "vitest";
import type { Owner } from "../../wire/snapshot.ts";
import { readyNas } from "../testing/samples.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { BackupObject } from "./backup.ts";
import { canRunAs, ownerBefore, withOwnerSeen } from "./mover_owner.ts";
import type { BackupPlan } from "./plan.ts";
import { backup, entry, PLAN } from "./testing/backup_samples.ts";

const APP = { uid: 1000, gid: 2000 };
const OTHER = { uid: 1001, gid: 2000 };
const ROOT = { uid: 0, gid: 0 };

/** One that ended at that minute, with volumes of these owners. */
function ended(minute: number, owners: readonly (Owner | undefined)[], phase = "Succeeded"): BackupObject {
  const snapshots = owners.map((owner, n) => ({
    ...entry(`k${minute}${n}`),
    ...(owner ? { owner } : {}),
  }));
  const timing = { endTime: `2026-05-24T02:${String(minute).padStart(2, "0")}:00Z` };
  return backup({ status: { phase, snapshots, timing } });
}

test.each<[string, readonly BackupObject[], Owner | undefined]>([
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

const auth = { secretRef: { name: "creds" } };
const bucket = { backend: { s3: { bucket: "backups", addressing: "Auto" as const, auth } } };

function planned(mover?: Partial<MoverSpec>): BackupPlan {
  const settings = { ...PLAN.settings, ...(mover ? { mover: mover as MoverSpec } : {}) };
  return { ...PLAN, settings };
}

test("the next attempt can run as the owner, also when another was taken for it", () => {
  const inS3 = readyNas({ spec: bucket });
  expect(canRunAs(planned(), inS3, APP)).toBe(true);
  expect(canRunAs({ ...planned(), owner: OTHER }, inS3, APP)).toBe(true);
});

test.each<[string, Parameters<typeof canRunAs>]>([
  ["it did", [{ ...planned(), owner: APP }, readyNas({ spec: bucket }), APP]],
  ["that is root", [planned(), readyNas({ spec: bucket }), { uid: 0, gid: 0 }]],
  ["Kubernetes knows no such user", [planned(), readyNas({ spec: bucket }), { uid: 2 ** 31, gid: 0 }]],
  ["the repository is one user's", [planned(), readyNas(), APP]],
  [
    "the plan names a user",
    [planned({ securityContext: { runAsUser: 7 } }), readyNas({ spec: bucket }), APP],
  ],
  ["it has privileges", [planned({ privilegedMode: true }), readyNas({ spec: bucket }), APP]],
  [
    "it runs as a workload does",
    [
      planned({ inheritSecurityContextFrom: { podSelector: { matchLabels: { app: "db" } } } }),
      readyNas({ spec: bucket }),
      APP,
    ],
  ],
  [
    "the repository names a user",
    [
      planned(),
      readyNas({
        spec: { ...bucket, moverDefaults: { privilegedMode: false, securityContext: { runAsUser: 7 } } },
      }),
      APP,
    ],
  ],
])("it cannot where %s", (_, given) => {
  expect(canRunAs(...given)).toBe(false);
});

test("later attempts run as the owner that one has seen", () => {
  expect(withOwnerSeen({ ...planned(), owner: OTHER }, { owner: APP }).owner).toEqual(APP);
  expect(withOwnerSeen({ ...planned(), owner: OTHER }, {}).owner).toEqual(OTHER);
});

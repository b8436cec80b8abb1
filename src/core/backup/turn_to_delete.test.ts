import { describe, expect, test } from "vitest";
import { AT, NOW } from "../testing/samples.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { BackupPlan } from "./plan.ts";
import { backup, PLAN } from "./testing/backup_samples.ts";
import { mayComeToRefer, turnToDelete } from "./turn_to_delete.ts";

function planned(more: Partial<BackupPlan> = {}, ignoreIdenticalSnapshots = true): BackupPlan {
  const ignore = { ignoreIdenticalSnapshots, cacheDirs: false, otherFilesystems: false };
  const policy = { ...PLAN.settings.policy, ignore };
  return { ...PLAN, settings: { ...PLAN.settings, policy }, ...more };
}

const place = { pool: "uid-nas", rank: 1, tenant: "billing/data", since: AT };
const seated: RunRecord = { ...FIRST_ATTEMPT, place: { ...place, seated: true } };
const noted: RunRecord = { ...FIRST_ATTEMPT, edition: AT };
const begun: RunRecord = { ...FIRST_ATTEMPT, job: "job-1" };
const waiting: RunRecord = { ...FIRST_ATTEMPT, place };
const backingOff: RunRecord = { ...FIRST_ATTEMPT, failures: 1, notBefore: new Date(NOW).toISOString() };
const over: RunRecord = { ...begun, outcome: "Failed" };

interface Other {
  readonly plan?: BackupPlan;
  readonly work: Readonly<Record<string, RunRecord>>;
  readonly going?: boolean;
}

function isReferring({ plan = planned(), work, going = false }: Other): boolean {
  const metadata = { name: "other", uid: "uid-other", ...(going ? { deletionTimestamp: AT } : {}) };
  const object = backup({ metadata, status: { phase: "Running", work } });
  return mayComeToRefer(object, plan, planned());
}

describe("turnToDelete()", () => {
  test.each([
    ["has a seat", seated],
    ["has its Job", begun],
  ])("waits for a run that may come to refer to the snapshots, as soon as it %s", (_, record) => {
    expect(isReferring({ work: { snapshot: record } })).toBe(true);
    const referring = backup({ metadata: { name: "other" } });
    expect(turnToDelete({ plan: planned(), record: noted, referring })).toMatchObject({
      open: false,
      reason: "SnapshotsMayBeReferredTo",
      message: expect.stringContaining("Backup billing/other runs."),
    });
  });

  test.each<[string, Other]>([
    ["has ended", { work: { snapshot: over } }],
    ["waits for its turn", { work: { snapshot: waiting } }],
    ["waits for its next attempt, which looks anew", { work: { snapshot: backingOff } }],
    ["goes itself", { work: { snapshot: begun }, going: true }],
    ["always makes a snapshot", { work: { snapshot: begun }, plan: planned({}, false) }],
    [
      "is of another identity",
      { work: { snapshot: begun }, plan: planned({ identity: { username: "data", hostname: "shop" } }) },
    ],
    [
      "is of the repository that was there before",
      {
        work: { snapshot: begun },
        plan: planned({ repository: { ...planned().repository, uniqueID: "id-0" } }),
      },
    ],
  ])("does not wait for a run that %s", (_, one) => {
    expect(isReferring(one)).toBe(false);
  });

  test("begins only once it is noted, so that no run that began before is overlooked", () => {
    const turn = (record: RunRecord | undefined, plan = planned()) =>
      turnToDelete({ plan, record, referring: undefined });
    expect(turn(undefined)).toMatchObject({ open: false, reason: "Preparing" });
    expect(turn(noted)).toEqual({ open: true });
    expect(turn(undefined, planned({}, false))).toEqual({ open: true });
  });
});

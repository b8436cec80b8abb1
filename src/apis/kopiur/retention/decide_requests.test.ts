import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { backup, config } from "../testing/samples.ts";
import { decideRequests } from "./decide_requests.ts";

const at = (hour: number) => `2026-05-24T0${hour}:00:00Z`;

const one = { snapshots: [{ kopiaSnapshotID: "k1" }] } as unknown as BackupStatus;

/** A Backup of a schedule that ended at an hour, with one made for it in each namespace. */
function asked(hour: number, status: BackupStatus = {}, metadata: Partial<ObjectMeta> = {}) {
  const name = `at-${hour}`;
  const backupRefs = (["lab", "shop"] as const).map((namespace) => ({
    namespace,
    name,
    uid: `${namespace}-${hour}`,
    phase: "Succeeded" as const,
  }));
  return backup({
    metadata: { name, labels: { [LABELS.backupSchedule]: "nightly" }, ...metadata },
    status: { phase: "Succeeded", origin: "scheduled", timing: { endTime: at(hour) }, backupRefs, ...status },
  });
}

type Seen = Readonly<Record<string, ReturnType<typeof backup> | "unknown">>;

const decide = (backups: readonly ReturnType<typeof asked>[], there: Seen = {}, known: object = {}) => {
  const { prune, status } = decideRequests({
    config: config({ status: known }),
    backups,
    find: ({ namespace, name }) => there[`${namespace}/${name}`] ?? "absent",
    now: Date.parse(at(9)),
  });
  return { prune: prune.map(({ metadata }) => metadata.name), status };
};

test("what a schedule asked for goes once all that was made for it is gone, but for the newest", () => {
  const there = { "shop/at-2": backup({ status: { phase: "Succeeded", ...one } }) };
  expect(decide([asked(1), asked(2), asked(3)], there).prune).toEqual(["at-1"]);
  expect(decide([asked(1)]).prune).toEqual([]);
});

describe("what failed in part", () => {
  const failed: BackupStatus = {
    phase: "Failed",
    backupRefs: [
      { namespace: "lab", name: "at-1", uid: "lab-1", phase: "Failed", snapshots: 0 },
      { namespace: "shop", name: "at-1", uid: "shop-1", phase: "Succeeded", snapshots: 1 },
    ],
  };
  const empty = backup({ status: { phase: "Failed" } });

  test("goes once no snapshot is left, and takes along what failed", () => {
    expect(decide([asked(1, failed), asked(2)], { "lab/at-1": empty }).prune).toEqual(["at-1"]);
  });

  test.each<[string, Seen[string]]>([
    ["holds snapshots though it failed", backup({ status: { phase: "Failed", ...one } })],
    ["is tried again", backup({ status: { phase: "Running" } })],
    ["is held", backup({ ...empty, metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } })],
    ["cannot be seen", "unknown"],
  ])("stays while one of its parts %s", (_, part) => {
    expect(decide([asked(1, failed), asked(2)], { "lab/at-1": part }).prune).toEqual([]);
  });

  test("is the schedule's to sweep where no part ever held a snapshot", () => {
    const backupRefs = failed.backupRefs?.slice(0, 1) ?? [];
    const none = asked(1, { phase: "Failed", backupRefs });
    expect(decide([none, asked(2)], { "lab/at-1": empty }).prune).toEqual([]);
  });
});

test.each<[string, ReturnType<typeof asked>]>([
  ["was asked for by hand", asked(1, { origin: "manual" })],
  ["has not ended", asked(1, { phase: "Running" })],
  ["is held", asked(1, {}, { annotations: { [ANNOTATIONS.hold]: "true" } })],
  ["had nothing made, which the schedule's own limit is for", asked(1, { phase: "Failed", backupRefs: [] })],
  ["goes already", asked(1, {}, { deletionTimestamp: at(4) })],
])("what %s stays", (_, one) => {
  expect(decide([one, asked(2)]).prune).toEqual([]);
});

test("the BackupConfig tells of its newest success, and of the failures since", () => {
  const failed = (hour: number) => asked(hour, { phase: "Failed" });
  expect(decide([failed(1), asked(2), failed(3), failed(4)]).status).toMatchObject({
    lastSuccessfulBackup: { name: "at-2", at: at(2) },
    consecutiveFailures: 2,
  });
});

test("a success from the future is not its newest, and hides no failures", () => {
  const far = "2027-05-24T00:00:00Z";
  const ahead = asked(5, { timing: { endTime: far } });
  const known = { lastSuccessfulBackup: { name: "at-5", at: far } };
  const failed = [asked(3, { phase: "Failed" }), asked(4, { phase: "Failed" })];
  expect(decide([asked(2), ...failed, ahead], {}, known).status).toMatchObject({
    lastSuccessfulBackup: { name: "at-2", at: at(2) },
    consecutiveFailures: 2,
  });
  const { status } = decide(failed, {}, known);
  expect(status.lastSuccessfulBackup).toBeUndefined();
  expect(status.consecutiveFailures).toBe(2);
});

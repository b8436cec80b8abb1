import { describe, expect, test } from "vitest";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { AT, backup, config, NOW } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { type DeletionTurn, turnToDelete } from "./turn_to_delete.ts";

const { policy, failurePolicy } = config().spec;

function frozen(more: Partial<Frozen> = {}, ignoreIdenticalSnapshots = true): Frozen {
  const ignore = { ignoreIdenticalSnapshots, cacheDirs: false, otherFilesystems: false };
  return {
    repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-1" },
    engine: "kopia",
    deletionPolicy: "Delete",
    sources: [{ pvc: "billing/data", sourcePath: "/data" }],
    identity: { username: "data", hostname: "billing" },
    recipe: { policy: { ...policy, ignore }, failurePolicy },
    ...more,
  };
}

const place = { pool: "uid-nas", rank: 1, tenant: "billing/data", since: AT };
const seated: RunRecord = { ...FIRST_ATTEMPT, place: { ...place, seated: true } };
const noted: RunRecord = { ...FIRST_ATTEMPT, edition: AT };
const begun: RunRecord = { ...FIRST_ATTEMPT, job: "job-1" };
const waiting: RunRecord = { ...FIRST_ATTEMPT, place };
const backingOff: RunRecord = { ...FIRST_ATTEMPT, failures: 1, notBefore: new Date(NOW).toISOString() };
const over: RunRecord = { ...begun, outcome: "Failed" };

interface Other {
  readonly frozen?: Frozen;
  readonly work: Readonly<Record<string, RunRecord>>;
  readonly going?: boolean;
}

const other = ({ frozen: resolved = frozen(), work, going = false }: Other): Backup =>
  backup({
    metadata: { name: "other", uid: "uid-other", ...(going ? { deletionTimestamp: AT } : {}) },
    status: { phase: "Running", resolved, work },
  });

function turn(others: readonly Backup[], more: Partial<DeletionTurn> = {}): DeletionTurn {
  const one = backup({ metadata: { name: "one", uid: "uid-one" } });
  const caches = { backups: { indexed: (_: string, key: string) => (key === "billing/nas" ? others : []) } };
  return {
    caches: caches as unknown as DeletionTurn["caches"],
    backup: one,
    frozen: frozen(),
    record: undefined,
    ...more,
  };
}

describe("turnToDelete()", () => {
  const gate = (one: Other, record: RunRecord | undefined = noted) =>
    turnToDelete(turn([other(one)], { record }));

  test.each([
    ["has a seat", seated],
    ["has its Job", begun],
  ])("waits for a run that may come to refer to the snapshots, as soon as it %s", (_, record) => {
    expect(gate({ work: { snapshot: record } })).toMatchObject({
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
    ["always makes a snapshot", { work: { snapshot: begun }, frozen: frozen({}, false) }],
    [
      "is of another identity",
      { work: { snapshot: begun }, frozen: frozen({ identity: { username: "data", hostname: "shop" } }) },
    ],
    [
      "is of the repository that was there before",
      {
        work: { snapshot: begun },
        frozen: frozen({ repository: { ...frozen().repository, uniqueID: "id-0" } }),
      },
    ],
  ])("does not wait for a run that %s", (_, one) => {
    expect(gate(one)).toEqual({ open: true });
  });

  test("begins only once it is noted, so that no run that began before is overlooked", () => {
    expect(turnToDelete(turn([]))).toMatchObject({ open: false, reason: "Preparing" });
    expect(turnToDelete(turn([], { record: noted }))).toEqual({ open: true });
    expect(turnToDelete(turn([], { frozen: frozen({}, false) }))).toEqual({ open: true });
  });

  test("does not wait for itself", () => {
    const self = { ...other({ work: { snapshot: begun } }), metadata: turn([]).backup.metadata };
    expect(turnToDelete(turn([self], { record: noted }))).toEqual({ open: true });
  });
});

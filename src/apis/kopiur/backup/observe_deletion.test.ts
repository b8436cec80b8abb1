import { describe, expect, test } from "vitest";
import { decideDeletion } from "../../../core/backup/decide_deletion.ts";
import { deletePurpose } from "../../../core/backup/delete_task.ts";
import { AT, NOW, SETTINGS, WRONG_PASSWORD } from "../../../core/testing/samples.ts";
import { decideTask } from "../../../core/work/decide_task.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { TaskView } from "../../../core/work/task_view.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { KopiurPorts } from "../ports.ts";
import { backup, config, readyConfig, readyNas } from "../testing/samples.ts";
import { observeDeletion } from "./observe_deletion.ts";

const HOUR = 3_600_000;
const { policy, failurePolicy } = config().spec;
const ignore = { ignoreIdenticalSnapshots: true, cacheDirs: false, otherFilesystems: false };
const identity = { username: "data", hostname: "billing" };
const resolved = {
  repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-1" },
  engine: "kopia",
  deletionPolicy: "Delete",
  sources: [{ pvc: "billing/data", sourcePath: "/data" }],
  identity,
  settings: { policy: { ...policy, ignore }, failurePolicy },
};
const entry = { kopiaSnapshotID: "k1", runID: "run-1", identity: { ...identity, sourcePath: "/data" } };

/** A Backup that is being deleted, with what is remembered of the deletion. */
function going(record?: Partial<RunRecord>): Backup {
  const bare = backup({ metadata: { deletionTimestamp: AT } });
  const work = record ? { [deletePurpose(bare)]: { ...FIRST_ATTEMPT, ...record } } : {};
  return { ...bare, status: { phase: "Deleting", resolved, snapshots: [entry], work } } as Backup;
}

interface Scene {
  readonly namespaceGoing?: boolean;
  readonly others?: readonly Backup[];
  readonly ready?: boolean;
  readonly readOnly?: boolean;
  readonly now?: number;
}

/** What follows for it, when all seats at the repository are free. */
async function decide(one: Backup, scene: Scene = {}) {
  const { others = [], ready = true, readOnly = false, now = NOW, namespaceGoing = false } = scene;
  const all = [one, ...others];
  const named = (id: string) =>
    all.filter(({ status }) =>
      status?.snapshots?.some(({ kopiaSnapshotID, runID }) => kopiaSnapshotID === id || runID === id),
    );
  const deletionTimestamp = namespaceGoing ? { deletionTimestamp: AT } : {};
  const place = { metadata: { name: "billing", ...deletionTimestamp } } as KubeObject;
  const ports = {
    clock: new VirtualClock(now),
    settings: SETTINGS,
    client: {},
    caches: {
      namespaces: { get: () => place },
      configs: { get: () => readyConfig() },
      repositories: {
        get: () =>
          readyNas({ spec: { access: { readOnly } }, ...(ready ? {} : { status: { phase: "Failed" } }) }),
      },
      backups: { indexed: (index: string, key: string) => (index === "snapshot" ? named(key) : all) },
    },
    deletionGuard: { holds: () => undefined },
    queues: {
      ask: ({ claimant, pool }: { readonly claimant: object; readonly pool: string }) => ({
        place: { ...claimant, pool, since: AT, seated: true },
      }),
    },
    tasks: {
      decide: async (view: Omit<TaskView, "runs" | "now">) => decideTask({ ...view, runs: [], now }),
    },
  } as unknown as KopiurPorts;
  return decideDeletion(await observeDeletion(ports, one, new AbortController().signal));
}

const begins = ({ intents }: Awaited<ReturnType<typeof decide>>) =>
  intents.some((one) => one.type === "Run" && one.decision.intents.some(({ type }) => type === "Ensure"));

const reason = ({ status }: Awaited<ReturnType<typeof decide>>) =>
  status?.conditions?.find(({ type }) => type === "Ready")?.reason;

describe("a Backup's deletion", () => {
  test("of one whose repository is read-only waits, and says what lets the object go", async () => {
    const decision = await decide(going(), { readOnly: true });
    expect(decision.intents).toEqual([]);
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "SnapshotDeletionFailed",
        status: "True",
        reason: "RepositoryReadOnly",
        message: expect.stringContaining("annotation skip-snapshot-cleanup"),
      }),
    );
  });

  const running = (snapshots: readonly object[] = [], outcome?: "Succeeded") =>
    backup({
      metadata: { name: "next", uid: "uid-next" },
      status: {
        phase: outcome ?? "Running",
        resolved,
        snapshots,
        work: { snapshot: { ...FIRST_ATTEMPT, job: "job-1", ...(outcome ? { outcome } : {}) } },
      },
    });

  test("waits for a run that may refer to its snapshot, and leaves the snapshot to it if it does", async () => {
    const during = await decide(going({ edition: AT }), { others: [running()] });
    expect(begins(during)).toBe(false);
    expect(reason(during)).toBe("SnapshotsMayBeReferredTo");
    const after = await decide(going({ edition: AT }), { others: [running([entry], "Succeeded")] });
    expect(after.intents).toMatchObject([{ type: "LetGo" }]);
    const without = await decide(going({ edition: AT }), { others: [running([], "Succeeded")] });
    expect(begins(without)).toBe(true);
  });

  test("leaves a snapshot to another Backup that knows it by a later ID, and to no other", async () => {
    const rewritten = { ...entry, kopiaSnapshotID: "k2" };
    const shared = await decide(going({ edition: AT }), { others: [running([rewritten], "Succeeded")] });
    expect(shared.intents).toMatchObject([{ type: "LetGo" }]);
    const beside = { ...rewritten, identity: { ...entry.identity, sourcePath: "/more" } };
    const alone = await decide(going({ edition: AT }), { others: [running([beside], "Succeeded")] });
    expect(begins(alone)).toBe(true);
  });

  test("is noted, then begun", async () => {
    const first = await decide(going());
    expect(begins(first)).toBe(false);
    expect(first.status?.work).toMatchObject({ [deletePurpose(going())]: { attempt: 1, edition: AT } });
    expect(begins(await decide(going({ edition: AT })))).toBe(true);
  });

  test("that failed for good is begun again after an hour, once the repository is ready", async () => {
    const failed = going({
      edition: AT,
      job: "job-1",
      failures: 1,
      lastFailure: WRONG_PASSWORD,
      outcome: "Failed",
    });
    const soon = await decide(failed, { now: NOW + 60_000 });
    expect(begins(soon)).toBe(false);
    expect(soon.wakeAt).toBe(NOW + HOUR);
    expect(begins(await decide(failed, { now: NOW + HOUR, ready: false }))).toBe(false);
    const again = await decide(failed, { now: NOW + HOUR });
    expect(begins(again)).toBe(true);
    expect(again.status?.work).toMatchObject({ [deletePurpose(failed)]: { attempt: 2, failures: 0 } });
  });
});

test("a repository outside of a namespace that goes learns which snapshots it should have been rid of", async () => {
  const left = async (repository: object, policy = "Delete") => {
    const { status, ...one } = going();
    const kept = { ...resolved, repository, deletionPolicy: policy };
    const there = { ...one, status: { ...status, resolved: kept } } as Backup;
    return (await decide(there, { namespaceGoing: true })).intents;
  };
  const snapshots = [{ snapshotID: "k1", backup: "billing/first", since: AT, reason: "NamespaceGone" }];
  const letGo = { type: "LetGo", finalizer: SNAPSHOT_CLEANUP };
  const cluster = { kind: "ClusterRepository", name: "all" };
  const note = (repository: object) => ({ type: "NoteKept", kept: { repository, snapshots } });
  expect(await left(cluster)).toEqual([note({ name: "all" }), letGo]);
  const other = { namespace: "storage", name: "nas" };
  expect(await left({ kind: "Repository", ...other })).toEqual([note(other), letGo]);
  expect(await left(cluster, "Retain")).toEqual([letGo]);
  expect(await left({ kind: "Repository", name: "nas", namespace: "billing" })).toEqual([letGo]);
});

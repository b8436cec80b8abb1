import { beforeEach, describe, expect, test } from "vitest";
import type { RunTask } from "../../../core/work/run_request.ts";
import type { TaskDecision, TaskState } from "../../../core/work/task_decision.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { API_VERSION } from "../../../kinds/velero/group.ts";
import { keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger } from "../../../observe/log.ts";
import { leftoversOf } from "../data_path/left_behind.ts";
import { sampleBackup } from "../data_path/testing/samples.ts";
import type { VeleroPorts } from "../ports.ts";
import { purgeOf } from "./purge.ts";
import { purgeRepository, repositoryToPurge } from "./purge_repository.ts";

const metadata = {
  namespace: "velero",
  uid: "x",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const location = {
  metadata: { ...metadata, name: "default" },
  spec: { provider: "aws", objectStorage: { bucket: "b" } },
};
const failed: PodVolumeBackup = {
  ...sampleBackup,
  metadata: { ...sampleBackup.metadata, annotations: { "holdfast.dev/leftovers": "2", other: "stays" } },
  status: { phase: "Failed", completionTimestamp: "2025-12-31T00:00:00Z" },
};
const RUNS = leftoversOf(failed);

let repository: BackupRepository;
let backups: PodVolumeBackup[];
let state: TaskState;
let tasks: RunTask[];
let done: string[];
let clock: VirtualClock;
let ports: VeleroPorts;

beforeEach(() => {
  repository = {
    apiVersion: API_VERSION,
    kind: "BackupRepository",
    metadata: { ...metadata, name: "shop-default-kopia" },
    spec: {
      volumeNamespace: "shop",
      backupStorageLocation: "default",
      repositoryType: "kopia",
      maintenanceFrequency: "1h",
    },
    status: { phase: "Ready" },
  };
  backups = [failed];
  state = { phase: "Working", run: "r", state: { phase: "Absent" } };
  tasks = [];
  done = [];
  clock = new VirtualClock();
  const annotated = <T extends { metadata: object }>(
    object: T,
    patch: { metadata?: { annotations?: object } },
  ): T => {
    const known = (object.metadata as { annotations?: object }).annotations;
    const merged = Object.entries({ ...known, ...patch.metadata?.annotations }).filter(
      ([, value]) => value !== null,
    );
    return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(merged) } };
  };
  ports = {
    clock,
    log: silentLogger,
    settings: { moverImage: "m" },
    gone: new Map(),
    caches: {
      locations: { get: () => location },
      repositories: { values: () => [repository] },
      backups: { values: () => backups },
    },
    client: {
      deleteCollection: async () => void done.push("end runs"),
      patch: async ({ kind }: { kind: string }, _: unknown, { patch }: { patch: object }) => {
        if (kind === "BackupRepository") repository = annotated(repository, patch);
        else backups = backups.map((backup) => annotated(backup, patch));
        done.push(`write ${kind}`);
      },
    },
    tasks: {
      decide: async ({ task }: { task: RunTask }): Promise<TaskDecision> => {
        tasks.push(task);
        return { record: { attempt: 1, step: "Work", failures: 0 }, state, intents: [] };
      },
      carryOut: async () => void done.push("carry out"),
    },
  } as unknown as VeleroPorts;
});

const purge = () => purgeRepository(ports, repository, new AbortController().signal);
const ended = (outcome: "Succeeded" | "Failed"): TaskState => ({
  phase: "Ended",
  outcome,
  logTail: [],
  settled: false,
});

describe("purgeRepository()", () => {
  test("deletes what failed backups left, in an order that a crash does not hurt", async () => {
    await purge();
    expect(purgeOf(repository)).toMatchObject({ runs: RUNS, companionsOf: [] });
    expect(tasks).toEqual([]);
    await purge();
    expect(tasks[0]).toMatchObject({
      namespace: "velero",
      owner: { kind: "BackupRepository", name: "shop-default-kopia" },
      work: { work: { delete: { snapshots: [], runs: RUNS, companionsOf: RUNS } } },
      secrets: { password: { secret: "velero-repo-credentials" } },
    });
    expect(done).toEqual(["write BackupRepository", "write BackupRepository", "carry out"]);
    done.length = 0;
    state = ended("Succeeded");
    await purge();
    expect(tasks[1]?.purpose).toBe(tasks[0]?.purpose);
    expect(done).toEqual(["write PodVolumeBackup", "end runs", "write BackupRepository"]);
    expect(backups[0]?.metadata.annotations).toEqual({ other: "stays" });
    expect(purgeOf(repository)).toBeUndefined();
    done.length = 0;
    await purge();
    expect(done).toEqual([]);
  });

  test("tries again after an hour, with runs of other names, and forgets nothing", async () => {
    ports.gone.set(keyOf(repository), [{ run: "gone" }]);
    await purge();
    expect(ports.gone.size).toBe(0);
    state = ended("Failed");
    await purge();
    expect(purgeOf(repository)).toMatchObject({
      left: [...RUNS.map((run) => ({ run, due: "2025-12-31T00:10:00Z" })), { run: "gone" }],
      notBefore: "2026-01-01T01:00:00Z",
    });
    expect(backups[0]?.metadata.annotations).toHaveProperty(["holdfast.dev/leftovers"]);
    await purge();
    expect(tasks).toHaveLength(1);
    await clock.advance(3_600_000);
    await purge();
    await purge();
    expect(tasks[1]?.work).toEqual(tasks[0]?.work);
    expect(tasks[1]?.purpose).not.toBe(tasks[0]?.purpose);
  });

  test("deletes nothing of another repository's backups", async () => {
    repository = { ...repository, spec: { ...repository.spec, volumeNamespace: "other" } };
    await purge();
    expect(done).toEqual([]);
  });
});

describe("repositoryToPurge()", () => {
  const completed: PodVolumeBackup = {
    ...sampleBackup,
    metadata: { ...sampleBackup.metadata, annotations: { "holdfast.dev/companion": "r1" } },
    status: { phase: "Completed", snapshotID: "abc" },
  };
  const key = keyOf(sampleBackup);

  test("remembers the run of a backup that is gone, which had a record", () => {
    expect(repositoryToPurge(ports, { type: "added", key, object: completed })).toEqual([]);
    expect(ports.gone.size).toBe(0);
    expect(repositoryToPurge(ports, { type: "removed", key, previous: completed })).toEqual([
      keyOf(repository),
    ]);
    expect(ports.gone.get(keyOf(repository))).toEqual([{ run: "r1" }]);
  });

  test("remembers what a failed backup left that is deleted before its time", () => {
    repositoryToPurge(ports, { type: "removed", key, previous: failed });
    expect(ports.gone.get(keyOf(repository))?.map(({ run }) => run)).toEqual(RUNS);
  });

  test("remembers nothing of a backup that may have come to a good end unseen", () => {
    const previous = { ...failed, status: { phase: "InProgress" } } as PodVolumeBackup;
    expect(repositoryToPurge(ports, { type: "removed", key, previous })).toEqual([]);
    expect(ports.gone.size).toBe(0);
  });

  test("is that of a backup which left something", () => {
    expect(repositoryToPurge(ports, { type: "added", key, object: failed })).toEqual([keyOf(repository)]);
    expect(repositoryToPurge(ports, { type: "added", key, object: sampleBackup })).toEqual([]);
  });
});

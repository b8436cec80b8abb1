import { beforeEach, describe, expect, test } from "vitest";
import { MANAGED_BY } from "../../../core/work/run_labels.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { API_VERSION } from "../../../kinds/velero/group.ts";
import { ApiError } from "../../../kube/api_error.ts";
import { keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger } from "../../../observe/log.ts";
import { sampleBackup } from "../data_path/testing/samples.ts";
import type { VeleroPorts } from "../ports.ts";
import { reconcileRepository, repositoryWantedBy } from "./reconcile_repository.ts";

const metadata = {
  namespace: "velero",
  uid: "x",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const ready: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };

let repository: BackupRepository;
let location: { metadata: object; spec: { accessMode?: string; objectStorage: { bucket: string } } };
let backups: PodVolumeBackup[];
let state: TaskState;
let tasks: RunTask[];
let server: boolean;
let ports: VeleroPorts;

beforeEach(() => {
  repository = {
    apiVersion: API_VERSION,
    kind: "BackupRepository",
    metadata: { ...metadata, name: "shop-default-kopia", labels: MANAGED_BY },
    spec: {
      volumeNamespace: "shop",
      backupStorageLocation: "default",
      repositoryType: "kopia",
      maintenanceFrequency: "1h",
    },
  };
  location = {
    metadata: { ...metadata, name: "default" },
    spec: { provider: "aws", objectStorage: { bucket: "b" } } as never,
  };
  backups = [sampleBackup];
  state = ready;
  tasks = [];
  server = false;
  const merged = (patch: object, into: object): object =>
    Object.entries(patch).reduce(
      (all: Record<string, unknown>, [name, value]) => {
        if (value === null) delete all[name];
        else all[name] = typeof value === "object" ? merged(value, (all[name] as object) ?? {}) : value;
        return all;
      },
      { ...into },
    );
  ports = {
    clock: new VirtualClock(),
    log: silentLogger,
    own: { namespace: "velero" },
    settings: { moverImage: "m" },
    gone: new Map(),
    caches: {
      namespaces: { get: () => undefined },
      locations: { get: () => location },
      repositories: { get: () => repository, values: () => [repository] },
      backups: { values: () => backups },
    },
    client: {
      get: async () => {
        if (server) return { metadata: { name: "velero" } };
        throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
      },
      deleteCollection: async () => {},
      patch: async ({ kind }: { kind: string }, _: unknown, { patch }: { patch: object }) => {
        if (kind === "BackupRepository") repository = merged(patch, repository) as BackupRepository;
        return repository;
      },
    },
    tasks: {
      decide: async ({ task, edition }: { task: RunTask; edition: string }) => {
        tasks.push(task);
        return { record: { attempt: 1, step: "Work", failures: 0, edition }, state, intents: [] };
      },
      carryOut: async () => {},
    },
  } as unknown as VeleroPorts;
});

const look = () => reconcileRepository(ports, keyOf(repository), new AbortController().signal);

describe("reconcileRepository()", () => {
  test.each<[string, () => void, boolean]>([
    ["for a backup", () => {}, true],
    ["not for a mere restore", () => (backups = []), false],
    [
      "not for backups that have ended",
      () => (backups = [{ ...sampleBackup, status: { phase: "Failed" } }]),
      false,
    ],
    ["not in a read-only location", () => (location.spec.accessMode = "ReadOnly"), false],
  ])("creates what is not in the storage %s", async (_, change, create) => {
    change();
    await look();
    expect(tasks).toMatchObject([{ work: { work: { init: { create } } } }]);
    expect(repository.status).toMatchObject({ phase: "Ready" });
  });

  test("opens it again once its location has changed, and once only", async () => {
    await look();
    for (let turn = 0; turn < 3; turn++) await look();
    expect(tasks).toHaveLength(1);
    location.spec.objectStorage = { bucket: "other" };
    state = { phase: "Working", run: "r", state: { phase: "Absent" } };
    await look();
    expect(repository.status).toEqual({ phase: "New" });
    expect(tasks[1]?.purpose).not.toBe(tasks[0]?.purpose);
    state = ready;
    for (let turn = 0; turn < 4; turn++) await look();
    expect(repository.status).toEqual({ phase: "Ready" });
    expect(tasks).toHaveLength(3);
  });

  test("leaves all of that to a Velero server", async () => {
    await look();
    await look();
    server = true;
    location.spec.objectStorage = { bucket: "other" };
    await look();
    expect(tasks).toHaveLength(1);
    expect(repository.status).toEqual({ phase: "Ready" });
  });
});

test("repositoryWantedBy() is that of a new backup which waits for it", () => {
  const key = keyOf(sampleBackup);
  const added = { type: "added", key, object: sampleBackup } as const;
  expect(repositoryWantedBy(ports, added)).toEqual([keyOf(repository)]);
  repository = { ...repository, status: { phase: "Ready" } };
  expect(repositoryWantedBy(ports, added)).toEqual([]);
});

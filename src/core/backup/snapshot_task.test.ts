import { expect, test } from "vitest";
import { readyNas, SETTINGS } from "../testing/samples.ts";
import type { BackupPlan } from "./plan.ts";
import { type SnapshotContext, snapshotTask } from "./snapshot_task.ts";
import { backup, PLAN, request } from "./testing/backup_samples.ts";

const plan: BackupPlan = {
  ...PLAN,
  repository: { ...PLAN.repository, uniqueID: "id-0" },
  sources: [{ pvc: "billing/data", sourcePath: "/data" }],
  identity: { username: "u", hostname: "h" },
  settings: { policy: PLAN.settings.policy, failurePolicy: PLAN.settings.failurePolicy },
};

function task(
  more: Partial<BackupPlan> = {},
  own: Partial<SnapshotContext["backup"]> = {},
  known: Pick<SnapshotContext, "staged" | "named"> = {},
) {
  const whole = { ...plan, ...more };
  const repository = readyNas({ spec: { engine: whole.engine } });
  const made = snapshotTask({
    backup: request(backup(), { plan: whole, ...own }),
    repository,
    settings: SETTINGS,
    namespace: "billing",
    consent: false,
    ...known,
  });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

test("a snapshot is of the claim, read-only, on the very repository that the Backup was made with", () => {
  const made = task();
  expect(made).toMatchObject({
    purpose: "snapshot",
    namespace: "billing",
    owner: { kind: "Backup", name: "first", uid: "uid-first", controller: true },
    volumes: [{ name: "source-0", claim: "data", readOnly: true }],
    repositoryVolume: { claim: "store" },
    work: { engine: "kopia", repository: { expectedId: "id-0" } },
  });
  expect(made.work.work).toEqual({
    snapshot: {
      sources: [
        {
          name: "billing/data",
          path: "/holdfast/volumes/source-0",
          identity: { username: "u", hostname: "h", path: "/data" },
        },
      ],
      ignore: { paths: ["/lost+found"] },
      unreadable: "Fail",
      fidelity: "Full",
    },
  });
});

test("where an engine records the mounted path, the volume is mounted at the recorded one", () => {
  const made = task({ engine: "restic" });
  expect(made.volumes).toEqual([{ name: "source-0", claim: "data", readOnly: true, mountPath: "/data" }]);
  expect(made.work.work).toMatchObject({ snapshot: { sources: [{ path: "/data" }] } });
});

test.each([
  ["Direct", undefined],
  ["Snapshot", true],
  ["Clone", true],
] as const)("with copyMethod %s the mover is told that it reads a copy: %s", (copyMethod, staged) => {
  const made = task({ engine: "restic", settings: { ...plan.settings, copyMethod } });
  const { sources } = (made.work.work as { snapshot: { sources: readonly { staged?: boolean }[] } }).snapshot;
  expect(sources.map((source) => source.staged)).toEqual([staged]);
});

test("the plan and the backup itself say how", () => {
  const policy: BackupPlan["settings"]["policy"] = {
    fidelity: "Engine",
    unreadableFiles: "Skip",
    compression: { compressor: "zstd", neverCompress: ["*.zip"] },
    splitter: "FIXED-1M",
    ignore: {
      paths: ["*.tmp"],
      files: [".kopiaignore"],
      cacheDirs: true,
      ignoreIdenticalSnapshots: true,
      otherFilesystems: true,
    },
    extraArgs: ["--x"],
  };
  const mover = { privilegedMode: false, parallel: 3 };
  const made = task(
    { settings: { ...plan.settings, policy, mover } },
    { tags: { reason: "migration" }, compressor: "none" },
    { named: ["run-0"] },
  );
  expect(made.work.work).toMatchObject({
    snapshot: {
      tags: { reason: "migration" },
      ignore: { paths: ["/lost+found", "*.tmp"], files: [".kopiaignore"], cacheDirs: true },
      compression: { compressor: "none", neverCompress: ["*.zip"] },
      splitter: "FIXED-1M",
      parallel: 3,
      oneFileSystem: true,
      skipIdentical: true,
      identicalTo: ["run-0"],
      unreadable: "Skip",
      fidelity: "Engine",
      extraArgs: ["--x"],
    },
  });
});

test("how much is kept is left to the engine where the plan does not say", () => {
  const { fidelity: _, ...policy } = plan.settings.policy;
  expect(task({ settings: { ...plan.settings, policy } }).work.work).not.toHaveProperty("snapshot.fidelity");
});

test("what nobody names is not referred to, and only where identical snapshots are ignored anything is", () => {
  const ignore = { cacheDirs: false, ignoreIdenticalSnapshots: true, otherFilesystems: false };
  const ignoring = { ...plan.settings, policy: { ...plan.settings.policy, ignore } };
  expect(task({ settings: ignoring }).work.work).toMatchObject({
    snapshot: { skipIdentical: true, identicalTo: [] },
  });
  expect(task({}, {}, { named: ["run-0"] }).work.work).not.toHaveProperty("snapshot.identicalTo");
});

const settings = { ...plan.settings, copyMethod: "Snapshot", staging: { timeout: "1m" } } as const;

test("a mover mounts the copies, whose names are known before they are made", () => {
  const sources = [
    { pvc: "billing/data", sourcePath: "/data" },
    { pvc: "billing/logs", sourcePath: "/logs" },
  ];
  const { volumes, work } = task({ settings, sources });
  expect(volumes).toMatchObject([
    { name: "source-0", claim: expect.stringMatching(/^data-copy-\w{12}$/), readOnly: true },
    { name: "source-1", claim: expect.stringMatching(/^logs-copy-\w{12}$/), readOnly: true },
  ]);
  expect(work.work).toMatchObject({
    snapshot: { sources: [{ name: "billing/data" }, { name: "billing/logs" }] },
  });
});

test("a mover runs where its volumes are", () => {
  const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }];
  const source = { namespace: "billing", name: "data" };
  const staged = [{ source, claim: "data", placement: { terms, tolerations: [], node: "n1" } }];
  expect(task({}, {}, { staged }).mover.affinity).toEqual({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  });
});

test("its mover runs as the owner of what was stored before, unless the plan names another", () => {
  const owner = { uid: 1000, gid: 2000 };
  expect(task({ owner }).mover.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000 });
  expect(task().mover.securityContext).toMatchObject({ runAsUser: 65534, runAsGroup: 65534 });
  const mover = { privilegedMode: false, securityContext: { runAsUser: 5 } };
  const named = task({ owner, settings: { ...plan.settings, mover } });
  expect(named.mover.securityContext).toMatchObject({ runAsUser: 5, runAsGroup: 65534 });
});

test.each([
  { uid: 0, gid: 0 },
  { uid: 2 ** 32 - 2, gid: 2000 },
  { uid: 1000, gid: 2 ** 31 },
])("but not as %j, as which no pod may run", (owner) => {
  expect(task({ owner }).mover.securityContext).toMatchObject({ runAsUser: 65534, runAsGroup: 65534 });
});

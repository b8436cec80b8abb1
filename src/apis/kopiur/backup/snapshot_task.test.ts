import { expect, test } from "vitest";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { backup, config, readyNas, SETTINGS } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { type SnapshotGround, snapshotTask } from "./snapshot_task.ts";

const frozen: Frozen = {
  repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-0" },
  engine: "kopia",
  deletionPolicy: "Delete",
  sources: [{ pvc: "billing/data", sourcePath: "/data" }],
  identity: { username: "u", hostname: "h" },
  recipe: { policy: config().spec.policy, failurePolicy: config().spec.failurePolicy },
};

function task(
  more: Partial<Frozen> = {},
  spec: Parameters<typeof backup>[0] = {},
  known: Pick<SnapshotGround, "staged" | "named"> = {},
) {
  const whole = { ...frozen, ...more };
  const repository = readyNas({ spec: { engine: whole.engine } });
  const made = snapshotTask({
    backup: backup(spec),
    frozen: whole,
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
  const made = task({ engine: "restic", recipe: { ...frozen.recipe, copyMethod } });
  const { sources } = (made.work.work as { snapshot: { sources: readonly { staged?: boolean }[] } }).snapshot;
  expect(sources.map((source) => source.staged)).toEqual([staged]);
});

test("the recipe and the Backup itself say how", () => {
  const policy: BackupConfigSpec["policy"] = {
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
    { recipe: { ...frozen.recipe, policy, mover } },
    { spec: { tags: { reason: "migration" }, parameters: { compressionOverride: "none" } } },
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

test("how much is kept is left to the engine where the recipe does not say", () => {
  const { fidelity: _, ...policy } = frozen.recipe.policy;
  expect(task({ recipe: { ...frozen.recipe, policy } }).work.work).not.toHaveProperty("snapshot.fidelity");
});

test("what nobody names is not referred to, and only where identical snapshots are ignored anything is", () => {
  const ignore = { cacheDirs: false, ignoreIdenticalSnapshots: true, otherFilesystems: false };
  const ignoring = { ...frozen.recipe, policy: { ...frozen.recipe.policy, ignore } };
  expect(task({ recipe: ignoring }).work.work).toMatchObject({
    snapshot: { skipIdentical: true, identicalTo: [] },
  });
  expect(task({}, {}, { named: ["run-0"] }).work.work).not.toHaveProperty("snapshot.identicalTo");
});

const recipe = { ...frozen.recipe, copyMethod: "Snapshot", staging: { timeout: "1m" } } as const;

test("a mover mounts the copies, whose names are known before they are made", () => {
  const sources = [
    { pvc: "billing/data", sourcePath: "/data" },
    { pvc: "billing/logs", sourcePath: "/logs" },
  ];
  const { volumes, work } = task({ recipe, sources });
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

test("its mover runs as the owner of what was stored before, unless the recipe names another", () => {
  const owner = { uid: 1000, gid: 2000 };
  expect(task({ owner }).mover.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000 });
  expect(task().mover.securityContext).toMatchObject({ runAsUser: 65534, runAsGroup: 65534 });
  const mover = { privilegedMode: false, securityContext: { runAsUser: 5 } };
  const named = task({ owner, recipe: { ...frozen.recipe, mover } });
  expect(named.mover.securityContext).toMatchObject({ runAsUser: 5, runAsGroup: 65534 });
});

test.each([
  { uid: 0, gid: 0 },
  { uid: 2 ** 32 - 2, gid: 2000 },
  { uid: 1000, gid: 2 ** 31 },
])("but not as %j, as which no pod may run", (owner) => {
  expect(task({ owner }).mover.securityContext).toMatchObject({ runAsUser: 65534, runAsGroup: 65534 });
});

import { expect, test } from "vitest";
import { waits } from "../../../core/reconcile/problem.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import { coreBackup } from "../backup/backup_status.ts";
import { sampleBackup, sampleRestore } from "../testing/samples.ts";
import { coreRestore, withWayOut } from "./core_restore.ts";

test("an automatic restore holds workloads from the start, wants an empty volume, and waits for its repository", () => {
  expect(coreRestore(sampleRestore({ onlyIfEmpty: true })).spec).toMatchObject({
    target: { pvcRef: { name: "data", scaleDownWorkloads: true, holdWorkloads: true, onFailure: "ScaleUp" } },
    options: { existingFiles: "Refuse", enableFileDeletion: false },
    policy: { waitTimeout: "87600h" },
  });
});

test("a restore that a person asks for writes over files, and deletes none", () => {
  const { spec } = coreRestore(sampleRestore({ additionalRestoreArgs: ["--exclude=*.tmp"] }));
  expect(spec).toMatchObject({
    target: { pvcRef: { holdWorkloads: false, onFailure: "ScaleUp" } },
    options: { existingFiles: "Overwrite", enableFileDeletion: false, extraArgs: ["--exclude=*.tmp"] },
    policy: { waitTimeout: "1h" },
  });
});

test("workloads that wait for a repository which is away have a way out", () => {
  const away = waits("RepositoryNotReady", "ResticRepository home/nas is not ready.");
  expect(withWayOut(sampleRestore(), away)).toBe(away);
  expect(withWayOut(sampleRestore({ onlyIfEmpty: true }), away).message).toBe(
    "ResticRepository home/nas is not ready. The workloads of the PVC stay at zero until then. To start them without the data, delete this ResticRestore.",
  );
});

test.each<[string, object, string]>([
  ["its run", { restore: { edition: "b" }, "ask-x": { edition: "a" } }, "b"],
  ["the run that asked", { "ask-x": { edition: "a" } }, "a"],
  ["no run", {}, ""],
])("a restore that failed with %s stays as it was then, whatever is edited", (_, work, edition) => {
  const status = { phase: "Failed" as const, work: work as Record<string, unknown> };
  expect(specFingerprint(coreRestore({ ...sampleRestore(), status }))).toBe(edition);
  expect(coreRestore({ ...sampleRestore(), status: { ...status, phase: "Pending" } })).not.toHaveProperty(
    "endedAs",
  );
});

test("a backup that failed stays as it was then, until it is deleted", () => {
  const work = { snapshot: { edition: "a" } };
  const backup = sampleBackup("monday", { status: { phase: "Failed", work } });
  expect(specFingerprint(coreBackup(backup))).toBe("a");
  const { metadata } = backup;
  const deleted = { ...backup, metadata: { ...metadata, deletionTimestamp: "2026-05-24T12:00:00Z" } };
  expect(coreBackup(deleted)).not.toHaveProperty("endedAs");
});

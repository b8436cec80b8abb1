import { expect, test } from "vitest";
import { waits } from "../../../core/reconcile/problem.ts";
import { sampleRestore } from "../testing/samples.ts";
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

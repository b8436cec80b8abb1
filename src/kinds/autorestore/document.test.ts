import { describe, expect, test } from "vitest";
import { autorestoreKinds } from "./definitions/kinds.ts";
import { KINDS } from "./kinds.ts";

/** The columns, fields of the spec and fields of the status that the API's document lists, by kind. */
const DOCUMENTED = [
  {
    kind: "BackupConfig",
    columns:
      "PVCs, Targets, Backup Success, Backup Running, Backup Failed, Restore Success, Restore Running, Restore Failed, Age",
    spec: "selectors, backupTargets, autoRestore",
    status: "managedPVCs, targets, backupJobs, restoreJobs, lastRetentionCheck, conditions",
  },
  {
    kind: "ResticRepository",
    columns: "Repository, Phase, Snapshots, Size, Age",
    spec: "repository, passwordSecretRef, env, additionalFlags, maintenanceSchedule",
    status: "phase, lastChecked, stats, error, conditions",
  },
  {
    kind: "ResticBackup",
    columns: "Backup Name, PVC, Phase, Snapshot ID, Size, Repository, Duration, Age",
    spec: "backupName, pvcRef, repositoryRef, backupType, snapshotID, tags",
    status: "phase, startTime, completionTime, size, lastVerified, error, duration, conditions",
  },
  {
    kind: "ResticRestore",
    columns: "Backup, Target PVC, Phase, Duration, Age",
    spec: "backupName, targetPVC, backupTarget, additionalRestoreArgs, snapshotID",
    status: "phase, startTime, completionTime, error, conditions, restoredSize",
  },
] as const;

const list = (text: string) => text.split(", ");

describe.each(DOCUMENTED)("$kind is as documented", ({ kind, columns, spec, status }) => {
  const defined = autorestoreKinds.find((one) => one.kind === kind);
  const schema = KINDS.find(({ resource }) => resource.kind === kind)?.schema;
  const fields = (part: string) => Object.keys(schema?.properties?.[part]?.properties ?? {});

  test("in its columns", () => {
    const shown = defined?.printerColumns?.filter(({ priority = 0 }) => priority === 0);
    expect(shown?.map(({ name }) => name)).toEqual(list(columns));
  });

  test("in its spec and its status", () => {
    expect(fields("spec")).toEqual(expect.arrayContaining(list(spec)));
    expect(fields("status")).toEqual(expect.arrayContaining(list(status)));
  });
});

import { expect, test } from "vitest";
import { NOW, snapshot } from "../../../core/testing/samples.ts";
import { runId } from "../../../core/work/run_id.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { ReadyRepository } from "../references.ts";
import { backup, readyNas } from "../testing/samples.ts";
import { catalogOfBackups } from "./catalog_of_backups.ts";

const nas = readyNas() as ReadyRepository;
const of = (...filed: readonly (readonly [string, Backup])[]) =>
  catalogOfBackups({
    backups: {
      indexed: (_: string, key: string) => filed.flatMap(([under, one]) => (under === key ? [one] : [])),
    },
  } as never);
const resolved = (uniqueID: string) => ({ resolved: { repository: { uniqueID } } });

test("a snapshot that was found is shown as a Backup that can be restored, and that deletes nothing", () => {
  const { discoveredSpec, discoveredLabels, discoveredStatus } = of();
  const found = snapshot({ endedAt: "2026-05-24T02:12:30Z" });
  expect(discoveredSpec).toEqual({ deletionPolicy: "Retain" });
  expect(discoveredLabels(nas, found)).toMatchObject({
    [LABELS.origin]: "discovered",
    [LABELS.repository]: "nas",
    [LABELS.repositoryUID]: "uid-nas",
    [LABELS.snapshotID]: "k1",
  });
  const status = discoveredStatus(nas, found, undefined, NOW);
  expect(status).toMatchObject({
    phase: "Discovered",
    origin: "discovered",
    snapshot: { kopiaSnapshotID: "k1", root: "root-1", sizeBytes: 300, fidelity: "Full" },
    timing: { startTime: "2026-05-24T02:12:00Z", endTime: "2026-05-24T02:12:30Z", durationSeconds: 30 },
    stats: { sizeBytes: 300, files: 3, folders: 1 },
    resolved: {
      repository: { kind: "Repository", name: "nas", namespace: "billing", uniqueID: "id-1" },
      engine: "kopia",
      deletionPolicy: "Retain",
      identity: { username: "data", hostname: "billing" },
    },
  });
  expect(status.snapshots).toEqual([status.snapshot]);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "True", reason: "Discovered" }),
  );
});

test("Backups of the repository that is there now count, and those whose status was never written", () => {
  const ours = backup({ status: resolved("id-1") });
  const blank = backup({ metadata: { name: "blank" } });
  const catalog = of(
    ["billing/nas", ours],
    ["billing/nas", backup({ status: resolved("id-before") })],
    ["uid-nas", blank],
  );
  expect(catalog.of(nas)).toEqual([ours, blank]);
});

test.each([
  ["Running", 2],
  ["Succeeded", 1],
])("a Backup that is %s after one attempt stands for the snapshots of %i", (phase, count) => {
  const identity = { username: "data", hostname: "billing", sourcePath: "/pvc/data" };
  const snapshots = [{ kopiaSnapshotID: "k1", runID: "run-1", root: "root-1", identity }];
  const made = backup({ status: { phase, snapshots, job: { attempts: 1 } } });
  expect(of().snapshotsOf(made)).toEqual([
    { id: "k1", run: "run-1", root: "root-1", identity: snapshot().identity },
  ]);
  const attempt = (n: number) => runId({ owner: made.metadata, purpose: "snapshot", attempt: n });
  expect(of().runsOf(made)).toEqual([1, 2].slice(0, count).map(attempt));
});

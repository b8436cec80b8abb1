import { expect, test } from "vitest";
import { sampleMaintenance } from "../maintenance/testing/sample_maintenance.ts";
import { backup, readyNas, restore } from "../testing/samples.ts";
import { repositoryView } from "./repository_view.ts";

const HOUR_AGO = "2026-05-24T01:00:00Z";
const NOW = "2026-05-24T02:00:00Z";
const nas = readyNas({
  status: {
    lastContactAt: HOUR_AGO,
    storageStats: { storedBytes: 1000, snapshotCount: 0, lastObservedAt: HOUR_AGO },
    maintenanceRef: { namespace: "billing", name: "keeper" },
  },
});
const resolved = { repository: { kind: "Repository", namespace: "billing", name: "nas" } };
const made = (endTime: string, more: object = {}) =>
  backup({
    status: {
      phase: "Succeeded",
      resolved,
      snapshots: [{ kopiaSnapshotID: "k" }],
      stats: { bytesNew: 500 },
      timing: { endTime },
      ...more,
    },
  });
const seen = { backups: [], restores: [], maintenances: [] };
const of = (more: object) => repositoryView(nas, { ...seen, ...more });

test("what Backups made since the repository was asked is counted", () => {
  expect(of({ backups: [made(NOW), made("2026-05-24T00:30:00Z")] })).toMatchObject({
    snapshots: 1,
    storedBytes: 1500,
    lastContact: NOW,
  });
});

test.each([
  ["in another repository", { resolved: { repository: { ...resolved.repository, name: "other" } } }],
  ["that failed", { phase: "Failed" }],
])("Backups %s tell nothing of it", (_, status) => {
  const told = of({ backups: [made(NOW, status)] });
  expect(told).toMatchObject({ snapshots: 0, storedBytes: 1000, lastContact: HOUR_AGO });
});

test("a run that found nothing new has made no snapshot", () => {
  const same = made(NOW, { snapshots: [{ kopiaSnapshotID: "k", unchanged: true }], stats: {} });
  expect(of({ backups: [same] })).toMatchObject({ snapshots: 0, storedBytes: 1000, lastContact: NOW });
});

test("restores and maintenance are contacts, too", () => {
  const restored = restore({ status: { phase: "Completed", resolved, timing: { endTime: NOW } } });
  expect(of({ restores: [restored] }).lastContact).toBe(NOW);
  const maintained = sampleMaintenance({
    metadata: { name: "keeper" },
    status: { quick: { lastSuccessAt: NOW } },
  });
  expect(of({ maintenances: [maintained] }).lastContact).toBe(NOW);
});

test("of a repository that nobody has asked, nothing is known", () => {
  const unknown = repositoryView(readyNas({ status: { phase: "Initializing" } }), seen);
  expect([unknown.snapshots, unknown.storedBytes]).toEqual([undefined, undefined]);
});

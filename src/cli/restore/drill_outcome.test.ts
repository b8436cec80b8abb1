import { expect, test } from "vitest";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { backupOf, condition, NOW, native } from "../testing/cli_samples.ts";
import { drillOutcome } from "./drill_outcome.ts";

const RESOLVED = {
  sizeBytes: 2048,
  snapshotID: "id-monday",
  snapshotTime: "2026-05-24T11:00:00Z",
};
const ended = (status: object) =>
  native<Restore>("Restore", "drill", {
    status: {
      phase: "Completed",
      resolved: RESOLVED,
      progress: { bytesRestored: 2048, filesRestored: 3 },
      ...status,
    },
  });
const of = (status: object) =>
  drillOutcome(ended(status), { volume: "home/data", backup: backupOf("data", "monday", {}), now: NOW });
const loss = (kind: string) => ({ kind, count: 2, examples: [], reason: "not root" });

test("what came back is compared with what the snapshot holds", () => {
  expect(of({})).toEqual({
    lines: ["home/data: the drill passed: 2.0 KiB of 2.0 KiB, 3 files from backup/monday, made 1h ago"],
  });
});

test("a snapshot that no Backup stands for is named by its ID", () => {
  const { lines } = of({ resolved: { ...RESOLVED, snapshotID: "k2" } });
  expect(lines[0]).toContain("3 files from snapshot k2, made 1h ago");
});

test("attributes that did not come back are told, and are no failure", () => {
  expect(of({ losses: [loss("Owner")] })).toMatchObject({
    lines: [expect.stringContaining("passed"), "  not brought back: 2 × Owner: not root"],
  });
  expect(of({ losses: [loss("Owner")] }).problem).toBeUndefined();
});

test.each<[status: object, problem: string]>([
  [{ losses: [loss("Content")] }, "2 files did not come back: not root"],
  [{ incomplete: "pgdata" }, "the snapshot does not hold the whole volume: pgdata"],
  [{ progress: { bytesRestored: 0 } }, "nothing came back, and the snapshot is not empty"],
  [{ resolved: { noSnapshot: true } }, "the repository holds no such snapshot"],
  [{ conditions: [condition("Restored", "True", "Unreported", "report lost")] }, "report lost"],
])("a backup that would not bring the volume back fails the drill: %j", (status, problem) => {
  const outcome = of(status);
  expect(outcome.problem).toBe(problem);
  expect(outcome.lines[0]).toContain("the drill FAILED");
});

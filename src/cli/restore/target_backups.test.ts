import { expect, test } from "vitest";
import { backupOf } from "../testing/cli_samples.ts";
import { targetBackups } from "./target_backups.ts";

const at = (name: string, day: number, sizeBytes: number, more: object = {}) => {
  const startTime = `2026-05-${10 + day}T00:00:00Z`;
  const { status } = backupOf("data", name, {});
  const snapshots = status?.snapshots?.map((one) => ({ ...one, sizeBytes }));
  return backupOf("data", name, { timing: { startTime }, snapshots, ...more });
};

test("the last good Backup of a claim, and the most that the last ones held", () => {
  const backups = [
    at("first", 1, 900),
    at("failed", 9, 999, { phase: "Failed" }),
    at("last", 8, 0),
    ...[2, 3, 4, 5, 6, 7].map((day) => at(`d${day}`, day, day + 500)),
  ];
  expect(targetBackups(backups, "home/data")).toEqual({
    last: { name: "last", at: "2026-05-18T00:00:00Z", sizeBytes: 0 },
    largest: 900,
  });
  expect(targetBackups(backups, "home/other")).toEqual({});
  const before = backupOf("data", "before-restore-1", { timing: { startTime: "2026-05-20T00:00:00Z" } });
  const safety = { ...before, spec: { ...before.spec, tags: { "before-restore": "r" } } };
  expect(targetBackups([...backups, safety], "home/data").last?.name).toBe("last");
  const emptied = Array.from({ length: 12 }, (_, i) => at(`empty${i}`, 9 + i, 0));
  expect(targetBackups([...backups, ...emptied], "home/data").largest).toBe(900);
});

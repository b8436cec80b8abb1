import { expect, test } from "vitest";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { NOW, sampleRepository } from "../testing/samples.ts";
import { afterChore, choreCrons, choreWork, decideChores } from "./chores.ts";

const maintenanceSchedule = { check: "0 * * * *", prune: "30 * * * *", verificationPercent: 7 };
const repository = (status: ResticRepository["status"]): ResticRepository => ({
  ...sampleRepository({ maintenanceSchedule }),
  ...(status ? { status } : {}),
});
const decide = (status: ResticRepository["status"]) => {
  const object = repository(status);
  const crons = choreCrons(object);
  if (!crons.ok) throw new Error(crons.error);
  return decideChores(object, crons.value, NOW);
};
const last = (check: string, prune: string) => ({
  maintenance: { check: { lastTime: check }, prune: { lastTime: prune } },
});

test("what is due is done, and what was missed is done once", () => {
  const { run, wakeAt } = decide(last("2026-05-24T01:00:00Z", "2026-05-24T11:30:00Z"));
  expect(run).toMatchObject({ chore: "check", slot: NOW });
  expect(wakeAt).toBe(NOW + 1_800_000);
});

test("nothing is due again", () => {
  expect(decide(last("2026-05-24T12:00:00Z", "2026-05-24T11:30:00Z")).run).toBeUndefined();
});

test("what is under way goes before what is due", () => {
  const purpose = `chore-prune-${(NOW - 1_800_000).toString(36)}`;
  const work = { [purpose]: { attempt: 1, step: "Work", failures: 0 } };
  const status = { ...last("2026-05-24T01:00:00Z", "2026-05-24T01:30:00Z"), work };
  expect(decide(status).run).toEqual({ chore: "prune", slot: NOW - 1_800_000, purpose });
});

test("a new repository waits for its first scheduled time, and is pruned weekly by default", () => {
  const crons = choreCrons(sampleRepository());
  expect(crons.ok && Object.keys(crons.value)).toEqual(["prune"]);
});

test("what is done", () => {
  expect(choreWork(repository(undefined), "check")).toEqual({ check: {} });
  expect(choreWork(repository(undefined), "prune")).toEqual({ maintain: { mode: "Full" } });
  expect(choreWork(repository(undefined), "verification")).toEqual({ check: { dataPercent: 7 } });
});

test("a failure is shown until the next success", () => {
  const run = { chore: "check", slot: NOW, purpose: "x" } as const;
  const failed = afterChore(undefined, run, { succeeded: false, message: "It is damaged." }, NOW);
  expect(failed.check).toEqual({ lastTime: "2026-05-24T12:00:00Z", error: "It is damaged." });
  expect(afterChore(failed, run, { succeeded: true, message: "" }, NOW).check).toEqual({
    lastTime: "2026-05-24T12:00:00Z",
    lastSuccess: "2026-05-24T12:00:00Z",
  });
});

import { expect, test } from "vitest";

import { afterChore, type ChoreMarks, choreCrons, choreWork, decideChores } from "./chores.ts";

const NOW = Date.parse("2026-05-24T12:00:00Z");
const HOUR = 3_600_000;
const schedule = { check: "0 * * * *", prune: "30 * * * *", verificationPercent: 7 };
const decide = (marks: ChoreMarks, status: object = {}, damaged = false) => {
  const crons = choreCrons("uid", schedule);
  if (!crons.ok) throw new Error(crons.error);
  const created = "2026-05-24T00:00:00Z";
  return decideChores({ crons: crons.value, marks, status, created, damaged, now: NOW });
};
const last = (check: string, prune: string) => ({ check: { lastTime: check }, prune: { lastTime: prune } });

test("what is due is done, and what was missed is done once", () => {
  const { run, marks, wakeAt } = decide(last("2026-05-24T01:00:00Z", "2026-05-24T11:30:00Z"));
  expect(marks.prune?.nextTime).toBe("2026-05-24T12:30:00Z");
  expect(run).toMatchObject({ chore: "check", slot: NOW });
  expect(wakeAt).toBe(NOW + 1_800_000);
});

test("nothing is due again", () => {
  expect(decide(last("2026-05-24T12:00:00Z", "2026-05-24T11:30:00Z")).run).toBeUndefined();
});

test("what is under way goes before what is due", () => {
  const purpose = `chore-prune-${(NOW - 1_800_000).toString(36)}`;
  const work = { [purpose]: { attempt: 1, step: "Work", failures: 0 } };
  const marks = last("2026-05-24T01:00:00Z", "2026-05-24T01:30:00Z");
  expect(decide(marks, { work }).run).toEqual({ chore: "prune", slot: NOW - 1_800_000, purpose });
});

test("a repository in which the last look found damage is looked at again, and pruned only once that finds none", () => {
  const due = last("2026-05-24T12:00:00Z", "2026-05-24T01:30:00Z");
  const slot = NOW - 1_800_000;
  expect(decide(due).run).toMatchObject({ chore: "prune", slot });
  const damaged = { ...due, check: { ...due.check, error: "It is damaged." } };
  expect(decide(damaged).run).toMatchObject({ chore: "check", slot });
  const unread = { ...due, verification: { lastTime: "2026-05-24T02:00:00Z", error: "It is damaged." } };
  const { run } = decide(unread);
  expect(run).toMatchObject({ chore: "verification", slot });
  expect(run).not.toHaveProperty("whole");
  if (!run) throw new Error("nothing is due");
  const mended = afterChore(unread, run, { succeeded: true, message: "" }, NOW);
  expect(decide(mended).run).toMatchObject({ chore: "prune", slot });
});

test("where a run met damage, all data is read in the place of the next prune, and that is remembered", () => {
  const due = last("2026-05-24T12:00:00Z", "2026-05-24T01:30:00Z");
  const slot = NOW - 1_800_000;
  const { run } = decide(due, {}, true);
  expect(run).toMatchObject({ chore: "verification", slot, whole: true });
  const work = { [run?.purpose ?? ""]: { attempt: 1, step: "Work", failures: 0 } };
  expect(decide(due, { work }).run).toEqual(run);
  // One that began before it was met has not read all.
  const { whole: _, ...partly } = run ?? {};
  const earlier = `chore-verification-${slot.toString(36)}`;
  const begun = { [earlier]: { attempt: 1, step: "Work", failures: 0 } };
  expect(decide(due, { work: begun }, true).run).toEqual({ ...partly, purpose: earlier });
});

test("damage that a prune found is checked before the next prune", () => {
  const run = { chore: "prune", slot: NOW, purpose: "x" } as const;
  const end = { succeeded: false, message: "It is damaged.", damage: true };
  const marks = afterChore(last("2026-05-24T12:00:00Z", "2026-05-24T11:30:00Z"), run, end, NOW - HOUR);
  expect(marks).toMatchObject({ check: { error: "It is damaged." }, prune: { error: "It is damaged." } });
  const due = { ...marks, prune: { lastTime: "2026-05-24T01:30:00Z" } };
  expect(decide(due).run).toMatchObject({ chore: "check" });
});

test("a new repository waits for its first scheduled time, and is pruned weekly by default", () => {
  const crons = choreCrons("uid");
  expect(crons.ok && Object.keys(crons.value)).toEqual(["prune"]);
});

test("what is done", () => {
  expect(choreWork({ chore: "check" }, schedule)).toEqual({ check: {} });
  expect(choreWork({ chore: "prune" }, schedule)).toEqual({ maintain: { mode: "Full", check: true } });
  expect(choreWork({ chore: "verification" }, schedule)).toEqual({ check: { dataPercent: 7 } });
  expect(choreWork({ chore: "verification", whole: true }, schedule)).toEqual({
    check: { dataPercent: 100 },
  });
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

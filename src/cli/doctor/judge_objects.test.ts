import { expect, test } from "vitest";
import { condition, NOW, native } from "../testing/cli_samples.ts";
import { judgeObjects } from "./judge_objects.ts";

const stalled = native("Repository", "store", {
  status: { phase: "Failed", conditions: [condition("Stalled", "True", "Bad", "no such bucket")] },
});
const known = { object: stalled, kind: {} };
const ref = { kind: "Repository", namespace: "home", name: "store" };
const lost = {
  claim: "home/data",
  lastGood: { object: { kind: "Backup", name: "b" }, claim: "home/data", at: "2026-05-24T00:00:00Z" },
  restore: "holdfast restore config/data --to data -n home",
};

test("says what status says, each once, and the command that brings a lost volume back", () => {
  const problems = [{ object: ref, why: "no such bucket" }];
  expect(judgeObjects({ objects: [known], problems, lost: [lost], now: NOW })).toMatchObject([
    { level: "error", what: "PVC home/data is gone", fix: lost.restore },
    { level: "error", what: "Repository home/store needs a look", why: "no such bucket" },
  ]);
});

test("besides that, what nothing moves any more", () => {
  expect(judgeObjects({ objects: [known], problems: [], lost: [], now: NOW })).toMatchObject([
    { level: "error", what: "Repository home/store is stalled" },
  ]);
  expect(judgeObjects({ objects: [], problems: [], lost: [], now: NOW })).toMatchObject([{ level: "ok" }]);
});

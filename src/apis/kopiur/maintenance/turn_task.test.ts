import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { MaintenanceSpec } from "../../../kinds/kopiur/generated/maintenance.ts";
import { readyNas, SETTINGS } from "../testing/samples.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";
import type { Turn } from "./turn.ts";
import { needsAlone, turnTask } from "./turn_task.ts";

const QUICK: Turn = { mode: "Quick", step: "Maintain", cause: "slot" };

function taskOf(turn: Turn, spec: Partial<MaintenanceSpec> = {}, annotations: Record<string, string> = {}) {
  const ground = { repository: readyNas(), namespace: "billing", settings: SETTINGS, consent: false };
  const task = turnTask(ground, sampleMaintenance({ spec, metadata: { annotations } }), turn);
  if (!task.ok) throw new Error(task.error.message);
  return task.value;
}

const workOf = (...args: Parameters<typeof taskOf>) => taskOf(...args).work.work;
const acknowledging = (owner: string) => ({ [ANNOTATIONS.acknowledgeTakeover]: owner });

test("a turn maintains under the name of the repository, and takes over from nobody", () => {
  expect(workOf(QUICK)).toEqual({ maintain: { check: true, mode: "Quick", owner: "kopiur/nas" } });
  expect(workOf({ ...QUICK, mode: "Full", immediate: true })).toEqual({
    maintain: { check: true, mode: "Full", owner: "kopiur/nas", immediate: true },
  });
});

test("an owner of its own is taken as it is", () => {
  const ownership = { owner: "ops@here", takeoverPolicy: "Force" } as const;
  expect(workOf(QUICK, { ownership })).toEqual({
    maintain: { check: true, mode: "Quick", owner: "ops@here", takeOver: true },
  });
});

test("with PromptCondition it takes over from the one that somebody named, and from no other", () => {
  expect(workOf(QUICK, {}, acknowledging("somebody@else"))).toEqual({
    maintain: {
      check: true,
      mode: "Quick",
      owner: "kopiur/nas",
      takeOver: true,
      takeOverFrom: "somebody@else",
    },
  });
});

test("whoever changes the name of the owner takes over from the name before", () => {
  const ownership = { owner: "after", takeoverPolicy: "Never" } as const;
  const claimed = { owner: "before", claimedAt: "2026-05-24T00:00:00Z" };
  const maintain = { check: true, mode: "Quick", owner: "after" };
  const ground = { repository: readyNas(), namespace: "billing", settings: SETTINGS, consent: false };
  const workAfter = (known: object) => {
    const maintenance = sampleMaintenance({ spec: { ownership }, status: { ownership: known } });
    const task = turnTask(ground, maintenance, QUICK);
    return task.ok && task.value.work.work;
  };
  expect(workAfter(claimed)).toEqual({ maintain: { ...maintain, takeOver: true, takeOverFrom: "before" } });
  expect(workAfter({ owner: "before" })).toEqual({ maintain });
});

test("with Never it takes over from nobody, whatever somebody says", () => {
  const ownership = { takeoverPolicy: "Never" } as const;
  expect(workOf(QUICK, { ownership }, acknowledging("somebody@else"))).toEqual({
    maintain: { check: true, mode: "Quick", owner: "kopiur/nas" },
  });
});

test("a check reads as much as is asked for", () => {
  const check = { afterEach: true, afterFull: true, dataPercent: 5 };
  expect(workOf({ ...QUICK, step: "Check" }, { check })).toEqual({ check: { dataPercent: 5 } });
});

test("steps and slots have runs of their own", () => {
  const turns: readonly Turn[] = [
    QUICK,
    { ...QUICK, mode: "Full" },
    { ...QUICK, step: "Check" },
    { ...QUICK, mode: "Full", step: "Check" },
    { ...QUICK, cause: "another slot" },
  ];
  expect(new Set(turns.map((turn) => taskOf(turn).purpose)).size).toBe(turns.length);
});

test("only what the engine or somebody's haste demands is alone in the repository", () => {
  expect(needsAlone(QUICK, false)).toBe(false);
  expect(needsAlone(QUICK, true)).toBe(true);
  expect(needsAlone({ ...QUICK, immediate: true }, false)).toBe(true);
  expect(needsAlone({ ...QUICK, step: "Check", immediate: true }, false)).toBe(false);
});

test("nothing is checked after a run where nobody wants that", () => {
  const check = { afterEach: false, afterFull: true, dataPercent: 0 };
  expect(workOf(QUICK, { check })).toEqual({ maintain: { mode: "Quick", owner: "kopiur/nas" } });
});

import { expect, test } from "vitest";
import { GROUP, readyNas, SETTINGS } from "../testing/samples.ts";
import type { Maintenance, MaintenanceSpec } from "./maintenance.ts";
import type { MaintenanceRun } from "./maintenance_run.ts";
import { dataPercentOf, needsAlone, runTask } from "./run_task.ts";
import { MAINTENANCES, sampleMaintenance, takingOver } from "./testing/sample_maintenance.ts";

const ownerOf = (object: Maintenance) => ({ resource: MAINTENANCES, object });
const QUICK: MaintenanceRun = { mode: "Quick", step: "Maintain", cause: "slot" };

function taskOf(
  run: MaintenanceRun,
  spec: Partial<MaintenanceSpec> = {},
  annotations: Record<string, string> = {},
) {
  const context = { repository: readyNas(), namespace: "billing", settings: SETTINGS, consent: false };
  const task = runTask(context, ownerOf(sampleMaintenance({ spec, metadata: { annotations } })), run);
  if (!task.ok) throw new Error(task.error.message);
  return task.value;
}

const workOf = (...args: Parameters<typeof taskOf>) => taskOf(...args).work.work;
const acknowledging = (owner: string) => ({ [`${GROUP}/acknowledge-takeover`]: owner });

test("a run maintains under its name, and takes over from nobody", () => {
  expect(workOf(QUICK)).toEqual({ maintain: { check: true, mode: "Quick", owner: "here/nas" } });
  expect(workOf({ ...QUICK, mode: "Full", immediate: true })).toEqual({
    maintain: { check: true, mode: "Full", owner: "here/nas", immediate: true },
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
      owner: "here/nas",
      takeOver: true,
      takeOverFrom: "somebody@else",
    },
  });
});

test("whoever changes the name of the owner takes over from the name before", () => {
  const ownership = { owner: "after", takeoverPolicy: "Never" } as const;
  const claimed = { owner: "before", claimedAt: "2026-05-24T00:00:00Z" };
  const maintain = { check: true, mode: "Quick", owner: "after" };
  const context = { repository: readyNas(), namespace: "billing", settings: SETTINGS, consent: false };
  const workAfter = (known: object) => {
    const maintenance = sampleMaintenance({ spec: { ownership }, status: { ownership: known } });
    const task = runTask(context, ownerOf(maintenance), QUICK);
    return task.ok && task.value.work.work;
  };
  expect(workAfter(claimed)).toEqual({ maintain: { ...maintain, takeOver: true, takeOverFrom: "before" } });
  expect(workAfter({ owner: "before" })).toEqual({ maintain });
});

test("with Never it takes over from nobody, whatever somebody says", () => {
  expect(workOf(QUICK, takingOver("Never"), acknowledging("somebody@else"))).toEqual({
    maintain: { check: true, mode: "Quick", owner: "here/nas" },
  });
});

test("a check reads as much as is asked for", () => {
  const check = { afterEach: true, afterFull: true, dataPercent: 5 };
  expect(workOf({ ...QUICK, step: "Check" }, { check })).toEqual({ check: { dataPercent: 5 } });
});

test("steps and slots have runs of their own", () => {
  const turns: readonly MaintenanceRun[] = [
    QUICK,
    { ...QUICK, mode: "Full" },
    { ...QUICK, step: "Check" },
    { ...QUICK, mode: "Full", step: "Check" },
    { ...QUICK, cause: "another slot" },
  ];
  expect(new Set(turns.map((run) => taskOf(run).purpose)).size).toBe(turns.length);
});

test("only what the engine or somebody's haste demands is alone in the repository", () => {
  expect(needsAlone(QUICK, false)).toBe(false);
  expect(needsAlone(QUICK, true)).toBe(true);
  expect(needsAlone({ ...QUICK, immediate: true }, false)).toBe(true);
  expect(needsAlone({ ...QUICK, step: "Check", immediate: true }, false)).toBe(false);
});

test("nothing is checked after a run where nobody wants that", () => {
  const check = { afterEach: false, afterFull: true, dataPercent: 0 };
  expect(workOf(QUICK, { check })).toEqual({ maintain: { mode: "Quick", owner: "here/nas" } });
});

test("one snapshot is read as a whole", () => {
  expect(workOf({ ...QUICK, step: "Check", snapshot: "k1" })).toEqual({ verify: { snapshot: { id: "k1" } } });
});

test.each([
  ["as the spec says", {}, undefined, 5],
  ["as much as was asked for", { dataPercent: 30 }, undefined, 30],
  ["as little as was asked for", { dataPercent: 0 }, { healthy: true, dataPercent: 100 }, 0],
  ["as much as found the damage", { dataPercent: 0 }, { healthy: false, dataPercent: 100 }, 100],
])("a check reads %s", (_, more, last, wanted) => {
  const check = { afterEach: true, afterFull: true, dataPercent: 5 };
  const lastCheck = last && { at: "2026-05-24T02:13:00Z", ...last };
  const maintenance = sampleMaintenance({ spec: { check }, ...(lastCheck ? { status: { lastCheck } } : {}) });
  expect(dataPercentOf(maintenance, { ...QUICK, step: "Check", ...more })).toBe(wanted);
});

import { describe, expect, test } from "vitest";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, NOW, SETTINGS } from "../testing/samples.ts";
import type { RunRecord } from "../work/run_record.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { HookSeries } from "../workloads/hooks/hook.ts";
import { NOTHING_DONE } from "../workloads/hooks/hook_progress.ts";
import type { Hooks } from "../workloads/hooks/hooks.ts";
import type { BackupState } from "./backup.ts";
import { HOOKS, type HooksMemory } from "./hooks_memory.ts";
import type { HooksSpec } from "./hooks_series.ts";
import { observeHooks, owesHooks } from "./observe_hooks.ts";
import { memoryOf, STAGING } from "./staging_memory.ts";
import { backup, PLAN, request } from "./testing/backup_samples.ts";

const exec = {
  workloadExec: {
    podSelector: { matchLabels: { app: "db" } },
    pods: "All",
    command: ["freeze"],
    timeout: "90s",
    continueOnFailure: true,
    repeatable: true,
  },
};
const runJob = { runJob: { jobSpec: { template: {} }, timeout: "10m", continueOnFailure: false } };
const httpRequest = {
  httpRequest: { url: "https://h.example/", method: "PUT", timeout: "30s", continueOnFailure: false },
};
const SPEC = { beforeSnapshot: [exec, runJob], afterSnapshot: [httpRequest] };
const memory = (more: Partial<HooksMemory> = {}): HooksMemory => ({
  round: 3,
  moment: "Capture",
  attempt: 1,
  before: NOTHING_DONE,
  after: NOTHING_DONE,
  ...more,
});

interface Given {
  readonly memory?: HooksMemory;
  readonly work?: NonNullable<BackupState["work"]>;
  readonly record?: Partial<RunRecord>;
  readonly open?: boolean;
  readonly cancelled?: boolean;
  readonly hooks?: object | undefined;
}

function observe(given: Given = {}) {
  const { open = true, cancelled = false, hooks = SPEC } = given;
  const asked: [HookSeries, number][] = [];
  const see = async (series: HookSeries, index: number) => {
    asked.push([series, index]);
    return { phase: "Running" } as const;
  };
  const work = { ...given.work, ...(given.memory ? { [HOOKS]: given.memory } : {}) };
  const object = backup({ status: { work } });
  const plan = { ...PLAN, settings: { ...PLAN.settings, hooks: hooks as HooksSpec } };
  const standing = {
    cancelled,
    record: { ...FIRST_ATTEMPT, ...given.record },
    staging: memoryOf({ work }),
    fingerprint: specFingerprint(object),
    now: NOW,
  };
  const gate = open ? ({ open } as const) : ({ open, reason: "r", message: "m" } as const);
  const question = { backup: request(object, { plan }), standing, gate };
  const ports = { hooks: { see } as unknown as Hooks, settings: SETTINGS };
  return { asked, seen: observeHooks(ports, question, new AbortController().signal) };
}

describe("observeHooks()", () => {
  test("sees nothing where there are none", async () => {
    expect(await observe({ hooks: {} }).seen).toBeUndefined();
    expect(await observe({ hooks: { beforeSnapshot: [] } }).seen).toBeUndefined();
  });

  test("reads every kind of hook out of the plan", async () => {
    const seen = await observe({ memory: memory() }).seen;
    expect(seen?.hooks.before).toMatchObject({
      purpose: "before",
      round: 3,
      namespace: "billing",
      owner: { kind: "Backup", name: "first", uid: "uid-first" },
      hooks: [
        {
          name: "beforeSnapshot[0] (workloadExec)",
          timeout: 90_000,
          continueOnFailure: true,
          action: {
            exec: {
              selector: { matchLabels: { app: "db" } },
              pods: "All",
              command: ["freeze"],
              repeatable: true,
            },
          },
        },
        { name: "beforeSnapshot[1] (runJob)", timeout: 600_000, action: { job: { template: {} } } },
      ],
    });
    const [request] = seen?.hooks.after.hooks ?? [];
    expect(request).toMatchObject({
      name: "afterSnapshot[0] (httpRequest)",
      action: { job: { template: { spec: { containers: [{ image: "holdfast/mover:1" }] } } } },
    });
    expect(JSON.stringify(request)).toContain('\\"allowLocal\\":false');
  });

  test("looks at the hook that was begun, and at no other", async () => {
    const { asked, seen } = observe({
      memory: memory({ moment: "Before", before: { finished: 1, since: AT } }),
    });
    expect((await seen)?.sight).toEqual({ phase: "Running" });
    expect(asked.map(([series, index]) => `${series.purpose} ${index}`)).toEqual(["before 1"]);
    const idle = observe({ memory: memory() });
    expect((await idle.seen)?.sight).toBeUndefined();
    expect(idle.asked).toEqual([]);
  });

  const waiting = { [STAGING]: { edition: "?", failures: 1, notBefore: "2026-05-24T02:20:00Z" } };

  test.each<[string, Given, boolean]>([
    ["nothing else stands before the capture", {}, true],
    ["another round is over", { memory: memory({ moment: "Over" }) }, true],
    ["others hold the run back", { open: false }, false],
    ["the Backup is cancelled", { cancelled: true }, false],
    ["there is a Job already", { record: { job: "uid-1" } }, false],
    ["a wrong clock has put the next attempt off", { record: { notBefore: "2026-05-25T02:13:00Z" } }, true],
    ["the next attempt has its time", { record: { notBefore: "2026-05-24T02:20:00Z" } }, false],
    ["the repository is asked about the last attempt", { record: { step: "Settle" } }, false],
    ["the run is over", { record: { outcome: "Succeeded" } }, false],
    ["what is captured is still there", { memory: memory({ moment: "Over", captured: true }) }, false],
    ["a hook failed", { memory: memory({ moment: "Over", before: { finished: 1, failure: "f" } }) }, false],
    ["another edition waits for its copy", { work: waiting }, true],
  ])("when %s, whether they are due: %s", async (_, given, due) => {
    expect((await observe(given).seen)?.due).toBe(due);
  });
});

test("a Backup owes its hooks from their beginning until its end is told", () => {
  const owes = (remembered?: HooksMemory) =>
    owesHooks(backup({ status: remembered ? { work: { [HOOKS]: remembered } } : {} }));
  expect(owes()).toBe(false);
  expect(owes(memory({ moment: "Before" }))).toBe(true);
  expect(owes(memory({ moment: "Over" }))).toBe(false);
  const readyState = { state: "ready", reason: "r", message: "m" } as const;
  expect(owes(memory({ moment: "Over", end: { phase: "Succeeded", stand: readyState } }))).toBe(true);
});

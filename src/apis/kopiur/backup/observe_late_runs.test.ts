import { expect, test } from "vitest";
import { decideTask } from "../../../core/work/decide_task.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import { attemptId } from "../../../core/work/task_requests.ts";
import type { TaskView } from "../../../core/work/task_view.ts";
import { ok } from "../../../lib/result.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { KopiurPorts } from "../ports.ts";
import { AT, backup, config, NOW, readyNas, SETTINGS, task } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { observeLateRuns } from "./observe_late_runs.ts";

const MINUTE = 60_000;
const FIRST = attemptId(task("snapshot"), 1);
const over: RunRecord = { attempt: 2, step: "Work", failures: 1, outcome: "Succeeded", unseen: [FIRST] };
const { policy, failurePolicy } = config().spec;
const frozen = {
  repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-1" },
  engine: "kopia",
  sources: [{ pvc: "billing/data", sourcePath: "/data" }],
  identity: { username: "data", hostname: "billing" },
  recipe: { policy, failurePolicy },
} as unknown as Frozen;

/** What the run does that looks a minute after the Backup has succeeded, when all seats are free. */
async function looks(conditions: readonly object[] = []) {
  const status = { phase: "Succeeded", conditions, work: { snapshot: over, late: { since: AT } } };
  const now = NOW + MINUTE;
  const ports = {
    clock: new VirtualClock(now),
    settings: SETTINGS,
    caches: { restores: { values: () => [] } },
    pools: { ask: () => ({ place: { pool: "uid-nas", rank: 1, tenant: "t", since: AT, seated: true } }) },
    tasks: { decide: async (view: Omit<TaskView, "runs" | "now">) => decideTask({ ...view, runs: [], now }) },
  } as unknown as KopiurPorts;
  const repository = readyNas();
  const ground = { repository, namespace: "billing", ca: undefined, settings: SETTINGS, consent: {} };
  const late = await observeLateRuns(
    ports,
    { ...ground, backup: backup({ status }), frozen, ready: ok(repository) } as never,
    new AbortController().signal,
  );
  return late?.run?.ok ? late.run.value.decision : undefined;
}

test("observeLateRuns() has what unseen runs left deleted, and nothing else", async () => {
  expect((await looks())?.intents).toMatchObject([
    { type: "Ensure", request: { work: { work: { delete: { snapshots: [], runs: [FIRST] } } } } },
  ]);
});

test("observeLateRuns() waits while anything is in doubt", async () => {
  const missing = { type: "SnapshotMissing", status: "Unknown", reason: "NotListed", message: "Not listed." };
  const decision = await looks([missing]);
  expect(decision).toMatchObject({ intents: [], state: { phase: "Held", reason: "SnapshotMissing" } });
});

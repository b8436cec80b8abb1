import { expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { AT, NOW, readyNas, SETTINGS, task } from "../testing/samples.ts";
import { decideTask } from "../work/decide_task.ts";
import type { RunRecord } from "../work/run_record.ts";
import { attemptId } from "../work/task_requests.ts";
import type { TaskView } from "../work/task_view.ts";
import { observeLateRuns } from "./observe_late_runs.ts";
import { backup, request } from "./testing/backup_samples.ts";

const MINUTE = 60_000;
const FIRST = attemptId(task("snapshot"), 1);
const over: RunRecord = { attempt: 2, step: "Work", failures: 1, outcome: "Succeeded", unseen: [FIRST] };
/** What the run does that looks a minute after the Backup has succeeded, when all seats are free. */
async function looks(doubted = false) {
  const status = { phase: "Succeeded", work: { snapshot: over, late: { since: AT } } };
  const now = NOW + MINUTE;
  const ports = {
    clock: new VirtualClock(now),
    queues: { ask: () => ({ place: { pool: "uid-nas", rank: 1, tenant: "t", since: AT, seated: true } }) },
    tasks: { decide: async (view: Omit<TaskView, "runs" | "now">) => decideTask({ ...view, runs: [], now }) },
  } as unknown as Parameters<typeof observeLateRuns>[0];
  const repository = readyNas();
  const context = { repository, namespace: "billing", settings: SETTINGS, consent: false };
  const late = await observeLateRuns(
    ports,
    {
      ...context,
      backup: request(backup({ status })),
      lookup: {
        ready: ok(repository),
        late: () => ({ doubted, uncertain: undefined, reader: () => undefined }),
      },
    },
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
  const decision = await looks(true);
  expect(decision).toMatchObject({ intents: [], state: { phase: "Held", reason: "SnapshotMissing" } });
});

import { expect, test } from "vitest";
import { Metrics } from "../../observe/metrics.ts";
import { cozystackGauges } from "./cozystack_gauges.ts";
import { sampleBackup, sampleJob, samplePlan, sampleRestoreJob } from "./testing/samples.ts";

const ready = (reason: string) => ({
  conditions: [
    {
      type: "Ready",
      status: "False" as const,
      reason,
      message: "m",
      lastTransitionTime: "2026-05-24T12:00:00Z",
    },
  ],
});

async function scraped(...objects: readonly { readonly kind?: string }[]): Promise<readonly string[]> {
  const metrics = new Metrics();
  const cache = ({ resource }: { readonly resource: { readonly kind: string } }) => ({
    values: () => objects.filter(({ kind }) => kind === resource.kind),
  });
  for (const gauge of cozystackGauges({ cache } as never)) metrics.gauge(gauge);
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("cozystack_"));
}

test("a Plan is due from its last success on, and counts its failures", async () => {
  const status = { lastSuccessfulSchedule: { at: "2026-05-24T02:00:00Z" }, consecutiveFailures: 2 };
  const labels = '{namespace="tenant",name="nightly"}';
  const seconds = (time: string) => Date.parse(time) / 1000;
  expect(await scraped(samplePlan({}, { phase: "Active", ...status }))).toEqual([
    'cozystack_backups_resource_phase{kind="Plan",namespace="tenant",phase="Active"} 1',
    `cozystack_backups_plan_last_success_timestamp_seconds${labels} ${seconds("2026-05-24T02:00:00Z")}`,
    `cozystack_backups_plan_due_timestamp_seconds${labels} ${seconds("2026-05-25T02:00:00Z")}`,
    `cozystack_backups_plan_interval_seconds${labels} 86400`,
    `cozystack_backups_plan_consecutive_failures${labels} 2`,
  ]);
});

test.each([
  ["suspended", { suspend: true }],
  ["not understood", { schedule: { type: "cron", cron: "61 * * * *", timezone: "UTC" } }],
])("a Plan that is %s has nothing due", async (_, spec) => {
  const lines = await scraped(samplePlan(spec));
  expect(lines.filter((line) => line.includes("due") || line.includes("interval"))).toEqual([]);
});

test("what has not ended is counted by what it waits for", async () => {
  const lines = await scraped(
    sampleJob("a", { phase: "Pending", ...ready("NoDriver") }),
    sampleJob("b", { phase: "Pending", ...ready("NoDriver") }),
    sampleJob("c", { phase: "Failed", completedAt: "2026-05-24T12:00:00Z", ...ready("PodFailed") }),
    sampleRestoreJob("d", {}, { phase: "Pending", ...ready("BackupNotFound") }),
    sampleBackup("e", {}, { phase: "Deleting", ...ready("DeletionFailed") }),
    sampleBackup("f", {}, { phase: "Ready", ...ready("Ready") }),
  );
  expect(lines.filter((line) => line.startsWith("cozystack_backups_waiting"))).toEqual([
    'cozystack_backups_waiting{kind="BackupJob",namespace="tenant",reason="NoDriver"} 2',
    'cozystack_backups_waiting{kind="RestoreJob",namespace="tenant",reason="BackupNotFound"} 1',
    'cozystack_backups_waiting{kind="Backup",namespace="tenant",reason="DeletionFailed"} 1',
  ]);
});

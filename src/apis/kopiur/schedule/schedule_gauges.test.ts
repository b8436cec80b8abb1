import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { schedule } from "../testing/samples.ts";
import { scheduleGauges } from "./schedule_gauges.ts";

test("how many Backups each schedule has made is counted, from none on", async () => {
  const schedules = [schedule({ status: { backupsCreated: 7 } }), schedule({ metadata: { name: "new" } })];
  const metrics = new Metrics();
  for (const gauge of scheduleGauges({ schedules: { values: () => schedules } as never }))
    metrics.gauge(gauge);
  await metrics.text();
  const lines = (await metrics.text()).split("\n").filter((line) => /kopiur_/.test(line));
  expect(lines.slice(1)).toEqual([
    "# TYPE kopiur_schedule_backups_created_total counter",
    'kopiur_schedule_backups_created_total{namespace="billing",name="nightly"} 7',
    'kopiur_schedule_backups_created_total{namespace="billing",name="new"} 0',
  ]);
});

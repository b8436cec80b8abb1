import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { config, schedule } from "../testing/samples.ts";
import { dueGauges, scheduleGauges } from "./schedule_gauges.ts";

const cacheOf = (...values: readonly { metadata: { namespace?: string; name: string } }[]) =>
  ({
    values: () => values,
    get: (key: string) => values.find(({ metadata: { namespace, name } }) => `${namespace}/${name}` === key),
  }) as never;

test("when each BackupConfig has to succeed again, by the soonest of its schedules, is told at a scrape", async () => {
  const at = (cron: string, name: string, suspend = false, configRef = { name: "data" }) =>
    schedule({ metadata: { name }, spec: { configRef, schedule: { cron, suspend } } });
  const metrics = new Metrics();
  const gauges = dueGauges({
    configs: cacheOf(
      config({ status: { lastSuccessfulBackup: { name: "first", at: "2026-05-25T02:13:00Z" } } }),
      config({ metadata: { name: "by-hand" } }),
    ),
    schedules: cacheOf(at("0 2 * * *", "nightly"), at("0 5 * * 1", "weekly"), at("* * * * *", "busy", true)),
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  const monday = Date.parse("2026-05-25T05:00:00Z") / 1000;
  expect(lines).toEqual([
    `kopiur_backup_due_timestamp_seconds{namespace="billing",name="data"} ${monday}`,
    'kopiur_backup_interval_seconds{namespace="billing",name="data"} 86400',
  ]);
});

test("a BackupConfig that is not there has a run due since its schedule is, and the next one follows once it is there", async () => {
  const nightly = schedule({
    metadata: { creationTimestamp: "2026-05-24T00:00:00Z" },
    spec: { configRef: { name: "gone" }, schedule: { cron: "0 2 * * *" } },
  });
  const told = async (...found: readonly Parameters<typeof config>[0][]) => {
    const metrics = new Metrics();
    const configs = cacheOf(...found.map((more) => config(more)));
    for (const gauge of dueGauges({ configs, schedules: cacheOf(nightly) })) metrics.gauge(gauge);
    return (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  };
  const due = (at: string) => [
    `kopiur_backup_due_timestamp_seconds{namespace="billing",name="gone"} ${Date.parse(at) / 1000}`,
    'kopiur_backup_interval_seconds{namespace="billing",name="gone"} 86400',
  ];
  expect(await told()).toEqual(due("2026-05-24T02:00:00Z"));
  expect(await told()).toEqual(due("2026-05-24T02:00:00Z"));
  const metadata = { name: "gone", creationTimestamp: "2026-05-26T12:00:00Z" };
  expect(await told({ metadata })).toEqual(due("2026-05-27T02:00:00Z"));
});

test("a success moves on what is due", async () => {
  const nightly = schedule({ spec: { schedule: { cron: "0 2 * * *" } } });
  const dueAfter = async (at: string) => {
    const metrics = new Metrics();
    const configs = cacheOf(config({ status: { lastSuccessfulBackup: { name: "first", at } } }));
    for (const gauge of dueGauges({ configs, schedules: cacheOf(nightly) })) metrics.gauge(gauge);
    return /^kopiur_backup_due_\S+ (\d+)$/m.exec(await metrics.text())?.[1];
  };
  expect(await dueAfter("2026-05-25T02:13:00Z")).toBe(String(Date.parse("2026-05-26T02:00:00Z") / 1000));
  expect(await dueAfter("2026-05-26T02:13:00Z")).toBe(String(Date.parse("2026-05-27T02:00:00Z") / 1000));
});

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

import { expect, test } from "vitest";
import { AT } from "../../../core/testing/samples.ts";
import { Metrics } from "../../../observe/metrics.ts";
import { restore } from "../testing/samples.ts";
import { restoreGauges } from "./restore_gauges.ts";

test("how long restores took that have ended is told at a scrape", async () => {
  const timing = { startTime: AT, endTime: AT, durationSeconds: 42 };
  const running = { metadata: { name: "runs" }, status: { timing: { startTime: AT } } };
  const restores = [
    restore({ status: { timing } }),
    restore(running),
    restore({ metadata: { name: "new" } }),
  ];
  const metrics = new Metrics();
  for (const gauge of restoreGauges({ restores: { values: () => restores } as never })) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual(['kopiur_restore_duration_seconds{namespace="billing",name="again"} 42']);
});

import { expect, test } from "vitest";
import { GROUP } from "../testing/samples.ts";
import { isStopped } from "./idle_state.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";

test.each(["cancel", "skip-snapshot-cleanup"])("the annotation %s stops it while it is true", (name) => {
  const marked = (value: string) =>
    sampleMaintenance({ metadata: { annotations: { [`${GROUP}/${name}`]: value } } });
  expect(isStopped(marked("true"))).toBe(true);
  expect(isStopped(marked("false"))).toBe(false);
  expect(isStopped(sampleMaintenance())).toBe(false);
});

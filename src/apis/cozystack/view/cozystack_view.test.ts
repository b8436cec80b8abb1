import { expect, test } from "vitest";
import type { Listed } from "../../../core/view/api_view.ts";
import { planResource } from "../../../kinds/cozystack/generated/plan.ts";
import { NOW, samplePlan } from "../testing/samples.ts";
import { cozystackView } from "./cozystack_view.ts";

test("a Plan's times are in its own zone, before and after they are resolved", () => {
  const schedule = { type: "cron", cron: "H 3 * * *", timezone: "Europe/Berlin" };
  const plans = [
    samplePlan({ schedule }),
    samplePlan({ schedule }, { resolvedCron: "17 3 * * * Europe/Berlin" } as never),
  ];
  const of = ((resource: unknown) => (resource === planResource ? plans : [])) as Listed["of"];
  const times = cozystackView
    .read({ of, claims: [] }, NOW)
    .schedules()
    .map(({ cron, zone }) => [cron, zone]);
  expect(times).toEqual([
    ["H 3 * * *", "Europe/Berlin"],
    ["17 3 * * *", "Europe/Berlin"],
  ]);
});

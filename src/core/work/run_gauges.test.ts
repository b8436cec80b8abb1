import { expect, test } from "vitest";
import { runGauges } from "./run_gauges.ts";
import { endedJob, sampleJob } from "./testing/samples.ts";

const job = (operation: string) => {
  const { metadata, ...rest } = sampleJob();
  return { ...rest, metadata: { ...metadata, annotations: { "holdfast.dev/operation": operation } } };
};

test("Jobs of movers that have not ended are counted by what they do", () => {
  const jobs = [
    job("snapshot"),
    job("snapshot"),
    job("session"),
    sampleJob(),
    endedJob("CompletionsReached"),
  ];
  const [runs] = runGauges({ jobs: { values: () => jobs } as never });
  expect([...(runs?.read() ?? [])]).toEqual([
    { labels: { operation: "snapshot" }, value: 2 },
    { labels: { operation: "session" }, value: 1 },
  ]);
});

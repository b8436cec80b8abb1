import type { GaugeOptions } from "../../observe/metrics.ts";
import type { RunCaches } from "./run_caches.ts";
import { operationOf } from "./run_labels.ts";
import { isFinished } from "./state_of_run.ts";

/** What movers do at a scrape, sessions included. */
export function runGauges({ jobs }: Pick<RunCaches, "jobs">): readonly GaugeOptions[] {
  return [
    {
      name: "holdfast_runs",
      help: "Jobs of movers that have not ended, by what they do; session: those that answer questions",
      labels: ["operation"],
      read: () => {
        const open = [...jobs.values()]
          .filter((job) => !isFinished(job))
          .flatMap((job) => operationOf(job) ?? []);
        const groups = Map.groupBy(open, (operation) => operation);
        return Array.from(groups, ([operation, { length }]) => ({ labels: { operation }, value: length }));
      },
    },
  ];
}

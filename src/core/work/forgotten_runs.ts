import type { KubeObject } from "../../kube/object.ts";
import { NOTHING_HEARD } from "./heard_report.ts";
import { BY_OWNER, type RunCaches } from "./run_caches.ts";
import { ownerLabel, runOf } from "./run_labels.ts";
import type { RunIntent } from "./task_decision.ts";
import { tidyUp } from "./tidy.ts";

/**
 * What is to be done about those runs of an owner that have all of these labels, once no record names them: what works
 * is told to end, and what has ended may go when its time is up, with whatever it was lent.
 */
export function tidyForgotten(
  { jobs, pods }: RunCaches,
  { metadata: owner }: KubeObject,
  labels: Readonly<Record<string, string>>,
): readonly RunIntent[] {
  const wanted = Object.entries(labels);
  const isOne = ({ metadata }: KubeObject) =>
    metadata.namespace === owner.namespace &&
    wanted.every(([name, value]) => metadata.labels?.[name] === value);
  const mine = ownerLabel(owner);
  const theirPods = pods.indexed(BY_OWNER, mine).filter(isOne);
  return jobs
    .indexed(BY_OWNER, mine)
    .filter(isOne)
    .flatMap((job) => {
      const id = runOf(job);
      const pod = theirPods.find((one) => runOf(one) === id);
      return tidyUp({ id, job, ...(pod ? { pod } : {}), report: NOTHING_HEARD, events: [] });
    });
}

import { expect, test } from "vitest";
import type { Pod } from "../../kube/builtin.ts";
import type { Change } from "../../kube/cache/cache.ts";
import { keyOf } from "../../kube/object.ts";
import type { RunEnd } from "../../observe/observers.ts";
import { moverJob } from "./mover_job.ts";
import { runEnds } from "./run_ends.ts";
import { endedPod, podWith, runningPod, samplePod, sampleRequest } from "./testing/samples.ts";

const key = keyOf({ name: "k" });
const updated = (previous: Pod, object: Pod): Change<Pod> => ({ type: "updated", key, previous, object });
const removed = (previous: Pod): Change<Pod> => ({ type: "removed", key, previous });

/** The pod of a mover, with all that its Job gives it. */
function mover(pod: Pod): Pod {
  const annotations = moverJob(sampleRequest).spec?.template.metadata?.annotations ?? {};
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
const waiting = mover(samplePod());
const running = mover(runningPod());
const ended = (exitCode: number) => mover(endedPod(exitCode));
/** A pod that ended, and whose node told nothing of it. */
const givenUp = mover(podWith({}, "Failed"));
const known = {
  namespace: "shop",
  name: sampleRequest.id,
  pod: `${sampleRequest.id}-abcde`,
  node: "node-1",
  owner: {
    group: "example.com",
    kind: sampleRequest.owner.kind,
    name: sampleRequest.owner.name,
  },
  createdAt: Date.parse("2026-01-01T00:00:01Z"),
};
const startedAt = Date.parse("2026-01-01T00:00:02Z");
const end = {
  operation: "snapshot",
  seconds: 298,
  run: { ...known, startedAt, endedAt: Date.parse("2026-01-01T00:05:00Z") },
} as const;
const lost = { operation: "snapshot", result: "lost" } as const;

test.each<[string, Change<Pod>, RunEnd | undefined]>([
  ["success", updated(running, ended(0)), { ...end, result: "succeeded" }],
  ["failure", updated(running, ended(10)), { ...end, result: "failed" }],
  ["a mover that was told to end", updated(running, ended(35)), { ...end, result: "cancelled" }],
  ["one that nobody saw running", updated(waiting, ended(0)), { ...end, result: "succeeded" }],
  ["one that was given up", updated(running, givenUp), { ...lost, run: known }],
  ["one that vanished", removed(running), { ...lost, run: { ...known, startedAt } }],
  ["nothing of what is no mover", updated(runningPod(), endedPod(0)), undefined],
  ["nothing while it runs", updated(waiting, running), undefined],
  ["nothing once it has been told", updated(ended(0), ended(0)), undefined],
  ["nothing of what had ended before", { type: "added", key, object: ended(0) }, undefined],
  ["nothing of what is removed after its end", removed(ended(0)), undefined],
  ["nothing of what never ran", removed(waiting), undefined],
])("the end of a run: %s", (_, change, expected) => {
  const told: RunEnd[] = [];
  const pods = {
    onChange: (handler: (change: Change<Pod>) => void) => {
      handler(change);
      return () => {};
    },
  };
  runEnds({ pods: pods as never }, { runEnded: (one) => void told.push(one) }).start();
  expect(told).toEqual(expected ? [expected] : []);
});

import { expect, test } from "vitest";
import type { Pod } from "../../kube/builtin.ts";
import type { Cache, Change } from "../../kube/cache/cache.ts";
import { keyOf } from "../../kube/object.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import { RunReports } from "./run_reports.ts";
import { runningPod, sampleRequest, sampleResult } from "./testing/samples.ts";

function reporting() {
  const clock = new VirtualClock();
  const news: string[] = [];
  const signals: AbortSignal[] = [];
  const logs = {
    async *logs(_: unknown, { signal }: { readonly signal: AbortSignal }): AsyncIterable<Uint8Array> {
      signals.push(signal);
      yield Buffer.from(`${JSON.stringify({ result: sampleResult() })}\n`);
    },
  };
  const reports = new RunReports({
    logs,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    onNews: (pod) => news.push(pod.metadata.uid),
  });
  let tell: (change: Change<Pod>) => void = () => {};
  let watched = true;
  const pods = {
    onChange: (handler: typeof tell) => {
      tell = handler;
      return () => {
        watched = false;
      };
    },
  } as unknown as Cache<Pod>;
  const remove = (previous: Pod) => tell({ type: "removed", key: keyOf(previous), previous });
  return { clock, reports, news, signals, pods, remove, watched: () => watched };
}

const RUN = sampleRequest.id;

test("a run is known by its ID, also when its pod is gone", async () => {
  const { reports, clock, news } = reporting();
  expect(reports.heard(RUN)).toEqual({ logTail: [] });
  reports.follow(runningPod());
  await clock.advance(0);
  expect(reports.heard(RUN).result).toEqual(sampleResult());
  expect(news).toEqual(["pod-1"]);
});

test("a pod is followed once, another pod of the run anew", async () => {
  const { reports, clock, signals } = reporting();
  reports.follow(runningPod());
  reports.follow(runningPod());
  await clock.advance(0);
  expect(signals).toHaveLength(1);
  const second = { ...runningPod(), metadata: { ...runningPod().metadata, uid: "pod-2" } };
  reports.follow(second);
  await clock.advance(0);
  expect(signals).toHaveLength(2);
  expect(signals[0]?.aborted).toBe(true);
  expect(reports.size).toBe(1);
});

test("what nobody forgets is forgotten some time after its pod has gone", async () => {
  const { reports, clock, pods, remove } = reporting();
  reports.watch(pods);
  reports.follow(runningPod());
  await clock.advance(60_000_000);
  expect(reports.size).toBe(1);
  remove(runningPod());
  await clock.advance(60_000);
  expect(reports.heard(RUN).result).toBeDefined();
  await clock.advance(15 * 60_000);
  expect(reports.size).toBe(0);
});

test("everything ends with the watch", async () => {
  const { reports, clock, pods, signals, watched } = reporting();
  const end = reports.watch(pods);
  reports.follow(runningPod());
  await clock.advance(0);
  end();
  expect(reports.size).toBe(0);
  expect(signals[0]?.aborted).toBe(true);
  expect(watched()).toBe(false);
});

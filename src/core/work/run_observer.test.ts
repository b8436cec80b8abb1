import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Job, Pod } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import { resourceName } from "../../kube/resource.ts";
import { type RecordedCall, RecordingClient } from "../../kube/testing/recording_client.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import type { RunCaches } from "./run_caches.ts";
import { RunObserver } from "./run_observer.ts";
import { FIRST_ATTEMPT, type RunRecord } from "./run_record.ts";
import { RunReports } from "./run_reports.ts";
import { attemptId } from "./task_requests.ts";
import {
  endedJob,
  endedPod,
  JOB_UID,
  podWith,
  runningPod,
  sampleJob,
  sampleRequest,
  sampleResult,
  sampleTask,
} from "./testing/samples.ts";

const cacheOf = <T extends KubeObject>(objects: readonly T[]) => ({ indexed: () => objects });
const noted: RunRecord = { ...FIRST_ATTEMPT, job: JOB_UID };

interface World {
  readonly jobs?: readonly Job[];
  readonly pods?: readonly Pod[];
  readonly answer?: (call: RecordedCall) => unknown;
  readonly log?: string;
}

function observing({ jobs = [], pods = [], answer, log = "" }: World) {
  const clock = new VirtualClock();
  const client = new RecordingClient((call) => {
    const answered = answer?.(call);
    if (answered !== undefined) return answered;
    if (call.verb === "list") return { items: [], metadata: { resourceVersion: "1" } };
    throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
  });
  let logsRead = 0;
  const logs = {
    async *logs(): AsyncIterable<Uint8Array> {
      logsRead++;
      yield Buffer.from(log);
    },
  };
  const ports = { clock, random: seededRandom(1), log: silentLogger, onNews: () => {} };
  const reports = new RunReports({ ...ports, logs });
  const caches = { jobs: cacheOf(jobs), pods: cacheOf(pods) } as unknown as RunCaches;
  const observer = new RunObserver({ caches, reader: client as never, reports, clock });
  const said = () => client.calls.map(({ verb, resource }) => `${verb} ${resourceName(resource)}`);
  return { clock, client, observer, said, logsRead: () => logsRead };
}

describe("in the caches", () => {
  test("a run that is not begun costs no request", async () => {
    const { observer, said } = observing({});
    expect(await observer.observe(sampleTask, undefined)).toEqual([
      { id: sampleRequest.id, report: { logTail: [] }, events: [] },
    ]);
    expect(said()).toEqual([]);
  });

  test("a run's Job and pod are put together, and its mover is listened to", async () => {
    const job = sampleJob();
    const pod = runningPod();
    const { observer, said, logsRead, clock } = observing({ jobs: [job], pods: [pod] });
    const [run] = await observer.observe(sampleTask, noted);
    expect(run).toMatchObject({ id: sampleRequest.id, job, pod });
    await clock.advance(0);
    expect(logsRead()).toBe(1);
    expect(said()).toEqual([]);
  });

  test("the newest pod counts", async () => {
    const older = {
      ...runningPod(),
      metadata: { ...runningPod().metadata, uid: "old", creationTimestamp: "2025-01-01T00:00:00Z" },
    };
    const { observer } = observing({ jobs: [sampleJob()], pods: [runningPod(), older] });
    expect((await observer.observe(sampleTask, noted))[0]?.pod?.metadata.uid).toBe("pod-1");
  });

  test("an owner's runs in other namespaces are not looked at", async () => {
    const elsewhere = { ...sampleJob(), metadata: { ...sampleJob().metadata, namespace: "other" } };
    const { observer } = observing({ jobs: [elsewhere] });
    expect((await observer.observe(sampleTask, undefined))[0]).not.toHaveProperty("job");
  });

  test("what has ended is read to its end, once; what is recorded is not read at all", async () => {
    const log = `${JSON.stringify({ result: sampleResult() })}\n`;
    const world = observing({ jobs: [endedJob("CompletionsReached")], pods: [endedPod(0)], log });
    expect((await world.observer.observe(sampleTask, noted))[0]?.report.result).toEqual(sampleResult());
    await world.observer.observe(sampleTask, noted);
    expect(world.logsRead()).toBe(1);
    const after = observing({ jobs: [endedJob("CompletionsReached")], pods: [endedPod(0)], log });
    await after.observer.observe(sampleTask, { ...noted, outcome: "Succeeded" });
    await after.observer.observe(sampleTask, { attempt: 2, step: "Work", failures: 1 });
    expect(after.logsRead()).toBe(0);
  });
});

describe("before a run counts as lost, the server is asked", () => {
  test("for its Job", async () => {
    const answer = ({ verb, resource }: RecordedCall) =>
      verb === "get" && resource.kind === "Job" ? sampleJob() : undefined;
    const { observer, said } = observing({ answer });
    expect((await observer.observe(sampleTask, noted))[0]?.job).toBeDefined();
    expect(said()).toEqual(["get jobs.batch"]);
  });

  test("for its pod, once its Job has ended", async () => {
    const answer = ({ verb, resource }: RecordedCall) =>
      verb === "list" && resource.kind === "Pod" ? { items: [endedPod(0)] } : undefined;
    const { observer, client } = observing({ jobs: [endedJob("CompletionsReached")], answer });
    expect((await observer.observe(sampleTask, noted))[0]?.pod).toBeDefined();
    expect(client.calls[0]?.options).toMatchObject({
      namespace: "shop",
      labelSelector: `holdfast.dev/run=${sampleRequest.id}`,
    });
  });

  test("for both, and neither is there", async () => {
    const { observer, said } = observing({});
    expect((await observer.observe(sampleTask, noted))[0]).not.toHaveProperty("job");
    expect(said()).toEqual(["get jobs.batch", "list pods"]);
  });

  test("only of the current attempt", async () => {
    const { observer, said } = observing({});
    const [run] = await observer.observe(sampleTask, { attempt: 2, step: "Work", failures: 1 });
    expect(run?.id).toBe(attemptId(sampleTask, 2));
    expect(said()).toEqual([]);
  });
});

describe("events are asked for", () => {
  const event = { type: "Warning", reason: "FailedCreate", message: "Error creating: no" };
  const answer = ({ resource }: RecordedCall) => (resource.kind === "Event" ? { items: [event] } : undefined);

  test("of a Job that has had no pod for some seconds", async () => {
    const { observer, clock, client } = observing({ jobs: [sampleJob()], answer });
    expect((await observer.observe(sampleTask, noted))[0]?.events).toEqual([]);
    await clock.advance(3_000);
    expect((await observer.observe(sampleTask, noted))[0]?.events).toEqual([event]);
    expect(client.calls).toHaveLength(1);
    expect(client.calls[0]?.options).toMatchObject({
      namespace: "shop",
      fieldSelector: `involvedObject.uid=${JOB_UID},type=Warning`,
    });
  });

  test("of a pod that has not started for some seconds", async () => {
    const pod = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    const { observer, clock, client } = observing({ jobs: [sampleJob()], pods: [pod], answer });
    await observer.observe(sampleTask, noted);
    await clock.advance(3_000);
    await observer.observe(sampleTask, noted);
    expect(client.calls[0]?.options).toMatchObject({
      fieldSelector: "involvedObject.uid=pod-1,type=Warning",
    });
  });

  test("never of a Job that waits to be let go, or of a pod that runs", async () => {
    const suspended = sampleJob(sampleRequest, { spec: { suspend: true, template: {} } });
    for (const world of [
      observing({ jobs: [suspended], answer }),
      observing({ jobs: [sampleJob()], pods: [runningPod()], answer }),
    ]) {
      await world.observer.observe(sampleTask, noted);
      await world.clock.advance(60_000);
      await world.observer.observe(sampleTask, noted);
      expect(world.said()).not.toContain("list events");
    }
  });

  test("and are no loss where they may not be read", async () => {
    const { observer, clock } = observing({
      jobs: [sampleJob()],
      answer: ({ resource }) => {
        if (resource.kind === "Event")
          throw new ApiError({ request: "GET", code: 403, status: { reason: "Forbidden" } });
      },
    });
    await observer.observe(sampleTask, noted);
    await clock.advance(3_000);
    expect((await observer.observe(sampleTask, noted))[0]?.events).toEqual([]);
  });
});

describe("a pod that was told to end", () => {
  const going = {
    ...runningPod(),
    metadata: {
      ...runningPod().metadata,
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 60,
    },
  };

  test("has its node looked at when its time, as seen from here, is long over", async () => {
    const { observer, clock, said } = observing({ jobs: [sampleJob()], pods: [going] });
    const overdue = async () => (await observer.observe(sampleTask, noted))[0]?.overdue;
    expect(await overdue()).toBeUndefined();
    await clock.advance(89_000);
    expect(await overdue()).toBeUndefined();
    expect(said()).toEqual([]);
    await clock.advance(1_000);
    expect(await overdue()).toEqual({ node: "Dead" });
    expect(said()).toEqual(["get nodes"]);
  });

  test("is not overdue when its mover has ended", async () => {
    const ended = { ...endedPod(0), metadata: going.metadata };
    const { observer, clock } = observing({ jobs: [sampleJob()], pods: [ended] });
    await observer.observe(sampleTask, noted);
    await clock.advance(600_000);
    expect((await observer.observe(sampleTask, noted))[0]?.overdue).toBeUndefined();
  });
});

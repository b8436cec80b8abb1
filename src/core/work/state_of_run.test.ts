import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../kube/builtin.ts";
import { EXIT_CODES } from "../../wire/exit_codes.ts";
import { NOTHING_HEARD } from "./heard_report.ts";
import { CANCELLED_ANNOTATION } from "./run_labels.ts";
import { stateOfRun } from "./state_of_run.ts";
import {
  endedJob,
  endedPod,
  failureOfClass,
  observed,
  podWith,
  runningPod,
  sampleJob,
  samplePod,
  sampleResult,
} from "./testing/samples.ts";

const words = (result: object) => ({ message: JSON.stringify(result) });
const cancelledJob = (): Job =>
  sampleJob(undefined, {
    spec: { suspend: true, template: {} },
    metadata: { ...sampleJob().metadata, annotations: { [CANCELLED_ANNOTATION]: "true" } },
  });
const going = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:03:00Z" },
});
const withStatus = (pod: Pod, status: object): Pod => ({ ...pod, status: { ...pod.status, ...status } });

describe("a mover that starts by signal", () => {
  const at = (step: "Prepared" | "snapshot") => ({ progress: { version: 1, step }, logTail: [] });
  const job = sampleJob();

  test("is prepared until it works", () => {
    const pod = runningPod();
    expect(stateOfRun(observed({ job, pod, report: at("Prepared") }))).toEqual({
      phase: "Prepared",
      pod: pod.metadata.name,
      node: "node-1",
      logTail: [],
    });
    expect(stateOfRun(observed({ job, pod, report: at("snapshot") }))).toMatchObject({ phase: "Running" });
  });

  test("is not prepared any more once it is told to end, or has ended", () => {
    const report = at("Prepared");
    expect(stateOfRun(observed({ job, pod: going(runningPod()), report }))).toMatchObject({
      phase: "Running",
      terminating: true,
    });
    expect(stateOfRun(observed({ job, pod: endedPod(137), report }))).toMatchObject({ phase: "Lost" });
  });
});

describe("before the mover runs, a run is", () => {
  test("absent without a Job", () => {
    expect(stateOfRun(observed())).toEqual({ phase: "Absent" });
  });

  test("preparing, with a Job that waits to be let go", () => {
    const job = sampleJob(undefined, { spec: { suspend: true, template: {} } });
    expect(stateOfRun(observed({ job }))).toEqual({ phase: "Preparing", suspended: true });
  });

  test("preparing, with a Job whose pod is not there yet", () => {
    expect(stateOfRun(observed({ job: sampleJob() }))).toEqual({ phase: "Preparing", suspended: false });
  });

  test("preparing, with a pod that nothing complains about", () => {
    const pod = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    expect(stateOfRun(observed({ job: sampleJob(), pod }))).toEqual({ phase: "Preparing", suspended: false });
  });

  test("waiting, when its pod is refused", () => {
    const events = [
      { type: "Warning", reason: "FailedCreate", message: "Error creating: violates PodSecurity" } as const,
    ];
    const state = stateOfRun(observed({ job: sampleJob(), events }));
    expect(state).toMatchObject({ phase: "Waiting", reason: "PodSecurityDenied" });
  });

  test("waiting, when its pod cannot start", () => {
    const pod = podWith({ waiting: { reason: "ErrImagePull" } }, "Pending");
    const state = stateOfRun(observed({ job: sampleJob(), pod }));
    expect(state).toMatchObject({ phase: "Waiting", reason: "ImageUnavailable" });
  });
});

describe("while the mover runs", () => {
  test("it is running, with what was heard", () => {
    const progress = { version: 1, step: "snapshot", files: 7 } as const;
    const report = { progress, logTail: ["begun"] };
    expect(stateOfRun(observed({ job: sampleJob(), pod: runningPod(), report }))).toEqual({
      phase: "Running",
      pod: runningPod().metadata.name,
      node: "node-1",
      startedAt: "2026-01-01T00:00:02Z",
      progress,
      logTail: ["begun"],
      terminating: false,
    });
  });

  test("it runs until its container has ended, though its result was heard", () => {
    const report = { result: sampleResult(), logTail: [] };
    expect(stateOfRun(observed({ job: sampleJob(), pod: runningPod(), report })).phase).toBe("Running");
  });

  test("it is running while it is told to end", () => {
    const state = stateOfRun(observed({ job: sampleJob(), pod: going(runningPod()) }));
    expect(state).toMatchObject({ phase: "Running", terminating: true });
  });

  test("it is running without its Job", () => {
    expect(stateOfRun(observed({ pod: runningPod() })).phase).toBe("Running");
  });
});

describe("a report is taken", () => {
  const result = sampleResult({ repository: { id: "r", created: false } });

  test("from the log", () => {
    const report = { result, logTail: ["done"] };
    expect(stateOfRun(observed({ job: sampleJob(), pod: endedPod(0), report }))).toEqual({
      phase: "Ended",
      result,
      source: "Report",
      logTail: ["done"],
    });
  });

  test("from the log, though pod and Job are gone", () => {
    const report = { result, logTail: [] };
    expect(stateOfRun(observed({ report }))).toMatchObject({ phase: "Ended", source: "Report" });
  });

  test("from the termination message, after an absence", () => {
    const pod = endedPod(0, words({ ...result, shortened: true }));
    const state = stateOfRun(observed({ job: sampleJob(), pod }));
    expect(state).toMatchObject({ phase: "Ended", source: "Report", result: { shortened: true } });
  });

  test("from the log rather than from the termination message", () => {
    const pod = endedPod(0, words({ ...result, shortened: true }));
    const state = stateOfRun(observed({ job: sampleJob(), pod, report: { result, logTail: [] } }));
    expect(state).not.toHaveProperty("result.shortened");
  });

  test("from a container that has ended in a pod that does not say so yet", () => {
    const pod = withStatus(endedPod(0, words(result)), { phase: "Running" });
    expect(stateOfRun(observed({ job: sampleJob(), pod })).phase).toBe("Ended");
  });

  test("only when it is this run's", () => {
    const pod = endedPod(0, words(sampleResult({}, "other")));
    expect(stateOfRun(observed({ job: sampleJob(), pod }))).toMatchObject({ phase: "Lost", why: "Crashed" });
  });
});

describe("without a report", () => {
  test("a lack of memory shows on the container", () => {
    const limits = { memory: "512Mi" };
    const pod = {
      ...endedPod(137, { reason: "OOMKilled" }),
      spec: { containers: [{ name: "mover", resources: { limits } }] },
    };
    expect(stateOfRun(observed({ job: sampleJob(), pod }))).toMatchObject({
      phase: "Ended",
      source: "Container",
      result: {
        startedAt: "2026-01-01T00:00:02Z",
        endedAt: "2026-01-01T00:05:00Z",
        failure: {
          class: "OutOfMemory",
          message: "The mover was killed for lack of memory: it may use 512Mi",
          remedy: "Raise the mover's memory limit, or lower its parallelism and cache sizes.",
        },
      },
    });
  });

  test("the exit code tells the class", () => {
    const pod = endedPod(EXIT_CODES.WrongPassword);
    expect(stateOfRun(observed({ job: sampleJob(), pod }))).toMatchObject({
      phase: "Ended",
      source: "Container",
      result: { failure: { class: "WrongPassword" } },
    });
  });

  const evicted = { reason: "Evicted", message: "The node was low on resource: ephemeral-storage." };
  const disrupted = {
    conditions: [
      { type: "DisruptionTarget", status: "True", message: "Taint manager: deleting due to NoExecute" },
    ],
  };
  test.each([
    ["killed", endedPod(137, { reason: "Error" }), "Killed", "(exit code 137)"],
    ["gone unseen", endedPod(137, { reason: "ContainerStatusUnknown" }), "Killed", "(exit code 137)"],
    ["ended unseen", samplePod({ status: { phase: "Failed" } }), "Killed", "before it could report"],
    ["crashed", endedPod(1, { message: "Error: boom" }), "Crashed", "exit code 1"],
    ["silent in success", endedPod(0), "Crashed", "without a report"],
    ["evicted", withStatus(endedPod(137), evicted), "Evicted", "low on resource: ephemeral-storage"],
    ["evicted with its class", withStatus(endedPod(35), evicted), "Evicted", "low on resource"],
    ["disrupted", withStatus(endedPod(143), disrupted), "Evicted", "deleting due to NoExecute"],
  ] as const)("a mover that was %s is lost", (_, pod, why, message) => {
    const state = stateOfRun(observed({ job: endedJob("BackoffLimitExceeded"), pod }));
    expect(state).toMatchObject({ phase: "Lost", why });
    expect(state).toHaveProperty("message", expect.stringContaining(message));
  });

  test("a pod that is gone is lost once its Job has ended", () => {
    const report = { logTail: ["begun"] };
    expect(stateOfRun(observed({ job: endedJob("BackoffLimitExceeded"), report }))).toEqual({
      phase: "Lost",
      why: "PodGone",
      message: "The mover's pod is gone, and left no report",
      logTail: ["begun"],
      unseen: true,
    });
  });

  test.each([
    'Usage of EmptyDir volume "cache" exceeds the limit "64Mi". ',
    'Container mover exceeded its local ephemeral storage limit "1Gi". ',
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
  ])("a mover that used up its own room has a full cache: %s", (message) => {
    const evicted = { phase: "Failed", reason: "Evicted", message };
    const cancelled = sampleResult({ failure: failureOfClass("Cancelled") });
    const failure = {
      class: "CacheFull",
      message: `The mover wrote more to its node's disk than it may: ${message.trim()}`,
      remedy: "Enlarge the mover's cache volume, or lower the cache limits.",
    };
    for (const pod of [endedPod(137), endedPod(EXIT_CODES.Cancelled, words(cancelled))]) {
      const state = stateOfRun(observed({ job: sampleJob(), pod: withStatus(pod, evicted) }));
      expect(state).toMatchObject({ phase: "Ended", result: { failure } });
    }
  });

  const deletedNode = { phase: "Failed", ...disrupted };
  test.each([
    ["whose node said how it ended", endedPod(137), undefined],
    ["that its node no longer finds", endedPod(137, { reason: "ContainerStatusUnknown" }), undefined],
    ["whose node was given up", withStatus(runningPod(), deletedNode), true],
    ["that nobody saw start", samplePod({ status: { phase: "Failed" } }), true],
  ] as const)("a mover %s may work on or not", (_, pod, unseen) => {
    const state = stateOfRun(observed({ job: endedJob("BackoffLimitExceeded"), pod }));
    expect((state as { unseen?: true }).unseen).toBe(unseen);
  });

  test("a pod that is gone at the Job's deadline may work on, unless there never was one", () => {
    const job = endedJob("DeadlineExceeded");
    const begun = { ...job, status: { ...job.status, failed: 1 } };
    expect(stateOfRun(observed({ job: begun }))).toMatchObject({ source: "Container", unseen: true });
    expect(stateOfRun(observed({ job }))).not.toHaveProperty("unseen");
  });

  test("a pod that is gone is lost once its Job was cancelled", () => {
    expect(stateOfRun(observed({ job: cancelledJob() }))).toMatchObject({ phase: "Lost", why: "PodGone" });
  });
});

describe("a mover that says it was told to end", () => {
  const result = sampleResult({ failure: failureOfClass("Cancelled") });
  const pod = endedPod(EXIT_CODES.Cancelled, words(result));

  test("was cancelled, if the operator did so", () => {
    expect(stateOfRun(observed({ job: cancelledJob(), pod }))).toMatchObject({
      result: { failure: { class: "Cancelled" } },
    });
  });

  test("was interrupted, if anybody else did", () => {
    expect(stateOfRun(observed({ job: endedJob("BackoffLimitExceeded"), pod }))).toMatchObject({
      phase: "Ended",
      source: "Report",
      result: { failure: { class: "Interrupted" } },
    });
    expect(stateOfRun(observed({ pod }))).toMatchObject({ result: { failure: { class: "Interrupted" } } });
  });

  test("was late, if its Job says so", () => {
    expect(stateOfRun(observed({ job: endedJob("DeadlineExceeded"), pod }))).toMatchObject({
      result: { failure: { class: "Deadline" } },
    });
  });
});

describe("a Job whose time is over", () => {
  const job = endedJob("DeadlineExceeded");

  test("and that never had a pod, did nothing", () => {
    expect(stateOfRun(observed({ job }))).toMatchObject({
      phase: "Ended",
      source: "NotStarted",
      result: { failure: { class: "Deadline" }, endedAt: "2026-01-01T00:10:00Z" },
    });
  });

  test("and that had one, may have done something", () => {
    const counted = { ...job, status: { ...job.status, failed: 1 } };
    expect(stateOfRun(observed({ job: counted }))).toMatchObject({ source: "Container" });
    const killed = endedPod(137);
    expect(stateOfRun(observed({ job, pod: killed, report: NOTHING_HEARD }))).toMatchObject({
      source: "Container",
      result: { failure: { class: "Deadline" } },
    });
  });
});

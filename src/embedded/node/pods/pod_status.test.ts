import { describe, expect, test } from "vitest";
import type { Pod } from "../../../kube/builtin.ts";
import type { ContainerState } from "./containers.ts";
import { planPod, type Waiting } from "./pod_status.ts";

const NOW = Date.parse("2026-01-01T00:10:00Z");

const running: ContainerState = { type: "running", startedAt: NOW - 5000 };
const exited = (code: number, secondsAgo = 1): ContainerState => ({
  type: "exited",
  code,
  how: "exited",
  message: "",
  startedAt: NOW - 60_000,
  finishedAt: NOW - secondsAgo * 1000,
});

interface Case {
  readonly policy?: string;
  readonly inits?: readonly string[];
  readonly mains?: readonly string[];
  readonly deleted?: boolean;
  readonly deadline?: number;
  readonly waiting?: Readonly<Record<string, Waiting>>;
}

function plan(states: Readonly<Record<string, readonly ContainerState[]>>, given: Case = {}) {
  const { policy = "Never", inits = [], mains = ["main"], deleted = false, deadline, waiting = {} } = given;
  const pod = {
    metadata: {
      name: "pod",
      namespace: "ns",
      uid: "uid",
      generation: 1,
      ...(deleted ? { deletionTimestamp: "x" } : {}),
    },
    spec: {
      restartPolicy: policy,
      initContainers: inits.map((name) => ({ name })),
      containers: mains.map((name) => ({ name })),
      ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
    },
    status: { startTime: "2026-01-01T00:09:00Z" },
  } as unknown as Pod;
  return planPod({
    pod,
    states: new Map(Object.entries(states)),
    waiting: new Map(Object.entries(waiting)),
    now: NOW,
  });
}

describe("a pod", () => {
  test.each([
    ["with nothing begun starts all its containers", {}, { mains: ["a", "b"] }, "Pending", ["a", "b"], false],
    ["with one running runs", { main: [running] }, {}, "Running", [], false],
    ["succeeds when all have", { main: [exited(0)] }, {}, "Succeeded", [], true],
    [
      "fails when one has failed and all have ended",
      { a: [exited(0)], b: [exited(1)] },
      { mains: ["a", "b"] },
      "Failed",
      [],
      true,
    ],
    ["runs while one does", { a: [exited(1)], b: [running] }, { mains: ["a", "b"] }, "Running", [], false],
    ["starts its init containers one by one", {}, { inits: ["i", "j"] }, "Pending", ["i"], false],
    [
      "starts the next when one is through",
      { i: [exited(0)] },
      { inits: ["i", "j"] },
      "Pending",
      ["j"],
      false,
    ],
    ["starts the others when all are", { i: [exited(0)] }, { inits: ["i"] }, "Pending", ["main"], false],
    ["fails with an init container", { i: [exited(2)] }, { inits: ["i"] }, "Failed", [], true],
    [
      "on failure is restarted at once the first time",
      { main: [exited(1)] },
      { policy: "OnFailure" },
      "Running",
      ["main"],
      false,
    ],
    [
      "on failure is not restarted after success",
      { main: [exited(0)] },
      { policy: "OnFailure" },
      "Succeeded",
      [],
      true,
    ],
    [
      "always is restarted after success",
      { main: [exited(0)] },
      { policy: "Always" },
      "Running",
      ["main"],
      false,
    ],
    [
      "always runs its init containers once",
      { i: [exited(0)] },
      { inits: ["i"], policy: "Always" },
      "Pending",
      ["main"],
      false,
    ],
    ["that is deleted starts nothing", {}, { deleted: true }, "Failed", [], true],
    [
      "that is deleted is not over while it runs",
      { main: [running] },
      { deleted: true },
      "Running",
      [],
      false,
    ],
    [
      "that is deleted is not restarted",
      { main: [exited(1)] },
      { deleted: true, policy: "Always" },
      "Failed",
      [],
      true,
    ],
    [
      "past its deadline fails once it has ended",
      { main: [exited(0)] },
      { deadline: 60 },
      "Failed",
      [],
      true,
    ],
  ] as const)("%s", (_, states, given, phase, start, over) => {
    const { status, ...rest } = plan(states, given as Case);
    expect({ phase: status.phase, start: rest.start, over: rest.over }).toEqual({ phase, start, over });
  });

  test.each([
    [2, 10],
    [3, 20],
    [4, 40],
    [9, 300],
  ])("that has failed %i times waits %i s before it is restarted", (failures, seconds) => {
    const states = { main: Array.from({ length: failures }, () => exited(1, 1)) };
    const { start, wakeAt, status } = plan(states, { policy: "OnFailure" });
    expect(start).toEqual([]);
    expect(wakeAt).toBe(NOW - 1000 + seconds * 1000);
    expect(status.containerStatuses?.[0]).toMatchObject({
      restartCount: failures - 1,
      state: {
        waiting: { reason: "CrashLoopBackOff", message: expect.stringContaining(`back-off ${seconds}s`) },
      },
      lastState: { terminated: { exitCode: 1 } },
    });
  });

  test("says what a container waits for", () => {
    const waiting = { main: { reason: "CreateContainerConfigError", message: 'secret "x" not found' } };
    expect(plan({}, { waiting }).status.containerStatuses?.[0]?.state).toEqual({ waiting: waiting.main });
    expect(plan({}, { inits: ["i"] }).status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: "PodInitializing" },
    });
  });

  test.each([
    ["Running", { main: [running] }, "True", undefined],
    ["Succeeded", { main: [exited(0)] }, "False", "PodCompleted"],
    ["Failed", { main: [exited(1)] }, "False", "PodFailed"],
    ["Pending", {}, "False", "ContainersNotReady"],
  ])("that is %s has a Ready condition that says so", (_, states, status, reason) => {
    const ready = plan(states).status.conditions?.find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status, observedGeneration: 1, ...(reason ? { reason } : {}) });
  });

  test("tells an end that nobody saw from one that was seen", () => {
    const lost: ContainerState = { ...exited(137), how: "lost" } as ContainerState;
    const reason = (state: ContainerState) =>
      plan({ main: [state] }).status.containerStatuses?.[0]?.state?.terminated?.reason;
    expect(reason(lost)).toBe("ContainerStatusUnknown");
    expect(reason(exited(137))).toBe("Error");
    expect(reason({ ...exited(128), how: "notStarted" } as ContainerState)).toBe("StartError");
    expect(reason(exited(0))).toBe("Completed");
  });
});

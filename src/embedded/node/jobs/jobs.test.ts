import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Events, type Job, Jobs, Pods } from "../../../kube/builtin.ts";
import { HOST_IMAGE, Machine } from "../testing/machine.ts";

const namespace = "default";
const named = (name: string) => ({ namespace, name });
const finished = ({ status }: Job) =>
  status?.conditions?.some(({ type }) => type === "Complete" || type === "Failed");
const conditions = ({ status }: Job) =>
  status?.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);

describe.runIf(process.getuid?.() === 0)("a Job on this machine, as root", { timeout: 120_000 }, () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = new Machine();
    await machine.start();
  });

  afterAll(() => machine.close());

  const create = (name: string, text: string, spec: Partial<JobSpec> = {}) =>
    machine.client.create(Jobs, {
      metadata: named(name),
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image: HOST_IMAGE, command: ["sh", "-c", text] }],
          },
        },
        ...spec,
      },
    });
  const podsOf = async (name: string) =>
    (await machine.client.list(Pods, { namespace, labelSelector: `job-name=${name}` })).items;
  const run = async (...args: Parameters<typeof create>) => {
    const { metadata } = await create(...args);
    return machine.until(Jobs, metadata, finished);
  };

  test("runs its pod to the end and is complete", async () => {
    const job = await run("good", "true");
    expect(job.status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(job.status).toMatchObject({ startTime: expect.any(String), completionTime: expect.any(String) });
    expect(conditions(job)).toEqual([
      "SuccessCriteriaMet=True CompletionsReached",
      "Complete=True CompletionsReached",
    ]);
    const [pod] = await podsOf("good");
    expect(pod?.metadata.finalizers).toBeUndefined();
    expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "good", controller: true }]);
  });

  test("without retries fails with its first pod", async () => {
    const job = await run("bad", "exit 3", { backoffLimit: 0 });
    expect(job.status).toMatchObject({ failed: 1 });
    expect(conditions(job)).toEqual([
      "FailureTarget=True BackoffLimitExceeded",
      "Failed=True BackoffLimitExceeded",
    ]);
    expect(await podsOf("bad")).toHaveLength(1);
  });

  test("has no pod while it is suspended, and one when it is resumed", async () => {
    await create("patient", "true", { suspend: true });
    const suspended = await machine.until(Jobs, named("patient"), ({ status }) => status?.conditions);
    expect(conditions(suspended)).toEqual(["Suspended=True JobSuspended"]);
    expect(suspended.status?.startTime).toBeUndefined();
    expect(await podsOf("patient")).toEqual([]);
    await machine.client.patch(Jobs, named("patient"), {
      type: "merge",
      patch: { spec: { suspend: false } },
    });
    const job = await machine.until(Jobs, named("patient"), finished);
    expect(conditions(job)).toEqual([
      "Suspended=False JobResumed",
      "SuccessCriteriaMet=True CompletionsReached",
      "Complete=True CompletionsReached",
    ]);
  });

  test("loses its pod when it is suspended", async () => {
    await create("paused", "exec sleep 100");
    await machine.until(Jobs, named("paused"), ({ status }) => status?.ready === 1);
    await machine.client.patch(Jobs, named("paused"), { type: "merge", patch: { spec: { suspend: true } } });
    await machine.until(Jobs, named("paused"), ({ status }) => !status?.active && !status?.terminating);
    await expect.poll(() => podsOf("paused"), { timeout: 60_000 }).toEqual([]);
  });

  test("past its deadline ends its pod and has failed", async () => {
    const job = await run("late", "exec sleep 100", { activeDeadlineSeconds: 1 });
    expect(conditions(job)).toEqual(["FailureTarget=True DeadlineExceeded", "Failed=True DeadlineExceeded"]);
    expect(job.status).toMatchObject({ failed: 1 });
    await expect.poll(() => podsOf("late"), { timeout: 60_000 }).toEqual([]);
  });

  test("counts a deleted pod only when it has ended, if only failed ones are replaced", async () => {
    const text = "trap 'sleep 2; exit 1' TERM; echo ready; while :; do sleep 0.05; done";
    await create("strict", text, { backoffLimit: 0, podReplacementPolicy: "Failed" });
    await machine.until(Jobs, named("strict"), ({ status }) => status?.ready === 1);
    const [pod] = await podsOf("strict");
    const name = pod?.metadata ?? named("");
    await expect.poll(() => machine.logs(name), { timeout: 60_000 }).toBe("ready\n");
    await machine.client.delete(Pods, name, { gracePeriodSeconds: 20 });
    const waiting = await machine.until(Jobs, named("strict"), ({ status }) => status?.terminating === 1);
    expect(waiting.status?.failed).toBeUndefined();
    const job = await machine.until(Jobs, named("strict"), finished);
    expect(job.status).toMatchObject({ failed: 1 });
  });

  test("runs as many pods as it needs, no more than its parallelism at once", async () => {
    const job = await run("many", "true", { completions: 3, parallelism: 2 });
    expect(job.status?.succeeded).toBe(3);
    expect(await podsOf("many")).toHaveLength(3);
  });

  test("goes by itself, with its pods, some time after its end", async () => {
    await create("brief", "true", { ttlSecondsAfterFinished: 0 });
    await machine.untilGone(Jobs, named("brief"));
    await expect.poll(() => podsOf("brief"), { timeout: 60_000 }).toEqual([]);
  });

  test("that is deleted takes its running pod along", async () => {
    await create("gone", "exec sleep 100");
    await machine.until(Jobs, named("gone"), ({ status }) => status?.ready === 1);
    await machine.client.delete(Jobs, named("gone"), { propagation: "Background" });
    await machine.untilGone(Jobs, named("gone"));
    await expect.poll(() => podsOf("gone"), { timeout: 60_000 }).toEqual([]);
  });

  test("tells what it does in events", async () => {
    const { items } = await machine.client.list(Events, { namespace });
    const reasons = items
      .filter(({ involvedObject }) => involvedObject.kind === "Job")
      .map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(
      new Set([
        "SuccessfulCreate",
        "SuccessfulDelete",
        "Completed",
        "Suspended",
        "Resumed",
        "BackoffLimitExceeded",
        "DeadlineExceeded",
      ]),
    );
  });
});

import fc from "fast-check";
import type { JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../../kube/builtin.ts";
import { isFinished, planJob, TRACKING } from "./job_plan.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString().replace(".000Z", "Z");

const jobOf = (spec: Partial<JobSpec>, status: JobStatus = {}): Job =>
  ({
    metadata: { name: "job", uid: "job" },
    spec: { template: {}, completions: 1, parallelism: 1, ...spec },
    status,
  }) as unknown as Job;
const podOf = (
  uid: string,
  phase: string,
  more: { held?: boolean; deleted?: boolean; end?: number } = {},
): Pod =>
  ({
    metadata: {
      name: uid,
      uid,
      ...(more.held === false ? {} : { finalizers: [TRACKING] }),
      ...(more.deleted ? { deletionTimestamp: at(0) } : {}),
    },
    status: { phase, containerStatuses: [{ state: { terminated: { finishedAt: at(more.end ?? -1000) } } }] },
  }) as unknown as Pod;

describe("a Job", () => {
  test("begins with a pod and a start time", () => {
    const plan = planJob({ job: jobOf({}), pods: [], now: NOW });
    expect(plan).toMatchObject({ create: 1, status: { startTime: at(0), ready: 0, terminating: 0 } });
  });

  test("notes the end of a pod before it lets the pod go", () => {
    const pods = [podOf("a", "Succeeded")];
    const plan = planJob({ job: jobOf({}, { startTime: at(-9), active: 1 }), pods, now: NOW });
    expect(plan.status.uncountedTerminatedPods).toEqual({ succeeded: ["a"] });
    expect(plan.status).not.toHaveProperty("succeeded");
    expect(plan.status).not.toHaveProperty("active");
    expect(plan.release).toEqual(pods);
    expect(plan.create).toBe(0);
  });

  test("counts a noted pod when it is no longer held", () => {
    const status = { startTime: at(-9), uncountedTerminatedPods: { succeeded: ["a"] } };
    const plan = planJob({
      job: jobOf({}, status),
      pods: [podOf("a", "Succeeded", { held: false })],
      now: NOW,
    });
    expect(plan.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {}, completionTime: at(0) });
  });

  test.each([
    ["at once after the first failure's delay", 1, -10, 1, undefined],
    ["not before it", 1, -9, 0, 1],
    ["after twice the time when two have failed", 2, -19, 0, 1],
    ["and then", 2, -20, 1, undefined],
  ])("replaces a failed pod %s", (_, failed, end, create, wakeIn) => {
    const status = { startTime: at(-99), failed };
    const pods = [podOf("a", "Failed", { held: false, end })];
    const plan = planJob({ job: jobOf({ backoffLimit: 5 }, status), pods, now: NOW });
    expect(plan.create).toBe(create);
    expect(plan.wakeAt).toBe(wakeIn === undefined ? undefined : NOW + wakeIn * 1000);
  });

  test.each([
    ["TerminatingOrFailed", ["a"]],
    ["Failed", undefined],
  ])("with %s counts a pod that is being deleted: %j", (podReplacementPolicy, failed) => {
    const pods = [podOf("a", "Running", { deleted: true })];
    const plan = planJob({ job: jobOf({ podReplacementPolicy }, { startTime: at(-9) }), pods, now: NOW });
    expect(plan.status.uncountedTerminatedPods?.failed).toEqual(failed);
    expect(plan.create).toBe(0);
  });

  test("past its deadline removes its pod, and fails only when the pod is gone", () => {
    const job = jobOf({ activeDeadlineSeconds: 5 }, { startTime: at(-5), active: 1 });
    const plan = planJob({ job, pods: [podOf("a", "Running")], now: NOW });
    expect(plan.remove).toHaveLength(1);
    expect(plan.status.conditions?.map(({ type }) => type)).toEqual(["FailureTarget"]);
    expect(plan.status).toMatchObject({ terminating: 1 });
    const later = planJob({ job: jobOf({}, plan.status), pods: [], now: NOW });
    expect(later.status.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "FailureTarget DeadlineExceeded",
      "Failed DeadlineExceeded",
    ]);
  });

  test("before its deadline wakes for it", () => {
    const job = jobOf({ activeDeadlineSeconds: 5 }, { startTime: at(-3), active: 1 });
    expect(planJob({ job, pods: [podOf("a", "Running")], now: NOW }).wakeAt).toBe(NOW + 2000);
  });

  test("that is finished goes when its time has come", () => {
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: at(-10) }];
    const plan = (ttlSecondsAfterFinished: number) =>
      planJob({ job: jobOf({ ttlSecondsAfterFinished }, { conditions }), pods: [], now: NOW });
    expect(plan(10)).toMatchObject({ expired: true });
    expect(plan(11)).toMatchObject({ expired: false, wakeAt: NOW + 1000 });
  });

  test("counts every pod once and keeps its limits, wherever it is interrupted", () => {
    const spec = fc.record({
      completions: fc.integer({ min: 1, max: 4 }),
      parallelism: fc.integer({ min: 1, max: 3 }),
      backoffLimit: fc.integer({ min: 0, max: 3 }),
      podReplacementPolicy: fc.constantFrom("Failed", "TerminatingOrFailed"),
    });
    const steps = fc.array(
      fc.record({ cut: fc.nat(4), pod: fc.nat(3), ends: fc.constantFrom("Succeeded", "Failed", "deleted") }),
      {
        minLength: 120,
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(spec, steps, (limits, script) => {
        const world = new World(limits);
        for (const { cut, pod, ends } of script) {
          world.reconcile(cut);
          expect(world.active).toBeLessThanOrEqual(limits.parallelism);
          world.end(pod, ends);
        }
        for (let i = 0; i < 20; i++) world.reconcile(4);
        expect(isFinished(world.job)).toBe(true);
        const { succeeded = 0, failed = 0, uncountedTerminatedPods } = world.job.status ?? {};
        expect(uncountedTerminatedPods).toEqual({});
        expect({ succeeded, failed }).toEqual(world.ended);
        expect(succeeded).toBeLessThanOrEqual(limits.completions);
        if (succeeded < limits.completions) expect(failed).toBeGreaterThan(limits.backoffLimit);
        expect(world.held).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

/** A Job with its pods, and a controller that may be cut off between any two of its steps. */
class World {
  job: Job;
  readonly ended = { succeeded: 0, failed: 0 };
  #pods: Pod[] = [];
  #made = 0;
  #now = NOW;

  constructor(spec: Partial<JobSpec>) {
    this.job = jobOf(spec);
  }

  get active(): number {
    return this.#pods.filter(
      ({ metadata, status }) => isRunning(status?.phase) && !metadata.deletionTimestamp,
    ).length;
  }

  get held(): number {
    return this.#pods.filter(({ metadata }) => metadata.finalizers).length;
  }

  /** Carries out the first `steps` of: create, write the status, remove pods, release pods. */
  reconcile(steps: number): void {
    this.#now += 3_600_000;
    const plan = planJob({ job: this.job, pods: this.#pods, now: this.#now });
    if (steps > 0)
      for (let i = 0; i < plan.create; i++) this.#pods.push(podOf(`pod-${this.#made++}`, "Running"));
    if (steps > 1) this.job = { ...this.job, status: plan.status };
    if (steps > 2) for (const pod of plan.remove) this.#delete(pod);
    if (steps > 3) {
      for (const pod of plan.release)
        this.#replace(pod, podOf(pod.metadata.uid, pod.status?.phase ?? "", { held: false }));
    }
  }

  /** Something happens to one of the pods that run. */
  end(index: number, how: string): void {
    const running = this.#pods.filter(({ status }) => isRunning(status?.phase));
    const pod = running[index % Math.max(1, running.length)];
    if (!pod) return;
    if (how === "deleted") this.#delete(pod);
    else this.#finish(pod, pod.metadata.deletionTimestamp ? "Failed" : how);
  }

  #delete(pod: Pod): void {
    const { uid } = pod.metadata;
    this.#replace(pod, podOf(uid, pod.status?.phase ?? "", { deleted: true }));
    const now = this.#pods.find(({ metadata }) => metadata.uid === uid);
    if (now && isRunning(now.status?.phase)) this.#finish(now, "Failed");
  }

  #finish(pod: Pod, phase: string): void {
    this.ended[phase === "Succeeded" ? "succeeded" : "failed"] += 1;
    this.#replace(pod, podOf(pod.metadata.uid, phase));
  }

  #replace(pod: Pod, next: Pod): void {
    this.#pods = this.#pods.map((other) => (other.metadata.uid === pod.metadata.uid ? next : other));
  }
}

function isRunning(phase: string | undefined): boolean {
  return phase === "Running";
}

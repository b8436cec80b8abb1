import { expect } from "vitest";
import { Events, Jobs, Pods } from "../../src/kube/builtin.ts";
import type { Body } from "./world/api.ts";
import { eventually } from "./world/api.ts";
import { condition, names, refused, taken } from "./world/expectations.ts";
import { containerOf, script } from "./world/running_pods.ts";
import type { Theme, World } from "./world/world.ts";

async function create(world: World, name: string, text: string, more: object = {}): Promise<Body> {
  const template = { spec: script(world, text) };
  return taken(
    await world.of(Jobs).create({ metadata: { name }, spec: { backoffLimit: 0, template, ...more } }),
    201,
  );
}

const podsOf = async (world: World, job: string): Promise<readonly Body[]> =>
  taken(await world.of(Pods).list({ labelSelector: `batch.kubernetes.io/job-name=${job}` })).items;

const finish = (world: World, name: string, type: "Complete" | "Failed") =>
  world.of(Jobs).until(name, (o) => condition(o, type)?.status === "True");

const podsGone = (world: World, job: string) =>
  eventually(`the pods of ${job} are gone`, async () => {
    const value = (await podsOf(world, job)).length;
    return { done: value === 0, value };
  });

export const jobs: Theme = {
  name: "jobs",
  needsNode: true,
  cases: {
    "a job has its defaults, a selector and the labels of its pods": async (world) => {
      const template = { spec: script(world, "true") };
      const made = taken(
        await world
          .of(Jobs)
          .create({ metadata: { name: "defaults" }, spec: { template } }, { dryRun: "All" }),
        201,
      );
      const { uid } = made.metadata;
      expect(made.metadata.generation).toBe(1);
      expect(made.spec).toMatchObject({
        backoffLimit: 6,
        completions: 1,
        parallelism: 1,
        completionMode: "NonIndexed",
        podReplacementPolicy: "TerminatingOrFailed",
        manualSelector: false,
        suspend: false,
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
        template: {
          metadata: {
            labels: {
              "batch.kubernetes.io/controller-uid": uid,
              "batch.kubernetes.io/job-name": "defaults",
              "controller-uid": uid,
              "job-name": "defaults",
            },
          },
        },
      });
      expect(made.status).toEqual({});
    },

    "a job that does its work is complete": async (world) => {
      await create(world, "works", "echo done");
      const job = await finish(world, "works", "Complete");
      expect(job.status).toMatchObject({
        succeeded: 1,
        ready: 0,
        uncountedTerminatedPods: {},
        startTime: expect.stringMatching(/Z$/),
        completionTime: expect.stringMatching(/Z$/),
      });
      expect(job.status).not.toHaveProperty("failed");
      expect(condition(job, "SuccessCriteriaMet")).toMatchObject({
        status: "True",
        reason: "CompletionsReached",
        message: "Reached expected number of succeeded pods",
      });
      expect(condition(job, "Complete")).toMatchObject({
        status: "True",
        reason: "CompletionsReached",
        message: "Reached expected number of succeeded pods",
      });
    },

    "the pod of a job belongs to it": async (world) => {
      const job = await create(world, "owner", "true");
      await finish(world, "owner", "Complete");
      const [pod, ...others] = await podsOf(world, "owner");
      expect(others).toEqual([]);
      expect(pod?.metadata.name).toMatch(/^owner-[a-z0-9]{5}$/);
      expect(pod?.metadata).toMatchObject({
        generateName: "owner-",
        labels: { "job-name": "owner", "controller-uid": job.metadata.uid },
        ownerReferences: [
          {
            apiVersion: "batch/v1",
            kind: "Job",
            name: "owner",
            uid: job.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      expect(pod?.metadata).not.toHaveProperty("finalizers");
      expect(pod?.status.phase).toBe("Succeeded");
    },

    "a job that may not retry has failed at once": async (world) => {
      await create(world, "fails", "printf why > /dev/termination-log; exit 7");
      const job = await finish(world, "fails", "Failed");
      expect(job.status).toMatchObject({ failed: 1, ready: 0 });
      expect(job.status).not.toHaveProperty("completionTime");
      expect(condition(job, "FailureTarget")).toMatchObject({
        status: "True",
        reason: "BackoffLimitExceeded",
      });
      expect(condition(job, "Failed")).toMatchObject({
        status: "True",
        reason: "BackoffLimitExceeded",
        message: "Job has reached the specified backoff limit",
      });
      const [pod] = await podsOf(world, "fails");
      if (!pod) throw new Error("the pod is kept");
      expect(containerOf(pod)?.state.terminated).toMatchObject({ exitCode: 7, message: "why" });
    },

    "a suspended job has no pods until it is resumed": async (world) => {
      await create(world, "suspended", "true", { suspend: true });
      const waiting = await world.of(Jobs).until("suspended", (o) => condition(o, "Suspended") !== undefined);
      expect(condition(waiting, "Suspended")).toMatchObject({
        status: "True",
        reason: "JobSuspended",
        message: "Job suspended",
      });
      expect(waiting.status).not.toHaveProperty("startTime");
      expect(await podsOf(world, "suspended")).toEqual([]);
      taken(await world.of(Jobs).patch("suspended", "merge", { spec: { suspend: false } }), 200);
      const done = await finish(world, "suspended", "Complete");
      expect(condition(done, "Suspended")).toMatchObject({
        status: "False",
        reason: "JobResumed",
        message: "Job resumed",
      });
    },

    "a job that is suspended loses its pods": async (world) => {
      await create(world, "paused", "sleep 600");
      await world.of(Jobs).until("paused", ({ status }) => status.active === 1);
      taken(await world.of(Jobs).patch("paused", "merge", { spec: { suspend: true } }), 200);
      await podsGone(world, "paused");
      const job = await world.of(Jobs).until("paused", (o) => condition(o, "Suspended")?.status === "True");
      expect(job.status).not.toHaveProperty("failed");
      taken(await world.of(Jobs).delete("paused", { propagationPolicy: "Background" }));
    },

    "a job that takes too long has failed": async (world) => {
      await create(world, "slow", "sleep 600", { activeDeadlineSeconds: 1 });
      const job = await finish(world, "slow", "Failed");
      expect(condition(job, "Failed")).toMatchObject({
        reason: "DeadlineExceeded",
        message: "Job was active longer than specified deadline",
      });
      expect(job.status).not.toHaveProperty("active");
    },

    "a finished job goes after its time": async (world) => {
      await create(world, "ttl", "true", { ttlSecondsAfterFinished: 0 });
      await world.of(Jobs).untilGone("ttl");
      await podsGone(world, "ttl");
    },

    "a deleted job takes its pods along": async (world) => {
      await create(world, "deleted", "sleep 600");
      await world.of(Jobs).until("deleted", ({ status }) => status.active === 1);
      taken(await world.of(Jobs).delete("deleted", { propagationPolicy: "Background" }), 200);
      await world.of(Jobs).untilGone("deleted");
      await podsGone(world, "deleted");
    },

    "a job that is deleted without a policy leaves its pods, with a warning": async (world) => {
      await create(world, "orphaning", "true");
      await finish(world, "orphaning", "Complete");
      const answer = await world.of(Jobs).delete("orphaning");
      taken(answer, 200);
      expect(answer.headers.warning).toBe(
        '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
      );
      await world.of(Jobs).untilGone("orphaning");
      const [pod] = await podsOf(world, "orphaning");
      expect(pod?.metadata).not.toHaveProperty("ownerReferences");
      taken(await world.of(Pods).delete(pod?.metadata.name ?? ""));
    },

    "a job that is deleted in the foreground waits for its pods": async (world) => {
      await create(world, "foreground", "sleep 600");
      await world.of(Jobs).until("foreground", ({ status }) => status.active === 1);
      const deleted = taken(
        await world.of(Jobs).delete("foreground", { propagationPolicy: "Foreground" }),
        200,
      );
      expect(deleted.metadata.finalizers).toEqual(["foregroundDeletion"]);
      await world.of(Jobs).untilGone("foreground");
      expect(await podsOf(world, "foreground")).toEqual([]);
    },

    "several pods work side by side": async (world) => {
      await create(world, "several", "true", { completions: 2, parallelism: 2 });
      const job = await finish(world, "several", "Complete");
      expect(job.status.succeeded).toBe(2);
      expect(await podsOf(world, "several")).toHaveLength(2);
    },

    "the template does not change": async (world) => {
      await create(world, "fixed", "true", { suspend: true });
      refused(
        await world
          .of(Jobs)
          .patch("fixed", "merge", { spec: { template: { spec: { terminationGracePeriodSeconds: 7 } } } }),
        422,
        "Invalid",
        /^Job\.batch "fixed" is invalid: spec\.template\.spec: Invalid value: .*: field is immutable$/s,
      );
    },

    "a pod that is deleted counts as a failure": async (world) => {
      await create(world, "robbed", "sleep 600", { podReplacementPolicy: "Failed" });
      await world.of(Jobs).until("robbed", ({ status }) => status.ready === 1);
      const [pod] = await podsOf(world, "robbed");
      taken(await world.of(Pods).delete(pod?.metadata.name ?? ""), 200);
      const job = await finish(world, "robbed", "Failed");
      expect(job.status.failed).toBe(1);
      expect(condition(job, "Failed")?.reason).toBe("BackoffLimitExceeded");
    },

    "events tell of the pod and the end": async (world) => {
      await create(world, "told", "true");
      await finish(world, "told", "Complete");
      const fieldSelector = "involvedObject.kind=Job,involvedObject.name=told";
      const events = await eventually("both events are there", async () => {
        const { items } = taken(await world.of(Events).list({ fieldSelector }));
        return { done: items.length >= 2, value: items };
      });
      expect(events.map(({ reason, type }) => [type, reason]).sort()).toEqual([
        ["Normal", "Completed"],
        ["Normal", "SuccessfulCreate"],
      ]);
    },

    "a job whose pods cannot be created says so in an event": async (world) => {
      const template = { spec: { ...script(world, "true"), serviceAccountName: "nobody" } };
      taken(await world.of(Jobs).create({ metadata: { name: "stuck" }, spec: { template } }), 201);
      const fieldSelector = "involvedObject.kind=Job,involvedObject.name=stuck,reason=FailedCreate";
      const [event] = await eventually("the event is there", async () => {
        const { items } = taken(await world.of(Events).list({ fieldSelector }));
        return { done: items.length > 0, value: items };
      });
      expect(event).toMatchObject({ type: "Warning" });
      expect(event?.message).toMatch(
        /^Error creating: pods "stuck-" is forbidden: error looking up service account .*\/nobody: serviceaccount "nobody" not found$/,
      );
      taken(await world.of(Jobs).delete("stuck", { propagationPolicy: "Background" }));
      expect(names(await world.of(Pods).list({ labelSelector: "job-name=stuck" }))).toEqual([]);
    },
  },
};

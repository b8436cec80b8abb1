import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Job } from "../../kube/builtin.ts";
import { Failure } from "../../kube/failure.ts";
import type { KubeObject } from "../../kube/object.ts";
import { resourceName } from "../../kube/resource.ts";
import { type RecordedCall, RecordingClient } from "../../kube/testing/recording_client.ts";
import type { RunRequest } from "./run_request.ts";
import { Runs } from "./runs.ts";
import { JOB_UID, runningPod, sampleJob, sampleOwner, sampleRequest } from "./testing/samples.ts";

const refusal = (code: number, reason: string, message = reason, causes: object[] = []) =>
  new ApiError({ request: "POST", code, status: { code, reason, message, details: { causes } } });
const suspendedJob = (changes: Partial<Job> = {}): Job =>
  sampleJob(sampleRequest, { spec: { suspend: true, template: {} }, ...changes });
const lentRequest: RunRequest = {
  ...sampleRequest,
  secrets: { password: { lent: { namespace: "platform", name: "creds" }, key: "p" } },
};
const owned = (kind: string, uid = JOB_UID): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: {
    ...sampleJob().metadata,
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: sampleRequest.id, uid }],
  },
});

/** Answers by verb and kind; a Job that is created is suspended, what is made for it belongs to it. */
function server(answers: Readonly<Record<string, (call: RecordedCall) => unknown>> = {}) {
  const client = new RecordingClient((call) => {
    const answer = answers[`${call.verb} ${resourceName(call.resource)}`];
    if (answer) return answer(call);
    if (call.verb === "get") throw refusal(404, "NotFound");
    return call.resource.kind === "Job" ? suspendedJob() : owned(call.resource.kind);
  });
  const said = () => client.calls.map(({ verb, resource }) => `${verb} ${resourceName(resource)}`);
  return { client, said };
}
const exists = () => {
  throw refusal(409, "AlreadyExists");
};

describe("ensure()", () => {
  test("makes the Job first, then what belongs to it, and lets it go last", async () => {
    const { client, said } = server();
    await new Runs({ client }).ensure(sampleRequest, { resume: { uid: JOB_UID } });
    expect(said()).toEqual(["create jobs.batch", "create configmaps", "patch jobs.batch"]);
    expect(client.calls[2]?.body).toEqual({
      type: "merge",
      patch: { metadata: { uid: JOB_UID }, spec: { suspend: false } },
    });
  });

  test("has the account of the namespace's movers made first, for its Job", async () => {
    const { client } = server();
    const made: string[] = [];
    const accounts = {
      in: async (namespace: string) => `${made.push(namespace) && client.calls.length}-made`,
      again: async (namespace: string) => `${namespace}-again`,
    };
    await new Runs({ client, accounts }).ensure(sampleRequest);
    expect(made).toEqual([sampleRequest.namespace]);
    expect(client.calls[0]?.body).toMatchObject({
      spec: { template: { spec: { serviceAccountName: "0-made", automountServiceAccountToken: false } } },
    });
  });

  test("lets nothing go without being told, or another Job than the one that is meant", async () => {
    const { client, said } = server();
    await new Runs({ client }).ensure(sampleRequest);
    await new Runs({ client }).ensure(sampleRequest, { resume: { uid: "another" } });
    expect(said()).not.toContain("patch jobs.batch");
  });

  test("goes on from what is there", async () => {
    const { client, said } = server({
      "create jobs.batch": exists,
      "get jobs.batch": () => suspendedJob(),
      "create configmaps": exists,
      "get configmaps": () => owned("ConfigMap"),
    });
    await new Runs({ client }).ensure(sampleRequest, { resume: { uid: JOB_UID } });
    expect(said().at(-1)).toBe("patch jobs.batch");
  });

  test.each([
    ["was let go", sampleJob()],
    [
      "is going",
      suspendedJob({ metadata: { ...sampleJob().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ],
    [
      "was cancelled",
      suspendedJob({
        metadata: { ...sampleJob().metadata, annotations: { "holdfast.dev/cancelled": "true" } },
      }),
    ],
  ])("leaves a Job alone that %s", async (_, job) => {
    const { client, said } = server({ "create jobs.batch": exists, "get jobs.batch": () => job });
    await new Runs({ client }).ensure(sampleRequest, { resume: { uid: JOB_UID } });
    expect(said()).toEqual(["create jobs.batch", "get jobs.batch"]);
  });

  test("tries again when the name is free again", async () => {
    let tries = 0;
    const { client, said } = server({
      "create jobs.batch": () => (tries++ === 0 ? exists() : suspendedJob()),
    });
    await new Runs({ client }).ensure(sampleRequest);
    expect(said()).toEqual(["create jobs.batch", "get jobs.batch", "create jobs.batch", "create configmaps"]);
  });

  test.each([
    ["another owner", { ownerReferences: [{ ...sampleOwner, uid: "somebody" }] }],
    ["no owner", { ownerReferences: [] }],
    ["another run", { labels: {} }],
  ])("refuses a Job of %s, and touches nothing", async (_, metadata) => {
    const theirs = suspendedJob({ metadata: { ...sampleJob().metadata, ...metadata } });
    const { client, said } = server({ "create jobs.batch": exists, "get jobs.batch": () => theirs });
    const failed = new Runs({ client }).ensure(sampleRequest, { resume: { uid: JOB_UID } });
    await expect(failed).rejects.toMatchObject({
      class: "structural",
      reason: "ForeignObject",
      message:
        `Job shop/${sampleRequest.id} is there already and does not belong to Keeper nightly, so it is left alone ` +
        "and the work cannot begin. Delete or rename it.",
    });
    expect(said()).toEqual(["create jobs.batch", "get jobs.batch"]);
  });

  test("refuses a ConfigMap of somebody else, and waits for one of a former Job", async () => {
    const theirs = { ...owned("ConfigMap"), metadata: { ...sampleJob().metadata, ownerReferences: [] } };
    const answers = (object: KubeObject) => ({ "create configmaps": exists, "get configmaps": () => object });
    const ensure = (object: KubeObject) => new Runs(server(answers(object))).ensure(sampleRequest);
    await expect(ensure(theirs)).rejects.toMatchObject({ class: "structural", reason: "ForeignObject" });
    await expect(ensure(owned("ConfigMap", "former"))).rejects.toMatchObject({
      class: "transient",
      reason: "LeftoverOfJob",
    });
  });
});

describe("a Job that is refused", () => {
  const ensure = async (error: ApiError) => {
    const { client } = server({
      "create jobs.batch": () => {
        throw error;
      },
    });
    return new Runs({ client }).ensure(sampleRequest).catch((failure: unknown) => failure);
  };

  test("in a namespace that goes away is refused for good", async () => {
    const causes = [{ reason: "NamespaceTerminating", field: "metadata.namespace" }];
    const said =
      'jobs "x" is forbidden: unable to create new content in namespace shop because it is being terminated';
    const failure = await ensure(refusal(403, "Forbidden", said, causes));
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ class: "terminal", reason: "NamespaceTerminating" });
    expect(failure).toHaveProperty("message", expect.stringContaining("nothing new begins in it"));
  });

  test.each([
    ["jobs is forbidden: User cannot create resource", "Forbidden", "Grant the operator this right."],
    ['jobs "x" is forbidden: exceeded quota: small', "QuotaExceeded", "Raise the namespace's quota"],
    ['admission webhook "a.b" denied the request: no', "WebhookDenied", "Meet the webhook's rule"],
  ])("because %s", async (said, reason, remedy) => {
    const failure = await ensure(refusal(403, "Forbidden", said));
    expect(failure).toMatchObject({ class: "structural", reason });
    expect(failure).toHaveProperty("message", expect.stringContaining(remedy));
    expect(failure).toHaveProperty("message", expect.stringContaining(said));
  });

  test("because it is not valid", async () => {
    const failure = await ensure(refusal(422, "Invalid", "spec.template: bad"));
    expect(failure).toMatchObject({ class: "structural", reason: "Invalid" });
  });

  test("because the server is not well, is tried again as usual", async () => {
    const error = refusal(500, "InternalError");
    expect(await ensure(error)).toBe(error);
  });
});

describe("what is lent", () => {
  const lend = async () => ({ password: "secret" });

  test("is asked for when it is needed, and made before the Job is let go", async () => {
    const { client, said } = server();
    await new Runs({ client, lend }).ensure(lentRequest, { resume: { uid: JOB_UID } });
    expect(said()).toEqual([
      "create jobs.batch",
      "create configmaps",
      "get secrets",
      "create secrets",
      "patch jobs.batch",
    ]);
  });

  test("is not asked for twice", async () => {
    const { client, said } = server({ "get secrets": () => owned("Secret") });
    const never = () => Promise.reject(new Error("asked"));
    await new Runs({ client, lend: never }).ensure(lentRequest, { resume: { uid: JOB_UID } });
    expect(said()).not.toContain("create secrets");
  });

  test("is refused where nothing is lent", async () => {
    const { client } = server();
    await expect(new Runs({ client }).ensure(lentRequest)).rejects.toMatchObject({
      class: "structural",
      reason: "LendingOff",
    });
  });
});

describe("the end of a run", () => {
  test("by cancelling suspends the Job, and says who did it", async () => {
    const { client } = server();
    await new Runs({ client }).cancel(sampleJob());
    expect(client.calls[0]?.body).toEqual({
      type: "merge",
      patch: {
        metadata: { uid: JOB_UID, annotations: { "holdfast.dev/cancelled": "true" } },
        spec: { suspend: true },
      },
    });
  });

  test("by removing takes this Job, with all that it owns", async () => {
    const { client } = server();
    await new Runs({ client }).remove(sampleJob());
    expect(client.calls[0]).toMatchObject({
      verb: "delete",
      options: { uid: JOB_UID, propagation: "Background" },
    });
  });

  test("by reaping takes the Job, then the pod without its node's word", async () => {
    const { client, said } = server();
    await new Runs({ client }).reap(sampleJob(), runningPod());
    expect(said()).toEqual(["delete jobs.batch", "delete pods"]);
    expect(client.calls[1]).toMatchObject({ options: { uid: "pod-1", gracePeriodSeconds: 0 } });
  });

  test("of a Job that is gone already is no failure", async () => {
    const gone = () => {
      throw refusal(404, "NotFound");
    };
    const runs = new Runs(server({ "patch jobs.batch": gone }));
    await expect(runs.cancel(sampleJob())).resolves.toBeUndefined();
  });
});

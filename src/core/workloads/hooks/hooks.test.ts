import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { ExecResult, PodClient } from "../../../kube/client/pod_client.ts";
import type { Client } from "../../../kube/client.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import type { Resource } from "../../../kube/resource.ts";
import { type RecordedCall, RecordingClient } from "../../../kube/testing/recording_client.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { Hook, HookSeries } from "./hook.ts";
import { Hooks } from "./hooks.ts";

const OWNERS: Resource = {
  group: "tests.dev",
  version: "v1",
  kind: "Owner",
  plural: "owners",
  namespaced: true,
};
const owner = { apiVersion: "tests.dev/v1", kind: "Owner", name: "first", uid: "uid-first" };
const hook = (action: Hook["action"]): Hook => ({
  name: "h",
  timeout: 60_000,
  continueOnFailure: false,
  action,
});
const command = hook({ exec: { selector: {}, pods: "Any", command: ["sync"], repeatable: false } });
const jobSpec: JobSpec = {
  ttlSecondsAfterFinished: 1,
  activeDeadlineSeconds: 20,
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "i" }] } },
};
const series = (...hooks: readonly Hook[]): HookSeries => ({
  owner,
  namespace: "billing",
  purpose: "before",
  round: 2,
  hooks,
});
const refusal = (code: number, reason: string) =>
  new ApiError({ request: "POST", code, status: { code, reason, message: `${reason}!` } });

const start = [{ type: "Start", index: 0 }] as const;
const pod = {
  metadata: { name: "db-0", namespace: "billing", creationTimestamp: "2026-05-24T00:00:00Z" },
  spec: { containers: [{ name: "db" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
};

function world(answer: (call: RecordedCall) => unknown = () => ({ items: [pod] }), lending = false) {
  const client = new RecordingClient(answer);
  const commands: PromiseWithResolvers<ExecResult>[] = [];
  const pods: Pick<PodClient, "exec" | "logs"> = {
    exec: () => {
      const running = Promise.withResolvers<ExecResult>();
      commands.push(running);
      return running.promise;
    },
    async *logs() {
      yield Buffer.from("dumping\ndisk full\n");
    },
  };
  const woken: string[] = [];
  const accounts = { in: async (namespace: string) => `${namespace}-movers` };
  const hooks = new Hooks({
    client: client as unknown as Client,
    pods,
    clock: new VirtualClock(),
    accounts,
    lending,
  });
  hooks.wake({ enqueue: (key: string) => woken.push(key) } as unknown as Controller, OWNERS);
  return { client, hooks, commands, woken };
}

const LENT = { namespace: "backups", name: "bucket" };
const settled = () => new Promise((resolve) => process.nextTick(() => setImmediate(resolve)));

describe("a command", () => {
  test("is known as long as it runs, and wakes its owner when it has ended", async () => {
    const { hooks, commands, woken } = world();
    const one = series(command);
    expect(await hooks.see(one, 0)).toEqual({ phase: "Unknown" });
    await hooks.carryOut(one, start);
    await hooks.carryOut(one, start);
    await settled();
    expect(commands).toHaveLength(1);
    expect(await hooks.see(one, 0)).toEqual({ phase: "Running" });
    commands[0]?.resolve({ exitCode: 0, message: "" });
    await settled();
    expect(woken).toEqual(["billing/first"]);
    expect(await hooks.see(one, 0)).toEqual({ phase: "Ended", result: { ok: true } });
    await hooks.carryOut(one, [{ type: "Forget", index: 0, remove: true }]);
    expect(await hooks.see(one, 0)).toEqual({ phase: "Unknown" });
  });

  test("of another round is another one", async () => {
    const { hooks } = world();
    await hooks.carryOut(series(command), start);
    expect(await hooks.see({ ...series(command), round: 3 }, 0)).toEqual({ phase: "Unknown" });
  });

  test("that is cut off by the operator's end has no end that anybody knows", async () => {
    const { hooks, commands, woken } = world();
    const one = series(command);
    const stop = hooks.start();
    await hooks.carryOut(one, start);
    await settled();
    stop();
    commands[0]?.reject(new Error("cut"));
    await settled();
    expect(woken).toEqual([]);
    expect(await hooks.see(one, 0)).toEqual({ phase: "Running" });
  });
});

describe("a Job", () => {
  const one = series(hook({ job: jobSpec }));
  const job = (conditions: readonly object[] = []) => ({
    metadata: { name: "j", namespace: "billing", uid: "uid-job", ownerReferences: [owner] },
    status: { conditions },
  });
  const failedPod = {
    ...pod,
    status: {
      phase: "Failed",
      containerStatuses: [{ name: "main", state: { terminated: { exitCode: 4 } } }],
    },
  };
  const answering =
    (found: unknown, pods: readonly unknown[] = []) =>
    ({ verb }: RecordedCall) => {
      if (verb === "list") return { items: pods };
      if (verb === "get" && found === undefined) throw refusal(404, "NotFound");
      return found;
    };

  test("is made as it is described, within the hook's time, once, and is the owner's", async () => {
    const { client, hooks } = world();
    await hooks.carryOut(one, start);
    const body = client.writes[0]?.body as { metadata: { name: string }; spec: JobSpec };
    expect(body).toMatchObject({
      metadata: { namespace: "billing", ownerReferences: [owner] },
      spec: { backoffLimit: 0, activeDeadlineSeconds: 20, ttlSecondsAfterFinished: 3600, suspend: false },
    });
    expect(body.spec.template).toMatchObject({
      metadata: { labels: { a: "b", "holdfast.dev/run-owner": "uid-first" } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] },
    });
    const again = world();
    await again.hooks.carryOut(one, start);
    expect(again.client.writes[0]?.body).toEqual(body);
    const longer = world();
    const patient = { ...jobSpec, activeDeadlineSeconds: 9999, backoffLimit: 3 };
    await longer.hooks.carryOut(series(hook({ job: patient })), start);
    expect(longer.client.writes[0]?.body).toMatchObject({
      spec: { activeDeadlineSeconds: 90, backoffLimit: 3 },
    });
  });

  test.each([
    ["an hour after its end", {}, 3600],
    ["an hour with what it was lent", { lends: LENT }, 3600],
    ["a week where its end is what somebody waits for", { reports: true }, 604_800],
    ["a week also with what it was lent, or its end would be lost", { reports: true, lends: LENT }, 604_800],
  ] as const)("stays %s", async (_, more, seconds) => {
    const { client, hooks } = world(({ verb }) => (verb === "get" ? { data: {} } : { items: [] }), true);
    await hooks.carryOut(series(hook({ job: jobSpec, ...more })), start);
    const body = client.writes.find(({ verb }) => verb === "create")?.body as { spec: JobSpec };
    expect(body.spec.ttlSecondsAfterFinished).toBe(seconds);
  });

  test("runs under the movers' account where it is ours, and otherwise as it says", async () => {
    const made = async (action: Hook["action"]) => {
      const { client, hooks } = world();
      await hooks.carryOut(series(hook(action)), start);
      const body = client.writes[0]?.body as { spec: JobSpec } | undefined;
      return body?.spec.template.spec?.serviceAccountName;
    };
    expect(await made({ job: jobSpec, ours: true })).toBe("billing-movers");
    expect(await made({ job: jobSpec })).toBeUndefined();
  });

  test("that cannot be made has failed, in the server's words", async () => {
    const { hooks } = world(({ verb }) => {
      throw verb === "create" ? refusal(422, "Invalid") : refusal(404, "NotFound");
    });
    await hooks.carryOut(one, start);
    expect(await hooks.see(one, 0)).toMatchObject({
      phase: "Ended",
      result: { ok: false, message: expect.stringContaining("Invalid!") },
    });
  });

  test("of the same name that is another's is left alone", async () => {
    const foreign = { metadata: { name: "j", namespace: "billing", uid: "x" } };
    const { client, hooks } = world(({ verb }) => {
      if (verb === "create") throw refusal(409, "AlreadyExists");
      return foreign;
    });
    await hooks.carryOut(one, start);
    expect(await hooks.see(one, 0)).toMatchObject({
      result: { ok: false, message: expect.stringContaining("is another's") },
    });
    await hooks.carryOut(one, [{ type: "Forget", index: 0, remove: true }]);
    expect(client.writes.filter(({ verb }) => verb === "delete")).toEqual([]);
  });

  test.each([
    ["is unknown before it is there", answering(undefined), { phase: "Unknown" }],
    ["runs", answering(job()), { phase: "Running", job: "uid-job", note: "It has no pod." }],
    [
      "has ended well",
      answering(job([{ type: "Complete", status: "True" }])),
      { phase: "Ended", job: "uid-job", result: { ok: true } },
    ],
    [
      "has failed, and its pod says why",
      answering(job([{ type: "Failed", status: "True", message: "has reached the limit" }]), [failedPod]),
      {
        phase: "Ended",
        job: "uid-job",
        result: {
          ok: false,
          message:
            "Job billing/j has reached the limit. Pod billing/db-0 ended with exit code 4. Its last words: dumping | disk full",
        },
      },
    ],
  ])("%s", async (_, answer, sight) => {
    expect(await world(answer).hooks.see(one, 0)).toEqual(sight);
  });

  test("hands on what its pod left to be read, where that is asked for", async () => {
    const terminated = { exitCode: 0, message: "left" };
    const ended = { phase: "Succeeded", containerStatuses: [{ name: "main", state: { terminated } }] };
    const answer = answering(job([{ type: "Complete", status: "True" }]), [
      failedPod,
      { ...pod, status: ended },
    ]);
    const reporting = series(hook({ job: jobSpec, reports: true }));
    expect(await world(answer).hooks.see(reporting, 0)).toMatchObject({
      result: { ok: true, report: "left" },
    });
    expect(await world(answer).hooks.see(one, 0)).toMatchObject({ result: { ok: true } });
  });

  describe("that is lent a Secret", () => {
    const lent = series(hook({ job: jobSpec, lends: { namespace: "platform", name: "bucket" } }));
    const suspended = { ...job(), spec: { suspend: true } };
    const secret = { metadata: { name: "bucket" }, data: { key: "aw==" } };
    const answers = ({ verb, resource }: RecordedCall) =>
      resource.kind === "Secret" && verb === "get" ? secret : suspended;

    test("waits for its copy, which belongs to it, and then begins", async () => {
      const { client, hooks } = world(answers, true);
      await hooks.carryOut(lent, start);
      expect(
        client.writes.map(({ verb, resource, body }) => ({ verb, kind: resource.kind, body })),
      ).toMatchObject([
        { verb: "create", kind: "Job", body: { spec: { suspend: true } } },
        {
          verb: "create",
          kind: "Secret",
          body: { metadata: { name: "j", ownerReferences: [{ uid: "uid-job" }] }, data: { key: "aw==" } },
        },
        { verb: "patch", kind: "Job", body: { patch: { spec: { suspend: false } } } },
      ]);
    });

    const beside =
      (copy: object, found: object = suspended) =>
      ({ verb, resource, name }: RecordedCall) => {
        if (resource.kind !== "Secret") return found;
        if (verb === "create") throw refusal(409, "AlreadyExists");
        return name?.name === "bucket" ? secret : { metadata: { name: "j", namespace: "billing", ...copy } };
      };
    const resumed = ({ writes }: RecordingClient) => writes.filter(({ verb }) => verb === "patch").length;

    test("begins with the copy that it has already", async () => {
      const { client, hooks } = world(beside({ ownerReferences: [{ kind: "Job", uid: "uid-job" }] }), true);
      await hooks.carryOut(lent, start);
      expect(resumed(client)).toBe(1);
    });

    test("does not begin with a Secret of its name that is another's", async () => {
      const { client, hooks } = world(beside({}), true);
      await hooks.carryOut(lent, start);
      expect(resumed(client)).toBe(0);
      expect(await hooks.see(lent, 0)).toMatchObject({
        result: {
          ok: false,
          message: "Secret billing/j is there already, and is another's. Delete it.",
        },
      });
    });

    test("waits until the copy of a former Job of its name is gone", async () => {
      const ownerReferences = [{ kind: "Job", name: "j", uid: "former" }];
      const { client, hooks } = world(beside({ ownerReferences }), true);
      await expect(hooks.carryOut(lent, start)).rejects.toMatchObject({ reason: "LeftoverOfJob" });
      expect(resumed(client)).toBe(0);
    });

    test("is neither given a copy nor begun while it is being deleted", async () => {
      const { metadata } = suspended;
      const going = { ...suspended, metadata: { ...metadata, deletionTimestamp: "2026-05-24T00:00:00Z" } };
      const { client, hooks } = world(beside({}, going), true);
      await hooks.carryOut(lent, start);
      expect(client.writes.map(({ verb, resource }) => `${verb} ${resource.kind}`)).toEqual(["create Job"]);
    });

    test("is begun again while it has none, and goes with it though it failed", async () => {
      const { client, hooks } = world(answers, true);
      expect(await hooks.see(lent, 0)).toEqual({ phase: "Unknown" });
      await hooks.carryOut(lent, [{ type: "Forget", index: 0, remove: false }]);
      expect(client.writes.map(({ verb }) => verb)).toEqual(["delete"]);
    });

    test("is not made where nothing may be lent", async () => {
      const { client, hooks } = world(answers);
      await hooks.carryOut(lent, start);
      expect(client.writes).toEqual([]);
      expect(await hooks.see(lent, 0)).toMatchObject({
        result: {
          message: "it needs Secret platform/bucket, and lending Secrets is switched off. Switch it on.",
        },
      });
    });
  });

  test("goes once its good end is recorded", async () => {
    const { client, hooks } = world(answering(job()));
    await hooks.carryOut(one, [{ type: "Forget", index: 0, remove: true }]);
    expect(client.writes).toMatchObject([{ verb: "delete", options: { uid: "uid-job" } }]);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { type Job, Jobs, type Pod, Pods } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { type RecordedCall, RecordingClient } from "../../../kube/testing/recording_client.ts";
import { ScriptedSender } from "../../../kube/testing/scripted_sender.ts";
import { HttpFailure } from "../../../lib/http.ts";
import type { HttpsSenderOptions } from "../../../lib/https_sender.ts";
import { seededRandom } from "../../../lib/random.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger } from "../../../observe/log.ts";
import type { ErrorClass } from "../../../wire/error_classes.ts";
import { EXIT_CODES } from "../../../wire/exit_codes.ts";
import { attemptOf, type RunRequest } from "../run_request.ts";
import {
  endedJob,
  endedPod,
  failureOfClass,
  podWith,
  runningPod,
  sampleJob,
  sampleRequest,
  sampleResult,
} from "../testing/samples.ts";
import { SESSION_LABEL, sessionTask } from "./session_request.ts";
import type { StartedSession } from "./session_runner.ts";
import { SessionRuns } from "./session_runs.ts";
import { CachedObjects } from "./testing/cached_objects.ts";
import { sampleSession } from "./testing/sample_session.ts";

const request = sampleSession("a");
const LISTENS = `${JSON.stringify({ progress: { version: 1, step: "session" } })}\n`;

let clock: VirtualClock;
let jobs: CachedObjects<Job>;
let pods: CachedObjects<Pod>;
let client: RecordingClient;
let connected: HttpsSenderOptions[];
let ended: string[];
let stop: AbortController;
/** What becomes of a Job's pod once it is let go. */
let fate: (run: RunRequest) => Pod | undefined;
let refuse: (call: RecordedCall) => void;
let answers: boolean;
let runs: SessionRuns;
let stopWatching: () => void;

beforeEach(() => {
  clock = new VirtualClock();
  jobs = new CachedObjects(Jobs);
  pods = new CachedObjects(Pods);
  connected = [];
  ended = [];
  stop = new AbortController();
  fate = runningPod;
  refuse = () => {};
  answers = true;
  client = new RecordingClient(serve);
  runs = new SessionRuns({
    client,
    clock,
    caches: { jobs, pods },
    random: seededRandom(1),
    accounts: { in: async (namespace) => `${namespace}-movers` },
    log: silentLogger,
    logs: { logs: (_, options) => said(LISTENS, options?.follow) },
    connect: (place) => {
      connected.push(place);
      return new ScriptedSender(() => {
        if (!answers) throw new HttpFailure("timed out", { code: "ETIMEDOUT", sent: false });
        return { body: { version: 1, repository: "r" } };
      });
    },
  });
  stopWatching = runs.watch();
});

afterEach(() => {
  stop.abort(new Error("the test is over"));
  stopWatching();
});

async function* said(text: string, follow = false): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
  if (follow) await new Promise(() => {});
}

/** A cluster of one node, in as far as sessions see it. */
function serve(call: RecordedCall): unknown {
  refuse(call);
  const { verb, resource } = call;
  const metadata = { ...(call.body as KubeObject | undefined)?.metadata, uid: "job-1", resourceVersion: "1" };
  if (verb === "create") {
    const object = { apiVersion: "v1", kind: resource.kind, ...(call.body as object), metadata };
    if (resource.kind === "Job") jobs.put(object as unknown as Job);
    return object;
  }
  if (verb === "patch") {
    const run = lastRun();
    const pod = fate(run);
    if (pod) pods.put(pod);
    return sampleJob(run);
  }
  if (verb === "get" && resource.kind === "Pod") return { ...runningPod(), status: { podIP: "10.0.0.7" } };
  if (verb === "list") return { items: [] };
  return true;
}

/** The run that was begun last, as far as names and labels go. */
function lastRun(): RunRequest {
  const body = client.calls.findLast(
    ({ verb, resource }) => verb === "create" && resource.kind === "Job",
  )?.body;
  const id = (body as KubeObject | undefined)?.metadata.name ?? "";
  return { ...attemptOf(sessionTask(request, { mark: "x", port: 1, idleSeconds: 1 }), 1), id };
}

async function start(): Promise<StartedSession> {
  const started = runs.start(request, { signal: stop.signal, onEnd: (why) => ended.push(why) });
  started.catch(() => {});
  await clock.advance(3_000);
  return started;
}

const done = () =>
  client.calls
    .filter(({ verb }) => verb !== "get" && verb !== "list")
    .map(({ verb, resource }) => `${verb} ${resource.kind}`);
const failing = (failureClass: ErrorClass, message?: string) => (run: RunRequest) => {
  const failure = { ...failureOfClass(failureClass), ...(message ? { message } : {}) };
  const result = sampleResult({ failure }, run.id);
  return endedPod(EXIT_CODES[failureClass], { message: JSON.stringify(result) }, run);
};

describe("the start of a session", () => {
  test("makes the Job, what it mounts, and lets it go; then asks the pod", async () => {
    const { id, namespace } = await start();
    expect(done()).toEqual(["create Job", "create ConfigMap", "create Secret", "patch Job"]);
    expect(namespace).toBe("shop");
    expect(client.calls[0]?.body).toMatchObject({
      spec: { template: { spec: { serviceAccountName: "shop-movers" } } },
    });
    const secret = client.calls[2]?.body as KubeObject & { readonly stringData: Record<string, string> };
    expect(secret).toMatchObject({
      metadata: { name: id, ownerReferences: [{ kind: "Job", uid: "job-1" }] },
      immutable: true,
    });
    expect(Object.keys(secret.stringData)).toEqual(["ca.crt", "tls.crt", "tls.key"]);
    expect(connected).toMatchObject([
      {
        url: expect.stringMatching(/^https:\/\/10\.0\.0\.7:2\d{4}$/),
        tls: { ca: secret.stringData["ca.crt"] },
      },
    ]);
    expect(connected[0]?.tls?.key).not.toBe(secret.stringData["tls.key"]);
  });

  test("that the mover gives up keeps its class, and leaves nothing", async () => {
    fate = failing("WrongPassword");
    await expect(start()).rejects.toMatchObject({ class: "WrongPassword", message: "failed: WrongPassword" });
    expect(done().at(-1)).toBe("delete Job");
    expect(client.calls.at(-1)).toMatchObject({
      name: { namespace: "shop", name: lastRun().id },
      options: { propagation: "Background" },
    });
    expect(connected).toEqual([]);
  });

  test("whose port is taken is tried on another", async () => {
    const taken = failing(
      "EngineFailed",
      "the session cannot listen: listen EADDRINUSE: address already in use",
    );
    fate = (run) => {
      fate = runningPod;
      return taken(run);
    };
    await start();
    expect(done().filter((line) => line.endsWith("Job"))).toEqual([
      "create Job",
      "patch Job",
      "delete Job",
      "create Job",
      "patch Job",
    ]);
  });

  test("that nothing comes of is given up, and says so", async () => {
    fate = () => undefined;
    const started = start();
    started.catch(() => {});
    await clock.advance(121_000);
    await expect(started).rejects.toMatchObject({
      class: "transient",
      reason: "SessionNotStarted",
      message:
        `The repository session of Job shop/${lastRun().id} does not answer questions 120 s after it was begun. ` +
        "Look whether its node and the repository's storage are slow, and ask again.",
    });
    expect(done().at(-1)).toBe("delete Job");
  });

  test("that waits for what does not come by itself says for what", async () => {
    const waiting = { reason: "CreateContainerConfigError", message: 'secret "repository" not found' };
    fate = (run) => podWith({ waiting }, "Pending", run);
    const started = start();
    started.catch(() => {});
    await clock.advance(12_000);
    await expect(started).rejects.toMatchObject({
      class: "structural",
      reason: "SecretMissing",
      message: expect.stringContaining("the Secret repository, which is not there"),
    });
  });

  test("whose pod cannot be reached points at network policies", async () => {
    answers = false;
    await expect(start()).rejects.toMatchObject({
      class: "structural",
      reason: "SessionUnreachable",
      message: expect.stringMatching(
        /listens at 10\.0\.0\.7:2\d{4}, .*timed out\. Let the network policies of namespace shop allow connections/,
      ),
    });
    expect(done().at(-1)).toBe("delete Job");
  });

  test("that the cluster refuses says why", async () => {
    refuse = ({ verb, resource }) => {
      if (verb !== "create" || resource.kind !== "Secret") return;
      const status = { code: 403, reason: "Forbidden", message: "exceeded quota: small" };
      throw new ApiError({ request: "POST", code: 403, status });
    };
    await expect(start()).rejects.toMatchObject({ class: "structural", reason: "QuotaExceeded" });
    expect(done().slice(-2)).toEqual(["create Secret", "delete Job"]);
  });

  test("that nobody wants any more is broken off", async () => {
    fate = () => undefined;
    const started = start();
    started.catch(() => {});
    stop.abort(new Error("enough"));
    await expect(started).rejects.toThrow("enough");
    await clock.advance(0);
    expect(done().at(-1)).toBe("delete Job");
  });
});

describe("a session that runs", () => {
  test("tells when its pod has ended, but nothing of its start", async () => {
    await start();
    expect(ended).toEqual([]);
    pods.put(endedPod(0, {}, lastRun()));
    expect(ended).toEqual(["it has ended"]);
  });

  test("tells nothing more once it was taken away", async () => {
    const session = await start();
    const run = lastRun();
    await runs.end(session);
    expect(done().at(-1)).toBe("delete Job");
    jobs.put(endedJob("CompletionsReached", run));
    pods.remove(runningPod(run));
    expect(ended).toEqual([]);
  });
});

describe("what an earlier operator left", () => {
  const sessionOf = (name: string, changes: Partial<Job["metadata"]> = {}): Job => {
    const job = sampleJob();
    const labels = { ...job.metadata.labels, [SESSION_LABEL]: "true", "holdfast.dev/run": name };
    return { ...job, metadata: { ...job.metadata, name, labels, ...changes } };
  };
  const removed = () => client.calls.filter(({ verb }) => verb === "delete").map(({ name }) => name?.name);

  test("is removed, and nothing else is", async () => {
    await start();
    jobs.put(sessionOf("left"));
    jobs.put(sessionOf("going", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    jobs.put(sampleJob(sampleRequest));
    await clock.advance(60_000);
    expect(removed()).toEqual(["left"]);
  });

  test("is tried again when it could not be removed", async () => {
    jobs.put(sessionOf("left"));
    refuse = ({ verb }) => {
      if (verb === "delete") throw new ApiError({ request: "DELETE", code: 500, status: { code: 500 } });
    };
    await clock.advance(120_000);
    expect(removed()).toEqual(["left", "left"]);
  });
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCaches } from "../../src/core/work/run_caches.ts";
import type { RunRecord } from "../../src/core/work/run_record.ts";
import type { RunTask } from "../../src/core/work/run_request.ts";
import type { TaskDecision } from "../../src/core/work/task_decision.ts";
import { Tasks } from "../../src/core/work/tasks.ts";
import { sampleTask } from "../../src/core/work/testing/samples.ts";
import { Machine } from "../../src/embedded/node/testing/machine.ts";
import { ConfigMaps, Jobs, Namespaces, Pods, Secrets } from "../../src/kube/builtin.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { Failure } from "../../src/kube/failure.ts";
import { ownerReference } from "../../src/kube/write/owners.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { silentLogger } from "../../src/observe/log.ts";
import { noWatchObserver } from "../../src/observe/observers.ts";
import { START_COMMAND } from "../../src/wire/pod_layout.ts";
import { bundle } from "../../tools/run/bundle.ts";

/** Pods have mount namespaces of their own, which root can always make. */
const asRoot = test.runIf(process.getuid?.() === 0);

/** A mover in shell: it says what its work is called, waits where it is told to, and reports. */
const MOVER = `
trap 'say "{\\"result\\":$(result "$CANCELLED")}"; exit 35' TERM
say() { printf '%s\\n' "$1"; }
run=$(sed 's/.*"run":"\\([^"]*\\)".*/\\1/' "$ROOT/holdfast/work/work.json")
CANCELLED=',"failure":{"class":"Cancelled","message":"told to end","remedy":"none"}'
result() { printf '{"version":1,"run":"%s","startedAt":"2026-01-01T00:00:00Z","endedAt":"2026-01-01T00:00:01Z"%s}' "$run" "$1"; }
say '{"log":{"level":"info","message":"the password has '"$(wc -c < "$ROOT/holdfast/password/password")"' bytes"}}'
[ "$FATE" = prepare ] || say '{"progress":{"version":1,"step":"restore","files":7}}'
case "$FATE" in
  prepare)
    say '{"progress":{"version":1,"step":"Prepared"}}'
    until [ -e /tmp/start ]; do sleep 0.05; done
    say '{"progress":{"version":1,"step":"restore"}}'
    say '{"log":{"level":"info","message":"it reads: '"$(cat /holdfast/volumes/data/file)"'"}}'
    touch /holdfast/volumes/data/new 2>/dev/null && say '{"log":{"level":"warn","message":"it writes"}}'
    ;;
  wait) sleep 60 & wait $! ;;
  die) exit 137 ;;
esac
say "{\\"result\\":$(result '')}"
`;

const OWNER = { namespace: "shop", name: "nightly" };
const PASSWORD = { namespace: "shop", name: "repository" };
let machine: Machine;
let tasks: Tasks;
let home: string;
let end: AbortController;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "runs-"));
  const { path: mover } = await bundle("src/main/mover.ts", home, "mover");
  const [node = "", program = ""] = START_COMMAND;
  const files = { [node]: process.execPath, [program]: mover };
  machine = new Machine({
    images: () => ({ command: ["sh", "-c", MOVER], user: 65534, files }),
    allowHostPath: true,
  });
  await machine.start();
  end = new AbortController();
  const { client, podClient: logs } = machine;
  const ports = { clock: systemClock, random: systemRandom, log: silentLogger };
  await client.create(Namespaces, { metadata: { name: "shop" } });
  await client.create(ConfigMaps, { metadata: OWNER });
  const informers = new Informers({ ...ports, client, observer: noWatchObserver });
  const caches = runCaches(informers);
  void informers.run(end.signal);
  await informers.whenSynced();
  const uses = new Map([["", ["hostPath", "startSignal"] as const]]);
  tasks = new Tasks({ ...ports, client, logs, caches, uses });
});

afterEach(async () => {
  end.abort(new Error("the test is over"));
  await machine.close();
  await rm(home, { recursive: true });
});

async function restoreTask(fate = ""): Promise<RunTask> {
  const object = await machine.client.get(ConfigMaps, OWNER);
  const owner = ownerReference({
    owner: { resource: ConfigMaps, object },
    dependent: { resource: Jobs, namespace: "shop" },
  });
  const { repositoryVolume: _, volumes: __, ...rest } = sampleTask;
  return {
    ...rest,
    purpose: "restore",
    owner,
    work: { ...sampleTask.work, work: { restore: { snapshot: { id: "k1" }, target: "/t" } } },
    mover: { image: "mover:1", env: { FATE: fate }, terminationGracePeriodSeconds: 5 },
  };
}

/** Looks at the task until it is as wanted, as a controller would. */
async function until(
  task: RunTask,
  wanted: (decision: TaskDecision) => boolean,
  options: { readonly record?: RunRecord; readonly cancel?: boolean; readonly start?: boolean } = {},
): Promise<TaskDecision> {
  let { record } = options;
  let last: TaskDecision | undefined;
  for (let tries = 0; tries < 400; tries++) {
    const { cancel = false, start = false } = options;
    const view = { task, policy: {}, cancel, start, ...(record ? { record } : {}) };
    last = await tasks.decide(view);
    ({ record } = last);
    // Where the mover ends before the one that told it to start, nobody knows whether it was told: it is told again.
    await tasks.carryOut(last).catch((error: unknown) => {
      if (!(error instanceof Failure && error.reason === "StartSignalFailed")) throw error;
    });
    if (wanted(last)) return last;
    await sleep(systemClock, 50);
  }
  throw new Error(`the task did not become as wanted: ${JSON.stringify(last)}`);
}

const isOver = ({ state }: TaskDecision) => state.phase === "Ended";
const withPassword = () =>
  machine.client.create(Secrets, { metadata: PASSWORD, stringData: { password: "open sesame" } });

asRoot("a run does its work in a pod, and reports", async () => {
  await withPassword();
  const { state, record } = await until(await restoreTask(), isOver);
  expect(record).toMatchObject({ outcome: "Succeeded", attempt: 1 });
  expect(state).toMatchObject({
    outcome: "Succeeded",
    result: { startedAt: "2026-01-01T00:00:00Z" },
    logTail: ["the password has 11 bytes"],
  });
});

asRoot("progress is heard while the mover runs, and a mover that is told to end says so", async () => {
  await withPassword();
  const task = await restoreTask("wait");
  const heard = ({ state }: TaskDecision) =>
    state.phase === "Working" && state.state.phase === "Running" && state.state.progress?.files === 7;
  const { record } = await until(task, heard);
  const { state } = await until(task, isOver, { record, cancel: true });
  expect(state).toMatchObject({
    outcome: "Cancelled",
    result: { failure: { class: "Cancelled", message: "told to end" } },
  });
});

asRoot("a missing Secret is named, and the run goes on when it is there", async () => {
  const task = await restoreTask();
  const waits = ({ state }: TaskDecision) => state.phase === "Working" && state.state.phase === "Waiting";
  const { state, record } = await until(task, waits);
  expect(state).toMatchObject({ state: { reason: "SecretMissing" } });
  expect(state).toHaveProperty("state.message", expect.stringContaining("the Secret repository"));
  await withPassword();
  expect((await until(task, isOver, { record })).record.outcome).toBe("Succeeded");
});

asRoot("a mover that is killed is lost, and its work is tried again", async () => {
  await withPassword();
  const { record } = await until(await restoreTask("die"), ({ state }) => state.phase === "BackingOff");
  expect(record).toMatchObject({
    attempt: 2,
    failures: 1,
    lastFailure: {
      class: "Interrupted",
      message: "The mover was killed (exit code 137) before it could report",
    },
  });
});

asRoot("a pod that somebody deletes is no cancelled task", async () => {
  await withPassword();
  const task = await restoreTask("wait");
  const runs = ({ state }: TaskDecision) =>
    state.phase === "Working" && state.state.phase === "Running" && state.state.progress !== undefined;
  const { record } = await until(task, runs);
  const { items } = await machine.client.list(Pods, { namespace: "shop" });
  for (const { metadata } of items) await machine.client.delete(Pods, metadata);
  const { record: after } = await until(task, ({ state }) => state.phase === "BackingOff", { record });
  expect(after).toMatchObject({ attempt: 2, lastFailure: { class: "Interrupted" } });
});

asRoot("a prepared mover is told to start in its pod, and reads the volume of its node", async () => {
  await withPassword();
  const hostPath = join(home, "pods/u1/volumes/kubernetes.io~csi/pv/mount");
  await mkdir(hostPath, { recursive: true, mode: 0o777 });
  await writeFile(join(hostPath, "file"), "of the node");
  const task = await restoreTask("prepare");
  const mounting: RunTask = {
    ...task,
    startsBySignal: true,
    hostVolume: { name: "data", hostPath, readOnly: true },
    mover: { ...task.mover, nodeName: "this-machine" },
  };
  const isPrepared = ({ state }: TaskDecision) =>
    state.phase === "Working" && state.state.phase === "Prepared";
  const { record } = await until(mounting, isPrepared);
  const { state } = await until(mounting, isOver, { record, start: true });
  expect(state).toMatchObject({ outcome: "Succeeded" });
  expect(state).toHaveProperty("logTail", ["the password has 11 bytes", "it reads: of the node"]);
});

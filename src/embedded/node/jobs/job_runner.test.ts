import { afterEach, expect, test } from "vitest";
import { Events, Jobs, Pods } from "../../../kube/builtin.ts";
import { Informers } from "../../../kube/cache/informers.ts";
import { HttpClient } from "../../../kube/client/http_client.ts";
import { EventRecorder } from "../../../kube/write/events.ts";
import type { HttpSender } from "../../../lib/http.ts";
import { seededRandom } from "../../../lib/random.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger as log } from "../../../observe/log.ts";
import { noWatchObserver } from "../../../observe/observers.ts";
import { ControlPlane } from "../../control_plane.ts";
import { MemoryStore } from "../../store/memory_store.ts";
import { JobRunner } from "./job_runner.ts";

const namespace = "default";
const stop = new AbortController();
afterEach(() => stop.abort(new Error("the test is over")));

/** The Jobs of a control plane that refuses pods as long as it is told to, on a clock that is moved by hand. */
function refusing() {
  const clock = new VirtualClock();
  const ports = { clock, random: seededRandom(1), log };
  const plane = new ControlPlane({ ...ports, store: new MemoryStore({ clock }) });
  const pods = { refused: true, asked: 0 };
  const sender: HttpSender = {
    async send(request) {
      if (request.method !== "POST" || !request.path.endsWith("/pods")) return plane.sender.send(request);
      pods.asked++;
      if (!pods.refused) return plane.sender.send(request);
      const status = { kind: "Status", code: 403, reason: "Forbidden", message: "exceeded quota" };
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(status));
      })();
      return { status: 403, headers: {}, body };
    },
    close() {},
  };
  const client = new HttpClient({ ...ports, sender });
  const events = new EventRecorder({ ...ports, writer: client, component: "jobs", instance: "here" });
  const informers = new Informers({ ...ports, client, observer: noWatchObserver });
  const caches = {
    jobs: informers.cache({ resource: Jobs }),
    pods: informers.cache({ resource: Pods }),
  };
  const runner = new JobRunner({ ...ports, ...caches, client, events, nodeName: "here" });
  void informers.run(stop.signal);
  void runner.controller.run(stop.signal, () => {});
  /** Time stands still until it is so. */
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await clock.advance(0);
  };
  /** Lets time pass, and everything be done that is to be done before and after it. */
  const pass = async (ms: number) => {
    for (const step of [...Array(50).fill(0), ms, ...Array(50).fill(0)]) await clock.advance(step);
  };
  return { client, pods, until, pass };
}

test("a Job whose pod is refused tells why, and asks again every 10 s until it has it", async () => {
  const { client, pods, until, pass } = refusing();
  const containers = [{ name: "main", image: "none" }];
  const template = { spec: { restartPolicy: "Never", containers } };
  await client.create(Jobs, { metadata: { namespace, name: "job" }, spec: { template } });
  const job = () => client.get(Jobs, { namespace, name: "job" });
  await until(() => pods.asked === 1);
  await until(async () => (await job()).status?.startTime !== undefined);
  await until(async () =>
    (await client.list(Events, { namespace })).items.some(
      ({ reason, message }) => reason === "FailedCreate" && message === "Error creating: exceeded quota",
    ),
  );
  // That the Job has begun is written, which is seen, and has it asked for once more.
  await until(() => pods.asked === 2);
  for (const asked of [3, 4]) {
    await pass(9000);
    expect(pods.asked).toBe(asked - 1);
    await pass(1000);
    await until(() => pods.asked === asked);
  }
  pods.refused = false;
  await pass(10_000);
  await until(async () => (await job()).status?.active === 1);
  expect((await client.list(Pods, { namespace })).items).toHaveLength(1);
  await pass(60_000);
  expect(pods.asked).toBe(5);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CustomResourceDefinitions } from "../src/kube/builtin.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import { connect } from "../src/kube/config/connect.ts";
import type { KubeObject } from "../src/kube/object.ts";
import type { Resource } from "../src/kube/resource.ts";
import { systemClock as clock } from "../src/lib/clock.ts";
import type { HttpSender } from "../src/lib/http.ts";
import { systemProcesses as processes } from "../src/lib/processes.ts";
import { systemRandom as random } from "../src/lib/random.ts";
import { component, down, up } from "../tools/cluster/cluster.ts";
import { commands } from "../tools/launch/commands.mjs";
import { bundle } from "../tools/run/bundle.ts";
import { atLeast, atMost, type Figure, informs, median } from "./figures.ts";
import { each } from "./parallel.ts";
import { Program, rssOf } from "./program.ts";

const OBJECTS = 10_000;
const WATCHERS = 8;
const UPDATES = 2500;
const STARTS = 7;

type Widget = KubeObject & { readonly spec: { readonly size: number; readonly note: string } };
const Widgets: Resource<Widget> = {
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

/** What one API server did with the same work. */
interface Work {
  readonly createsPerSecond: number;
  readonly deliveriesPerSecond: number;
  readonly rss: number;
}

/** The embedded control plane beside a real API server with etcd, over HTTPS both. */
export async function embeddedFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const name = `bench-${random.hex(3)}`;
  try {
    const entry = fileURLToPath(new URL("../src/main/embedded.ts", import.meta.url));
    const { path } = await bundle(entry, folder, "embedded");
    const old = join(folder, "old");
    say(`starting it, ${1 + 2 * STARTS} times`);
    // It leaves what Node made of the program for the other starts, as it does for people.
    const first = await timed(path, old, "SIGTERM");
    const starts: number[] = [];
    const restarts: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      starts.push(await timed(path, join(folder, `home-${i}`)));
      restarts.push(await timed(path, old));
    }
    const home = join(folder, "home");
    const program = await start(path, home);
    say(`${OBJECTS} durable creates, and ${UPDATES} updates under ${WATCHERS} watches`);
    const ours = await work(join(home, "kubeconfig"), () => program.rss);
    await program.end();

    say("the same on a real API server with etcd");
    const begun = performance.now();
    const cluster = await up({ name, shape: { kind: "control-plane", controllers: false } });
    const realStart = performance.now() - begun;
    const pids = ["etcd", "kube-apiserver"].map((part) => component(cluster, part).pid);
    const real = await work(cluster.kubeconfig, () => pids.map(rssOf).reduce((a, b) => a + b));
    return [
      atMost("ready after, with a new state", median(starts), "ms", 400),
      atMost("ready after, with the state of an earlier start", median(restarts), "ms", 400),
      informs("ready after, for the first time since the program changed", first, "ms"),
      informs("a real API server and etcd: ready after", realStart, "ms"),
      atLeast("durable creates", ours.createsPerSecond, "/s", 1500),
      informs("a real API server and etcd (not synced to disk): creates", real.createsPerSecond, "/s"),
      atLeast("watch deliveries", ours.deliveriesPerSecond, "/s", 10_000),
      informs("a real API server and etcd: watch deliveries", real.deliveriesPerSecond, "/s"),
      atMost(`memory with ${OBJECTS} custom objects`, ours.rss, "MB", 150),
      informs(`a real API server and etcd: memory with ${OBJECTS} custom objects`, real.rss, "MB"),
    ];
  } finally {
    await down(name, { wipe: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(path: string, home: string, end: NodeJS.Signals = "SIGKILL"): Promise<number> {
  const begun = performance.now();
  const program = await start(path, home);
  const took = performance.now() - begun;
  await program.end(end);
  return took;
}

async function start(path: string, home: string): Promise<Program> {
  const own = { HOLDFAST_HOME: home, ...commands.start?.env?.(dirname(path)) };
  const program = new Program(path, ["--no-demo", "--port=0"], { env: { ...process.env, ...own } });
  await program.line((line) => line.includes("is ready"));
  return program;
}

async function work(kubeconfig: string, rss: () => number): Promise<Work> {
  const { sender } = await connect({ clock, processes, env: {}, kubeconfig });
  const client = new HttpClient({ sender, clock, random });
  try {
    await client.create(CustomResourceDefinitions, crd());
    while (!(await client.serves(Widgets))) await new Promise((resolve) => setTimeout(resolve, 50));
    const created = performance.now();
    const widget = (i: number) => ({
      metadata: { namespace: "default", name: `widget-${i}`, labels: { group: `g${i % 10}` } },
      spec: { size: i, note: "0123456789abcdef".repeat(16) },
    });
    await each(OBJECTS, (i) => client.create(Widgets, widget(i)), 32);
    const createsPerSecond = OBJECTS / ((performance.now() - created) / 1000);
    const deliveriesPerSecond = await deliveries(client, sender);
    return { createsPerSecond, deliveriesPerSecond, rss: rss() };
  } finally {
    sender.close();
  }
}

async function deliveries(client: HttpClient, sender: HttpSender): Promise<number> {
  const { metadata } = await client.list(Widgets, { limit: 1 });
  const stop = new AbortController();
  let seen = 0;
  const done = Promise.withResolvers<void>();
  const opened = Array.from({ length: WATCHERS }, () => {
    const open = Promise.withResolvers<void>();
    const path = `/apis/bench.example.com/v1/widgets?watch=true&resourceVersion=${metadata.resourceVersion}`;
    void (async () => {
      const { body } = await sender.send({ method: "GET", path, dedicated: true, signal: stop.signal });
      open.resolve();
      // Counted, not parsed: this is about the server.
      for await (const chunk of body) {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen++;
        if (seen >= WATCHERS * UPDATES) done.resolve();
      }
    })().catch((error) => done.reject(error));
    return open.promise;
  });
  await Promise.all(opened);
  const begun = performance.now();
  await each(
    UPDATES,
    (i) =>
      client.patch(
        Widgets,
        { namespace: "default", name: `widget-${i}` },
        { type: "merge", patch: { spec: { size: -1 - i } } },
      ),
    32,
  );
  await done.promise;
  const took = (performance.now() - begun) / 1000;
  stop.abort();
  return (WATCHERS * UPDATES) / took;
}

function crd() {
  const { group, kind, plural } = Widgets;
  const spec = {
    type: "object",
    properties: { size: { type: "integer" }, note: { type: "string", maxLength: 1024 } },
  };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: "widget", listKind: "WidgetList" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

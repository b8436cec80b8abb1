import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Namespaces, type Pod, Pods, ServiceAccounts } from "../src/kube/builtin.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import { connect } from "../src/kube/config/connect.ts";
import type { Draft } from "../src/kube/object.ts";
import type { Projection } from "../src/kube/projection.ts";
import { systemClock as clock } from "../src/lib/clock.ts";
import { systemProcesses as processes } from "../src/lib/processes.ts";
import { systemRandom as random } from "../src/lib/random.ts";
import { type ClusterInfo, down, up } from "../tools/cluster/cluster.ts";
import { bundle } from "../tools/run/bundle.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";
import { each } from "./parallel.ts";
import { Program } from "./program.ts";
import type { FollowResult, FollowTask } from "./programs/follow.ts";

const OBJECTS = 10_000;
const STARTS = 9;
const REST_SECONDS = 20;

/** What controllers of volumes want to know of a pod. */
const READ_OF_PODS: Projection = {
  spec: { nodeName: true, volumes: true, containers: { name: true } },
  status: { phase: true, containerStatuses: true },
};

/** The Kubernetes kernel beside the official client, on an API server of its own. */
export async function kubeFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const name = `bench-${random.hex(3)}`;
  try {
    say("starting an API server");
    const cluster = await up({ name, shape: { kind: "control-plane", controllers: false } });
    return [...(await managerFigures(cluster, folder, say)), ...(await followFigures(cluster, folder, say))];
  } finally {
    await down(name, { wipe: true });
    rmSync(folder, { recursive: true });
  }
}

async function managerFigures(
  cluster: ClusterInfo,
  folder: string,
  say: (line: string) => void,
): Promise<Figure[]> {
  const manager = await program("manager", folder);
  const bare = await program("bare", folder);
  say(`starting a manager with ten informers, ${STARTS} times, beside a bare Node`);
  const extra: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const [own, program] = [
      await startTime(bare, []),
      await startTime(manager, [cluster.kubeconfig, "default"]),
    ];
    extra.push(program - own);
  }
  say(`a manager at rest for ${REST_SECONDS} s`);
  const running = new Program(manager, [cluster.kubeconfig, "default"]);
  await running.line((line) => line === "ready");
  await pause(5000);
  const before = await costs(running);
  await pause(REST_SECONDS * 1000);
  const after = await costs(running);
  await running.end();
  const shares = [];
  const parts = ["https", "metrics", "logs", "yaml"];
  for (const imports of [[], ...parts.map((_, i) => parts.slice(0, i + 1))]) {
    const rss = median(await Promise.all([1, 2, 3].map(() => bareRss(bare, imports))));
    shares.push(informs(`memory: Node${imports.map((part) => ` + ${part}`).join("")}`, rss, "MB"));
  }
  return [
    atMost("manager, start to synced beyond Node's own start", median(extra), "ms", 300),
    atMost("manager at rest: memory", after.rssMb, "MB", 80),
    ...shares,
    atMost("manager at rest: CPU", (after.cpuMs - before.cpuMs) / (REST_SECONDS * 10), "% of a core", 0.5),
  ];
}

async function followFigures(
  cluster: ClusterInfo,
  folder: string,
  say: (line: string) => void,
): Promise<Figure[]> {
  const { sender } = await connect({ clock, processes, env: {}, kubeconfig: cluster.kubeconfig });
  const client = new HttpClient({ sender, clock, random });
  const namespace = "bench";
  await client.create(Namespaces, { metadata: { name: namespace } });
  await client.create(ServiceAccounts, { metadata: { namespace, name: "default" } });
  say(`writing ${OBJECTS} pods`);
  await each(OBJECTS, (i) => client.create(Pods, pod(namespace, i)));
  const task: FollowTask = { kubeconfig: cluster.kubeconfig, namespace, objects: OBJECTS };
  say("three programs follow them side by side, while each is updated once");
  const [our, its] = [await program("follow_ours", folder), await program("follow_peer", folder)];
  const followers = [
    new Program(our, [JSON.stringify(task)]),
    new Program(our, [JSON.stringify({ ...task, keep: READ_OF_PODS })]),
    new Program(its, [JSON.stringify(task)]),
  ] as const;
  await Promise.all(followers.map((follower) => follower.line((line) => line === "synced")));
  const running = { type: "merge", patch: { status: { phase: "Running", podIP: "10.0.0.1" } } } as const;
  await each(OBJECTS, (i) =>
    client.patch(Pods, { namespace, name: `pod-${i}` }, running, { subresource: "status" }),
  );
  const result = async (follower: Program) =>
    JSON.parse(await follower.line((line) => line.startsWith("{"))) as FollowResult;
  const [whole, projected, peer] = [
    await result(followers[0]),
    await result(followers[1]),
    await result(followers[2]),
  ];
  sender.close();
  const what = `${OBJECTS} pods listed and watched`;
  return [
    informs(`${what}: CPU`, whole.cpuMs, "ms"),
    informs("the same with @kubernetes/client-node: CPU", peer.cpuMs, "ms"),
    atMost("ratio of CPU", whole.cpuMs / peer.cpuMs, "", 0.5),
    informs(`${what}, as the operator keeps them: CPU`, projected.cpuMs, "ms"),
    informs("ratio of CPU, as the operator keeps them", projected.cpuMs / peer.cpuMs, ""),
    informs(`${what}: memory`, whole.rssMb, "MB"),
    informs("the same with @kubernetes/client-node: memory", peer.rssMb, "MB"),
    atMost("ratio of memory", whole.rssMb / peer.rssMb, "", 0.6),
    informs(`${what}, as the operator keeps them: memory`, projected.rssMb, "MB"),
    informs("ratio of memory, as the operator keeps them", projected.rssMb / peer.rssMb, ""),
  ];
}

/** A pod as deployments make them: nothing large, nothing left out. */
function pod(namespace: string, i: number): Draft<Pod> {
  const app = `app-${i % 100}`;
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 };
  return {
    metadata: {
      namespace,
      name: `pod-${i}`,
      labels: { bench: "yes", app, "pod-template-hash": `hash-${i % 100}` },
      annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" },
    },
    spec: {
      containers: [
        {
          name: "main",
          image: `registry.example.com/team/${app}:1.0.${i}`,
          args: ["--listen=:8080", "--log-level=info"],
          env: ["MODE", "REGION", "ZONE", "TIER"].map((name) => ({ name, value: `${app}-${name}` })),
          ports: [{ containerPort: 8080, name: "http" }],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
          livenessProbe: probe,
          readinessProbe: probe,
          volumeMounts: [{ name: "data", mountPath: "/data" }],
          securityContext: { runAsNonRoot: true, capabilities: { drop: ["ALL"] } },
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-${i}` } }],
      automountServiceAccountToken: false,
    },
  };
}

async function program(name: string, folder: string): Promise<string> {
  const entry = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
  return (await bundle(entry, folder, name)).path;
}

async function startTime(path: string, args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const running = new Program(path, args);
  await running.line((line) => line.startsWith("ready"));
  const took = performance.now() - begun;
  await running.end();
  return took;
}

async function bareRss(path: string, imports: readonly string[]): Promise<number> {
  const running = new Program(path, imports);
  return Number((await running.line((line) => line.startsWith("ready"))).slice("ready ".length));
}

async function costs(running: Program): Promise<FollowResult> {
  running.signal("SIGUSR2");
  return JSON.parse(await running.line((line) => line.startsWith("{"))) as FollowResult;
}

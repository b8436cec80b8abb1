import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubeconfigOf, openAccess } from "../../src/embedded/access.ts";
import type { PodExec } from "../../src/embedded/api/pod_exec.ts";
import type { PodLogs } from "../../src/embedded/api/pod_logs.ts";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { serveHttps } from "../../src/embedded/https_front.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { listen, type RunningServer } from "../../src/lib/https_server.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";

/**
 * Every kubectl of a supported version that this machine has: the pinned one, and the one on the PATH. The full matrix
 * brings another.
 */
const kubectls = await findKubectls();

const CRD_PREFIX = "customresourcedefinition.apiextensions.k8s.io";

let folder: string;
let server: RunningServer;
const stop = new AbortController();

beforeAll(async () => {
  const ports = { clock: systemClock, random: systemRandom };
  const plane = new ControlPlane({
    store: new MemoryStore(ports),
    podLogs: slowLogs,
    podExec: echo,
    ...ports,
  });
  void plane.run(stop.signal);
  folder = await mkdtemp(join(tmpdir(), "holdfast-kubectl-"));
  const access = openAccess({ folder, ...ports });
  const { handle, connect } = plane;
  server = await serveHttps({ listen, tls: () => access.tls, token: access.token, handle, connect });
  await writeFile(join(folder, "kubeconfig"), kubeconfigOf(access, `https://127.0.0.1:${server.port}`));
});

afterAll(async () => {
  stop.abort();
  await server.close(AbortSignal.abort());
  await rm(folder, { recursive: true, force: true });
});

/** A log that is written while it is read. */
const slowLogs: PodLogs = {
  async *read(pod, { follow }, signal) {
    yield Buffer.from(`first of ${pod.name}\n`);
    if (!follow) return;
    await sleep(systemClock, 50, signal);
    yield Buffer.from("last\n");
  },
};

/** A command that says what it is, and repeats what it reads. */
const echo: PodExec = {
  async open({ name }, { command, container }) {
    return async (stdin) => ({
      stdout: (async function* () {
        yield Buffer.from(`${name}/${container}: ${command.join(" ")}\n`);
        if (stdin) yield* stdin;
      })(),
      stderr: (async function* () {
        yield Buffer.from("aside\n");
      })(),
      ended: Promise.resolve({ code: command.includes("false") ? 7 : 0 }),
    });
  },
};

interface Kubectl {
  readonly version: string;
  readonly path: string;
}

async function findKubectls(): Promise<readonly Kubectl[]> {
  const candidates = ["kubectl"];
  try {
    candidates.unshift(pinnedProgram("kubectl"));
  } catch {
    // Not built yet; the one on the PATH does as well.
  }
  if (process.env.HOLDFAST_LONG) candidates.unshift(pinnedProgram("kubectl-1.34"));
  const found = new Map<string, Kubectl>();
  for (const path of candidates) {
    try {
      const { stdout } = await systemProcesses.run(path, ["version", "--client", "-o", "json"]);
      const { clientVersion } = JSON.parse(String(stdout)) as { clientVersion: { gitVersion: string } };
      const version = /^v(1\.\d+)/.exec(clientVersion.gitVersion)?.[1] ?? "";
      if (["1.34", "1.35", "1.36", "1.37"].includes(version) && !found.has(version))
        found.set(version, { version, path });
    } catch {
      // There is none of that name.
    }
  }
  return [...found.values()];
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A namespace of its own for each version, and kubectl in it. */
class Session {
  readonly namespace: string;
  readonly #path: string;

  constructor({ path, version }: Kubectl) {
    this.#path = path;
    this.namespace = `v${version.replace(".", "-")}`;
  }

  async try(
    args: string,
    options: { readonly input?: unknown; readonly env?: object } = {},
  ): Promise<Outcome> {
    const { input, env = {} } = options;
    const { code, stdout, stderr } = await systemProcesses.run(
      this.#path,
      ["-n", this.namespace, ...args.split(" ")],
      {
        env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), ...env },
        ...(input === undefined ? {} : { stdin: typeof input === "string" ? input : JSON.stringify(input) }),
      },
    );
    return { code, stdout: String(stdout), stderr };
  }

  /** What kubectl prints; it must succeed. */
  async run(
    args: string,
    options: { readonly input?: unknown; readonly env?: object } = {},
  ): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, options);
    expect(`${code} ${stderr}`, `kubectl ${args}`).toMatch(/^0 /);
    return stdout;
  }

  async json(args: string): Promise<Record<string, unknown>> {
    return JSON.parse(await this.run(`${args} -o json`)) as Record<string, unknown>;
  }
}

function configMap(name: string, data: object): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

const container = { name: "main", image: "example/app:1" };
const podTemplate = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };

function statefulSet(image: string): object {
  const template = {
    ...podTemplate,
    spec: { containers: [{ ...container, image, env: [{ name: "A", value: "1" }] }] },
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web" },
    spec: { serviceName: "web", selector: { matchLabels: { app: "web" } }, template },
  };
}

if (kubectls.length === 0) {
  test("kubectl 1.34 to 1.37 is on this machine", ({ skip }) => {
    skip("there is none: run npm run cluster once, or put one on the PATH");
  });
}

describe.each(kubectls)("kubectl $version", { timeout: 60_000, concurrent: true }, (kubectl) => {
  const session = new Session(kubectl);
  beforeAll(async () => {
    await session.run(`create namespace ${session.namespace}`);
  }, 60_000);

  test("knows the kinds, their names and what may be done with them", async () => {
    const table = await session.run("api-resources -o wide --no-headers");
    expect(table).toMatch(/^persistentvolumeclaims +pvc +v1 +true +PersistentVolumeClaim +create,delete,/m);
    expect(table).toMatch(/^volumesnapshots +vs +snapshot\.storage\.k8s\.io\/v1 +true +VolumeSnapshot/m);
  });

  test("applies the CRDs as the guide has it", async () => {
    const guide = await readFile("docs/guides/install.md", "utf8");
    const [, command = ""] = /^\$ kubectl (apply .*generated.*)$/m.exec(guide) ?? [];
    // No shell takes the quotes off here.
    const applied = await session.run(command.replaceAll("'", ""));
    expect(applied.trim().split("\n").toSorted()).toEqual(
      crds.map(({ metadata }) => `${CRD_PREFIX}/${metadata.name} serverside-applied`).toSorted(),
    );
  });

  test("applies on the client's side, again, and with changes", async () => {
    const apply = (image: string) => session.run("apply -f -", { input: statefulSet(image) });
    expect(await apply("example/app:1")).toBe("statefulset.apps/web created\n");
    expect(await apply("example/app:1")).toBe("statefulset.apps/web unchanged\n");
    expect(await apply("example/app:2")).toBe("statefulset.apps/web configured\n");
    const { spec } = await session.json("get statefulset web");
    expect(spec).toMatchObject({
      template: { spec: { containers: [{ name: "main", image: "example/app:2", env: [{ name: "A" }] }] } },
    });
  });

  test("applies on the server's side, and is told whose field it would take", async () => {
    const apply = (name: string, more = "") =>
      session.try(`apply --server-side --field-manager=${name}${more} -f -`, {
        input: configMap("shared", { key: name }),
      });
    expect((await apply("one")).stdout).toBe("configmap/shared serverside-applied\n");
    const refused = await apply("two");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('conflict with "one"');
    expect(refused.stderr).toContain(".data.key");
    expect((await apply("two", " --force-conflicts")).code).toBe(0);
  });

  test("refuses unknown fields, before anything is stored", async () => {
    const { code, stderr } = await session.try("apply -f -", {
      input: { ...configMap("typo", {}), dat: { a: "b" } },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "dat"');
  });

  test("shows tables, wide ones, and objects as they are", async () => {
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
    };
    await session.run("create -f -", { input: claim });
    expect(await session.run("get pvc data")).toMatch(
      /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS +VOLUMEATTRIBUTESCLASS +AGE\ndata +Pending +<unset> +\d+s\n$/,
    );
    expect(await session.run("get pvc data -o wide")).toMatch(/VOLUMEMODE\n.*Filesystem/);
    expect(await session.run("get pvc data -o jsonpath={.spec.resources.requests.storage}")).toBe("1Gi");
    expect(await session.run("get pvc data -o yaml")).toContain("kind: PersistentVolumeClaim");
  });

  test("describes with the events of the object", async () => {
    await session.run("create -f -", { input: configMap("described", { a: "b" }) });
    const { metadata } = await session.json("get configmap described");
    const { uid } = metadata as { uid: string };
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: "described-" },
      involvedObject: { kind: "ConfigMap", name: "described", namespace: session.namespace, uid },
      type: "Warning",
      reason: "Looked",
      message: "somebody looked",
    };
    await session.run("create -f -", { input: event });
    const text = await session.run("describe configmap described");
    expect(text).toMatch(/^Name: +described$/m);
    expect(text).toMatch(/Warning +Looked .* somebody looked/);
  });

  test("explains built-in and custom kinds in their own words", async () => {
    expect(await session.run("explain job.spec.backoffLimit")).toMatch(
      /FIELD: backoffLimit <integer>[\s\S]*number of retries/,
    );
    expect(await session.run("explain volumesnapshot.spec.source")).toContain("persistentVolumeClaimName");
  });

  test("patches in every way, labels, annotates, edits and scales", async () => {
    await session.run("create -f -", { input: configMap("changed", { a: "1" }) });
    await session.run('patch configmap changed -p {"data":{"b":"2"}}');
    await session.run('patch configmap changed --type=merge -p {"data":{"a":null}}');
    await session.run('patch configmap changed --type=json -p [{"op":"add","path":"/data/c","value":"3"}]');
    await session.run("label configmap changed color=blue");
    await session.run("annotate configmap changed note=read");
    const editor = `${process.execPath} -e "const f=process.argv[1],fs=require('fs');fs.writeFileSync(f,fs.readFileSync(f,'utf8').replace('b: \\"2\\"','b: edited'))"`;
    await session.run("edit configmap changed", { env: { KUBE_EDITOR: editor } });
    const { data, metadata } = await session.json("get configmap changed");
    expect(data).toEqual({ b: "edited", c: "3" });
    expect(metadata).toMatchObject({ labels: { color: "blue" }, annotations: { note: "read" } });
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "scaled" },
      spec: { selector: { matchLabels: { app: "web" } }, template: podTemplate },
    };
    await session.run("create -f -", { input: deployment });
    await session.run("scale deployment scaled --replicas=3");
    expect(await session.json("get deployment scaled")).toMatchObject({ spec: { replicas: 3 } });
  });

  test("creates what it only sends as protobuf", async () => {
    await session.run("create configmap typed --from-literal=a=b");
    await session.run("create secret generic typed --from-literal=password=x");
    await session.run("create job typed --image=example/app:1 -- true now");
    await session.run("create deployment typed --image=example/app:1 --replicas=0");
    expect(await session.json("get configmap typed")).toMatchObject({ data: { a: "b" } });
    expect(await session.json("get secret typed")).toMatchObject({
      data: { password: "eA==" },
      type: "Opaque",
    });
    expect(await session.json("get deployment typed")).toMatchObject({ spec: { replicas: 0 } });
    const { spec } = await session.json("get job typed");
    expect(spec).toMatchObject({ template: { spec: { containers: [{ command: ["true", "now"] }] } } });
    expect(await session.run("auth can-i create pods")).toBe("yes\n");
  });

  test("deletes what belongs to an object with it, or leaves it alone", async () => {
    const owned = async (owner: string, name: string) => {
      await session.run("create -f -", { input: configMap(owner, {}) });
      const { metadata } = await session.json(`get configmap ${owner}`);
      const { uid } = metadata as { uid: string };
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid }];
      const object = { ...configMap(name, {}), metadata: { name, ownerReferences } };
      await session.run("create -f -", { input: object });
    };
    await owned("parent", "child");
    await session.run("delete configmap parent --cascade=foreground --timeout=20s");
    expect((await session.try("get configmap child")).stderr).toContain("NotFound");
    await owned("leaver", "left");
    await session.run("delete configmap leaver --cascade=orphan --timeout=20s");
    expect(await session.json("get configmap left")).not.toHaveProperty("metadata.ownerReferences");
  });

  test("waits for a condition to come true", async () => {
    await session.run("create -f -", { input: configMap("awaited", { state: "no" }) });
    const waiting = session.run("wait configmap/awaited --for=jsonpath={.data.state}=yes --timeout=20s");
    await session.run('patch configmap awaited -p {"data":{"state":"yes"}}');
    expect(await waiting).toBe("configmap/awaited condition met\n");
  });

  test("follows a log to its end", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "talker" },
      spec: { containers: [container] },
    };
    await session.run("create -f -", { input: pod });
    expect(await session.run("logs talker -f")).toBe("first of talker\nlast\n");
    expect(await session.run("logs talker")).toBe("first of talker\n");
    expect(await session.run("get pods talker")).toMatch(/^talker +0\/1 +Pending +0 +\d+s$/m);
  });

  test("runs a command in a pod, with its input and its exit code", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "doer" },
      spec: { containers: [container] },
    };
    await session.run("create -f -", { input: pod });
    const said = await session.try("exec -i doer -- cat -v", { input: "line\n".repeat(50_000) });
    expect(said).toMatchObject({ code: 0, stderr: "aside\n" });
    expect(said.stdout).toBe(`doer/main: cat -v\n${"line\n".repeat(50_000)}`);
    expect(await session.try("exec doer -c main -- false")).toMatchObject({ code: 7 });
    expect((await session.try("exec nobody -- true")).stderr).toContain('pods "nobody" not found');
  });
});

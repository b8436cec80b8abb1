import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { Deployments, Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { readBody } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { type ClusterInfo, readInfo } from "../../tools/cluster/info.ts";
import { serviceAccountKubeconfig } from "../../tools/cluster/token.ts";
import { eventually, testKubeconfig } from "../cluster/world.ts";
import { ended } from "../machine/holdfast_home.ts";
import { helmProgram } from "../scenarios/helm_program.ts";

const CHART = "charts/holdfast";
export const RELEASE = "holdfast";
export const HOME = "holdfast-system";
export const DEMO = "holdfast-demo";

/** Where no node is, no Job can let go of what an uninstall leaves, and the guide says what to run instead. */
const VALUES = { installScope: "cluster", "uninstall.cleanup": "false" } as const;

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly stringData?: unknown;
}

/** The operator of a chart that is installed, as a process of this machine. */
export interface RunningOperator {
  readonly child: ChildProcess;
  readonly output: readonly string[];
  readonly health: number;
}

/** A control plane of some version, the chart that is installed there, and the operator beside it: there is no node. */
export class VersionStage implements AsyncDisposable {
  readonly client: HttpClient;
  readonly info: ClusterInfo;
  readonly #stack: AsyncDisposableStack;
  readonly #folder: string;

  private constructor(client: HttpClient, info: ClusterInfo, folder: string, stack: AsyncDisposableStack) {
    this.client = client;
    this.info = info;
    this.#folder = folder;
    this.#stack = stack;
  }

  static async enter(): Promise<VersionStage> {
    const stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "versions-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const { sender } = await connect({ clock, processes, env: {}, kubeconfig: testKubeconfig() });
    stack.defer(() => sender.close());
    const client = new HttpClient({ clock, random, sender, userAgent: "tests" });
    const info = readInfo(clusterFolder(process.env.HOLDFAST_TEST_CLUSTER ?? ""));
    return new VersionStage(client, info, folder, stack);
  }

  /** What the API server says that it is, such as v1.37.1. */
  async serverVersion(): Promise<string> {
    const { sender } = await connect({ clock, processes, env: {}, kubeconfig: testKubeconfig() });
    try {
      const { body } = await sender.send({ method: "GET", path: "/version" });
      return (JSON.parse(String(await readBody(body))) as { readonly gitVersion: string }).gitVersion;
    } finally {
      sender.close();
    }
  }

  helm(...args: readonly string[]): Promise<string> {
    return this.helmOf(helmProgram(), ...args);
  }

  async helmOf(program: string, ...args: readonly string[]): Promise<string> {
    const all = [...args, "--namespace", HOME, "--kubeconfig", testKubeconfig()];
    const { stdout } = await promisify(execFile)(program, all, { maxBuffer: 2 ** 26 });
    return stdout;
  }

  /** Installs or upgrades the release. Its pods have nowhere to run, so nothing is waited for. */
  release(
    verb: "install" | "upgrade",
    values: Readonly<Record<string, string>> = {},
    program = helmProgram(),
  ): Promise<string> {
    const set = Object.entries({ ...VALUES, ...values }).flatMap(([key, value]) => [
      "--set",
      `${key}=${value}`,
    ]);
    const create = verb === "install" ? ["--create-namespace"] : [];
    return this.helmOf(program, verb, RELEASE, CHART, ...create, ...set);
  }

  /** Starts the operator with the environment and the rights that the chart gives it, and waits until it is ready. */
  async operator(): Promise<RunningOperator> {
    const kubeconfig = join(this.#folder, "operator.kubeconfig");
    const account = { namespace: HOME, serviceAccount: RELEASE };
    writeFileSync(kubeconfig, await serviceAccountKubeconfig(this.info, account), { mode: 0o600 });
    const [health, debug, webhook] = [await freePort(), await freePort(), await freePort()];
    const { HOLDFAST_WEBHOOK_SERVICE: _, ...given } = await this.#chartEnv();
    const started = this.#start([], {
      ...given,
      KUBECONFIG: kubeconfig,
      HOLDFAST_HEALTH_PORT: `${health}`,
      HOLDFAST_DEBUG_PORT: `${debug}`,
      // No Service leads to this process.
      HOLDFAST_WEBHOOK_PORT: `${webhook}`,
      HOLDFAST_WEBHOOK_URL: `https://${this.info.hostAddress}:${webhook}`,
    });
    const running = { ...started, health };
    await eventually("the operator is ready", () => isReady(running), 180);
    return running;
  }

  /** What the guide tells to run after an uninstall without its hook. */
  async cleanUp(): Promise<void> {
    const { child, output } = this.#start(["--cleanup"], { KUBECONFIG: testKubeconfig() });
    await eventually("all is let go", () => child.exitCode !== null, 180);
    if (child.exitCode !== 0) throw new Error(output.join("\n"));
  }

  /** Runs the command line as the administrator. */
  async holdfast(...words: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
    const env = { PATH: process.env.PATH, HOME: this.#folder, KUBECONFIG: testKubeconfig() };
    return new Promise((resolve) => {
      execFile(process.execPath, ["src/main/holdfast.ts", ...words], { env }, (error, stdout) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout }),
      );
    });
  }

  /** What the release gives the operator's pods as annotations. */
  async podAnnotations(): Promise<Readonly<Record<string, string>>> {
    const { spec } = await this.client.get(Deployments, { namespace: HOME, name: RELEASE });
    return spec?.template.metadata?.annotations ?? {};
  }

  /** Applies a file of the first example. */
  async apply(file: string): Promise<void> {
    const text = readFileSync(`examples/start/${file}.yaml`, "utf8");
    for (const document of parseAllDocuments(text)) await this.put(document.toJS() as Manifest);
  }

  async put(object: Manifest): Promise<KubeObject> {
    const known: readonly Resource[] = [
      Namespaces,
      PersistentVolumeClaims,
      Secrets,
      ...KINDS.map(({ resource }) => resource),
    ];
    const resource = known.find(({ kind }) => kind === object.kind);
    if (!resource) throw new Error(`no ${object.kind} is known here`);
    return this.client.apply(resource, object, { fieldManager: "tests" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  /** What the Deployment says outright; the rest stands for the pod's own names. */
  async #chartEnv(): Promise<Readonly<Record<string, string>>> {
    const { spec } = await this.client.get(Deployments, { namespace: HOME, name: RELEASE });
    const { env = [] } = spec?.template.spec?.containers[0] ?? {};
    return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  }

  #start(args: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, ["src/main/operator.ts", ...args], {
      env: { PATH: process.env.PATH, POD_NAMESPACE: HOME, ...env },
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => output.push(line));
    this.#stack.defer(() => ended(child, "SIGKILL"));
    return { child, output };
  }
}

async function isReady({ child, output, health }: RunningOperator): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(output.join("\n"));
  const sender = new HttpsSender({ url: `http://127.0.0.1:${health}` });
  try {
    const { status } = await sender.send({ method: "GET", path: "/readyz" });
    return status === 200;
  } catch {
    return false;
  } finally {
    sender.close();
  }
}

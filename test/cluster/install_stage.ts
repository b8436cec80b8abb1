import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { buildTree, describeTree, type FoundEntry, type TreeEntry } from "../../src/engines/testing/tree.ts";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { AuthorizedSender } from "../../src/kube/config/authorized_sender.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { load } from "../../tools/cluster/cluster.ts";
import { component } from "../../tools/cluster/component.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { serviceAccountToken } from "../../tools/cluster/token.ts";
import { buildImage } from "../../tools/images/images.ts";
import { helmProgram } from "../scenarios/helm_program.ts";
import { volumeHandle } from "../scenarios/volume_handle.ts";
import { InstallGuide } from "./install_guide.ts";
import { namespacesGone } from "./namespaces_gone.ts";
import { eventually, testKubeconfig } from "./world.ts";

export const CHART = "charts/holdfast";
const RELEASE = "holdfast";
const PATIENCE = 240;
/** What Helm 4, as the guide says, and only that, has to be told of objects that others have written. */
export const TAKING_OVER = process.env.HOLDFAST_TEST_HELM ? ["--force-conflicts"] : [];

export const DEMO = "holdfast-demo";
export const HOME = "holdfast-system";

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly stringData?: unknown;
}

/** The cluster under test as somebody has it who installs the chart: images, helm, manifests, and a look at volumes. */
export class InstallStage implements AsyncDisposable {
  readonly client: HttpClient;
  readonly guide: InstallGuide;
  readonly #stack: AsyncDisposableStack;

  private constructor(client: HttpClient, stack: AsyncDisposableStack) {
    this.client = client;
    this.guide = stack.use(new InstallGuide());
    this.#stack = stack;
  }

  static async enter(): Promise<InstallStage> {
    const stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "install-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const archive = join(folder, "operator.tar");
    await buildImage("operator", archive);
    await load(clusterName(), [archive]);
    const { sender } = await connect({ clock, processes, env: process.env, kubeconfig: testKubeconfig() });
    stack.defer(() => sender.close());
    const client = new HttpClient({ clock, random, sender, userAgent: "tests" });
    await namespacesGone(client);
    return new InstallStage(client, stack);
  }

  async helm(...args: readonly string[]): Promise<string> {
    const all = [...args, "--namespace", HOME, "--kubeconfig", testKubeconfig()];
    const { stdout } = await promisify(execFile)(helmProgram(), all, { maxBuffer: 2 ** 26 });
    return stdout;
  }

  /** Installs or upgrades the release, and waits until its pods are ready. */
  release(
    verb: "install" | "upgrade",
    values: Readonly<Record<string, string>> = {},
    more: readonly string[] = [],
    chart = CHART,
  ): Promise<string> {
    const set = Object.entries({ installScope: "cluster", "image.pullPolicy": "Never", ...values }).flatMap(
      ([key, value]) => ["--set", `${key}=${value}`],
    );
    const create = verb === "install" ? ["--create-namespace"] : [];
    return this.helm(verb, RELEASE, chart, ...create, ...set, ...more, "--wait", "--timeout", `${PATIENCE}s`);
  }

  /** Changes values alone: what runs stays as it is. */
  revalue(...set: readonly string[]): Promise<string> {
    return this.helm(
      "upgrade",
      RELEASE,
      CHART,
      "--reuse-values",
      "--wait",
      ...set.flatMap((one) => ["--set", one]),
    );
  }

  rollback(revision: number): Promise<string> {
    return this.helm("rollback", RELEASE, String(revision), "--wait", "--timeout", `${PATIENCE}s`);
  }

  uninstall(): Promise<string> {
    return this.helm("uninstall", RELEASE, "--wait", "--timeout", `${PATIENCE}s`);
  }

  /** Applies a file of the first example, as it is written or in another namespace. */
  async apply(file: string, namespace = DEMO): Promise<void> {
    const text = readFileSync(`examples/start/${file}.yaml`, "utf8").replaceAll(DEMO, namespace);
    for (const document of parseAllDocuments(text)) await this.put(document.toJS() as Manifest);
  }

  /** Applies an example of the native API, with what a person puts in. */
  async example(file: string, put: Readonly<Record<string, string>>): Promise<void> {
    const text = readFileSync(`examples/kopiur/${file}.yaml`, "utf8");
    const here = Object.entries(put).reduce((all, [word, value]) => all.replaceAll(word, value), text);
    for (const document of parseAllDocuments(here)) await this.put(document.toJS() as Manifest);
  }

  async put(object: Manifest): Promise<void> {
    const known: readonly Resource[] = [
      Namespaces,
      PersistentVolumeClaims,
      Secrets,
      ...KINDS.map(({ resource }) => resource),
    ];
    const resource = known.find(({ kind }) => kind === object.kind);
    if (!resource) throw new Error(`no ${object.kind} is known here`);
    await this.client.apply(resource, object, { fieldManager: "tests" });
  }

  /** A client that acts as the operator that the chart has installed. */
  async asOperator(): Promise<HttpClient> {
    const info = readInfo(clusterFolder(clusterName()));
    const token = await serviceAccountToken(info, { namespace: HOME, serviceAccount: RELEASE });
    const credentials = fixedCredentials({ headers: { authorization: `Bearer ${token}` } });
    const ca = readFileSync(info.ca, "utf8");
    const sender = new AuthorizedSender(
      credentials,
      () => new HttpsSender({ url: info.server, tls: { ca } }),
    );
    this.#stack.defer(() => sender.close());
    return new HttpClient({ clock, random, sender, userAgent: "tests" });
  }

  async until<T extends Phased>(
    resource: Resource<T>,
    name: string,
    phase: string,
    namespace = DEMO,
  ): Promise<T> {
    const find = () => this.client.get(resource, { namespace, name });
    await eventually(
      `${resource.kind} ${name} is ${phase}`,
      async () => {
        const { status } = await find();
        if (status?.phase === "Failed" && phase !== "Failed") throw new Error(JSON.stringify(status));
        return status?.phase === phase;
      },
      PATIENCE,
    );
    return find();
  }

  async fill(claim: string, entries: readonly TreeEntry[]): Promise<void> {
    await buildTree(await this.folderOf(claim), entries);
  }

  /** What is on the volume of a claim. */
  async content(claim: string): Promise<readonly FoundEntry[]> {
    return describeTree(await this.folderOf(claim));
  }

  /** Where the volume of a claim is. The node has mounts of its own, and what is mounted over a volume shows only there. */
  async folderOf(name: string): Promise<string> {
    const info = readInfo(clusterFolder(clusterName()));
    const handle = await volumeHandle(this.client, { namespace: DEMO, name });
    return join(`/proc/${component(info, "node").pid}/root`, info.directory, "volumes", handle);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function clusterName(): string {
  return process.env.HOLDFAST_TEST_CLUSTER ?? "";
}

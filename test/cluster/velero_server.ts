import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { DaemonSet } from "../../src/kube/builtin.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Crd } from "../../src/kube/schema/crd.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { load } from "../../tools/cluster/cluster.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { packImage } from "../../tools/cluster/image.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import programs from "../../tools/programs/programs.json" with { type: "json" };
import type { S3Place } from "../scenarios/world.ts";
import { testKubeconfig } from "./world.ts";

/** What the names of its programs end with: nothing, where it is the newest. */
const WHICH = process.env.HOLDFAST_TEST_VELERO ?? "";
const PINNED: Readonly<Record<string, { readonly version: string }>> = programs;
/** Of its node agent, where they are not those that it has by itself. */
const SETTINGS = "node-agent-of-velero";
const IMAGE = `velero/velero:v${PINNED[`velero${WHICH}`]?.version}`;
/** Of the server's output, when something fails. */
const LAST_LINES = 30;

export interface VeleroPlace {
  readonly namespace: string;
  readonly s3: S3Place;
  /** In the bucket. */
  readonly prefix: string;
  /** Of all its repositories. */
  readonly password: string;
}

/** The CRDs as Velero brings them. */
export async function theirCrds(): Promise<readonly Crd[]> {
  const home = mkdtempSync(join(tmpdir(), "velero-"));
  try {
    return parsed<Crd>(await velero(home, "install", "--crds-only", "--dry-run", "--output=yaml"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A real Velero: installed by its own command, with its server as a process of this machine, and no node agent. */
export class VeleroServer implements AsyncDisposable {
  /** What its own installation has for the nodes. */
  readonly #nodeAgent: DaemonSet;
  readonly #place: VeleroPlace;
  readonly #home: string;
  readonly #server: ChildProcess;

  private constructor(place: VeleroPlace, home: string, server: ChildProcess, nodeAgent: DaemonSet) {
    this.#place = place;
    this.#home = home;
    this.#server = server;
    this.#nodeAgent = nodeAgent;
  }

  static async start(place: VeleroPlace): Promise<VeleroServer> {
    const home = mkdtempSync(join(tmpdir(), "velero-"));
    try {
      await loadImage(home);
      const objects = await installation(home, place);
      await apply(objects.filter(({ kind }) => kind !== "DaemonSet").map((object) => withoutPods(object)));
      await apply([passwordOf(place)]);
      const nodeAgent = objects.find(({ kind }) => kind === "DaemonSet");
      if (!nodeAgent) throw new Error("Velero's own installation has no node agent");
      return new VeleroServer(place, home, await started(home, place), nodeAgent as DaemonSet);
    } catch (error) {
      await rm(home, { recursive: true, force: true });
      throw error;
    }
  }

  /** Its command line. What fails comes with the server's last words. */
  async command(...args: readonly string[]): Promise<string> {
    try {
      return await velero(this.#home, ...args, `--namespace=${this.#place.namespace}`);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.#lastWords()}`, { cause: error });
    }
  }

  /** Its own node agent; with settings also the ConfigMap of these. */
  nodeAgentWith(settings?: object): readonly KubeObject[] {
    if (!settings) return [this.#nodeAgent];
    const agent = structuredClone(this.#nodeAgent);
    const [container] = agent.spec?.template.spec?.containers ?? [];
    container?.args?.push(`--node-agent-configmap=${SETTINGS}`);
    const metadata = { namespace: this.#place.namespace, name: SETTINGS };
    const data = { "node-agent.json": JSON.stringify(settings) };
    return [{ apiVersion: "v1", kind: "ConfigMap", metadata, data } as unknown as KubeObject, agent];
  }

  /** A folder of the same bucket, as a place for backups. */
  async createLocation(name: string, prefix: string): Promise<void> {
    const { s3 } = this.#place;
    const where = ["--provider=aws", `--bucket=${s3.bucket}`, `--prefix=${prefix}`];
    await this.command("backup-location", "create", name, ...where, `--config=${configOf(s3)}`);
  }

  /** What the server wrote last. Throws if it has ended. */
  lastWords(): string {
    const words = this.#lastWords();
    if (this.#server.exitCode !== null) throw new Error(`the Velero server has ended:\n${words}`);
    return words;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#server);
    await rm(this.#home, { recursive: true, force: true });
  }

  #lastWords(): string {
    return readFileSync(logOf(this.#home), "utf8").trimEnd().split("\n").slice(-LAST_LINES).join("\n");
  }
}

/** Applies objects as they are. */
export async function apply(objects: readonly KubeObject[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(list));
}

/** Deletes what there is of it, with everything that belongs to it, and waits until it is gone. */
export async function remove(...what: readonly string[]): Promise<void> {
  await kubectl(["delete", "--ignore-not-found", "--cascade=foreground", "--timeout=120s", ...what]);
}

async function kubectl(args: readonly string[], stdin = ""): Promise<void> {
  const all = ["--kubeconfig", testKubeconfig(), ...args];
  const { code, stderr } = await systemProcesses.run(pinnedProgram("kubectl"), all, { stdin });
  if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}`);
}

async function installation(home: string, { namespace, s3, prefix }: VeleroPlace) {
  writeFileSync(
    credentialsOf(home),
    `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`,
  );
  const text = await velero(
    home,
    ...["install", "--dry-run", "--output=yaml", `--namespace=${namespace}`, `--image=${IMAGE}`],
    ...["--provider=aws", "--plugins=velero/velero-plugin-for-aws:v1.14.3", "--use-volume-snapshots=false"],
    ...[`--bucket=${s3.bucket}`, `--prefix=${prefix}`, `--backup-location-config=${configOf(s3)}`],
    ...[`--secret-file=${credentialsOf(home)}`, "--use-node-agent", `--kubelet-root-dir=${kubeletFolder()}`],
  );
  return parsed<KubeObject>(text).filter(({ kind }) => kind !== "CustomResourceDefinition");
}

function configOf({ endpoint }: S3Place): string {
  return `region=us-east-1,s3ForcePathStyle=true,s3Url=${endpoint}`;
}

/** The server is a process of this machine; what is read in its Deployment stays. */
function withoutPods(object: KubeObject): KubeObject {
  if (object.kind !== "Deployment" || !("spec" in object)) return object;
  return { ...object, spec: { ...(object.spec as object), replicas: 0 } } as KubeObject;
}

function passwordOf({ namespace, password }: VeleroPlace): KubeObject {
  const metadata = { namespace, name: "velero-repo-credentials" };
  const stringData = { "repository-password": password };
  return { apiVersion: "v1", kind: "Secret", metadata, stringData } as unknown as KubeObject;
}

/** What its node agent, its movers and restored pods run. */
async function loadImage(home: string): Promise<void> {
  const rootfs = join(home, "image");
  mkdirSync(join(rootfs, "tmp"), { recursive: true });
  await cp(pinnedProgram(`velero${WHICH}`), join(rootfs, "velero"));
  await cp(pinnedProgram(`velero-restore-helper${WHICH}`), join(rootfs, "velero-restore-helper"));
  const out = join(home, "image.tar");
  await packImage({ name: IMAGE, rootfs, entrypoint: ["/velero"], out });
  await load(clusterName(), [out]);
  await Promise.all([rootfs, out].map((path) => rm(path, { recursive: true })));
}

async function started(home: string, { namespace }: VeleroPlace): Promise<ChildProcess> {
  const [metrics, profiler] = [await freePort(), await freePort()];
  const log = openSync(logOf(home), "w");
  // `server` comes first: its plugins get what follows.
  const args = [
    ...["server", "--kubeconfig", testKubeconfig(), `--namespace=${namespace}`],
    `--plugin-dir=${dirname(pinnedProgram("velero-plugin-for-aws"))}`,
    ...[`--metrics-address=127.0.0.1:${metrics}`, `--profiler-address=127.0.0.1:${profiler}`],
    "--fs-backup-timeout=5m",
  ];
  try {
    // Its plugins are processes of its group, and end with it.
    return spawn(pinnedProgram(`velero${WHICH}`), args, {
      env: environment(home),
      stdio: ["ignore", log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const over = new Promise((resolve) => server.once("exit", resolve));
  process.kill(-server.pid, "SIGKILL");
  await over;
}

async function velero(home: string, ...args: readonly string[]): Promise<string> {
  const all = ["--kubeconfig", testKubeconfig(), ...args];
  const { code, stdout, stderr } = await systemProcesses.run(pinnedProgram(`velero${WHICH}`), all, {
    env: environment(home),
  });
  if (code !== 0) throw new Error(`velero ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout.toString();
}

function environment(home: string) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    AWS_SHARED_CREDENTIALS_FILE: credentialsOf(home),
  };
}

function credentialsOf(home: string): string {
  return join(home, "cloud");
}

function logOf(home: string): string {
  return join(home, "server.log");
}

function kubeletFolder(): string {
  return join(clusterFolder(clusterName()), "node");
}

function clusterName(): string {
  return process.env.HOLDFAST_TEST_CLUSTER ?? "";
}

/** The objects of a list. */
function parsed<T>(text: string): readonly T[] {
  return parse(text).items;
}

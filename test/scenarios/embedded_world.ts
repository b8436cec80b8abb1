import { mkdtempSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operatorNamespaceOf } from "../../src/core/work/settings.ts";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { MachineNode } from "../../src/embedded/node/node.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import { buildTree, describeTree } from "../../src/engines/testing/tree.ts";
import { StorageClasses } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { Manager } from "../../src/kube/controller/manager.ts";
import { systemClock as clock, sleep } from "../../src/lib/clock.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemProcessGroups as groups } from "../../src/lib/process_groups.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { systemStreamedProcesses as streamed } from "../../src/lib/streamed_process.ts";
import { APIS } from "../../src/main/apis.ts";
import { localImages } from "../../src/main/local_images.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { type Keys, testEngines } from "../../tools/images/test_engines.ts";
import { bundle } from "../../tools/run/bundle.ts";
import { STORAGES } from "../engines/servers.ts";
import { processesMarked } from "./machine_processes.ts";
import { Operator, type OperatorOptions } from "./operator.ts";
import { servedAccount } from "./served_account.ts";
import { smallDisk } from "./small_disk.ts";
import { volumeHandle } from "./volume_handle.ts";
import {
  type ClaimName,
  type S3Place,
  type ScenarioWorld,
  SHIPPED_MOVER,
  type WorldOptions,
} from "./world.ts";

/** Pods have mount namespaces of their own, which root can always make; owners are only root's to give. */
export const embeddedCan = process.getuid?.() === 0;

const MOVER_IMAGE = "holdfast/mover:test";

export interface EmbeddedWorldOptions extends OperatorOptions, WorldOptions {
  /** What movers find in their environment, beside what every pod does. */
  readonly moverEnv?: Readonly<Record<string, string>>;
}

/** The embedded control plane with this machine as its node, the operator in the same process, and movers as pods. */
export async function embeddedWorld({
  moverEnv = {},
  lending = false,
  guards,
  ofApis = {},
  ...options
}: EmbeddedWorldOptions = {}): Promise<ScenarioWorld> {
  const stack = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "scenarios-"));
  stack.defer(() => rm(home, { recursive: true, force: true }));
  const ports = { clock, random, log };
  const crds = (await Promise.all((options.apis ?? APIS).map((api) => api.crds()))).flat();
  const plane = new ControlPlane({
    ...ports,
    store: new MemoryStore({ clock }),
    crds,
    podLogs: { read: (...request) => node.logs.read(...request) },
    podExec: { open: (...request) => node.exec.open(...request) },
    webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
  });
  const client = new HttpClient({ ...ports, sender: plane.sender, userAgent: "scenarios" });
  const mover = (await bundle("src/main/mover.ts", home, "mover")).path;
  const state = join(home, "node");
  const imagesWith = (keys: Keys) =>
    localImages({ mover, node: process.execPath, engines: testEngines(keys) });
  const [images, shipped] = [imagesWith("cheap"), imagesWith("shipped")];
  const node = new MachineNode({
    ...ports,
    client,
    processes,
    groups,
    streamed,
    state,
    images: (name) => {
      const image = name === SHIPPED_MOVER ? shipped(name) : images(name);
      return image && { ...image, env: { ...image.env, ...moverEnv } };
    },
    isRoot: embeddedCan,
    atStop: "kill",
  });
  const stop = new AbortController();
  const running = new Manager(ports)
    .add("servers", node, {
      name: "controllers",
      run(signal, ready) {
        ready();
        return plane.run(signal);
      },
    })
    .run(stop.signal);
  stack.defer(async () => {
    stop.abort(new Error("the scenarios are over"));
    await running;
  });
  // A claim that comes before the default class would stay without one.
  while ((await client.list(StorageClasses)).items.length === 0) await sleep(clock, 20);
  // Servers of the tests are on this machine, and so are the pods.
  const settings = {
    moverImage: MOVER_IMAGE,
    lendSecrets: lending,
    guarded: guards !== undefined,
    hooksMayCallLocalAddresses: true,
    ofApis,
    podsFolder: join(state, "pods"),
  };
  const admission = guards ? { admission: { apis: guards, host: "127.0.0.1" } } : {};
  const operator = stack.use(new Operator(plane.sender, settings, { ...options, ...admission }));
  const s3 = await startS3(join(home, "s3"), stack);
  const folderOf = async (claim: ClaimName) => join(state, "volumes", await volumeHandle(client, claim));
  return {
    client,
    operator,
    home: operatorNamespaceOf(settings),
    moverImage: MOVER_IMAGE,
    shippedMover: async () => SHIPPED_MOVER,
    s3,
    hostAddress: "127.0.0.1",
    account: (rights) => servedAccount(plane, rights),
    folderOf,
    shrink: async (claim, size, fileSystem = "tmpfs") =>
      smallDisk(await folderOf(claim), size, { fileSystem }),
    processesOf: ({ metadata }) => processesMarked("mountinfo", metadata.uid),
    put: async (claim, entries) => buildTree(await folderOf(claim), entries),
    describe: async (claim) => describeTree(await folderOf(claim)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startS3(folder: string, stack: AsyncDisposableStack): Promise<S3Place> {
  await mkdir(folder);
  const server = await STORAGES.find(({ kind }) => kind === "s3")?.start(folder);
  const { backend, credentials } = server?.at("") ?? {};
  if (!server || !backend || !("s3" in backend)) throw new Error("there is no S3 server to start");
  stack.defer(() => server.stop());
  const { bucket, endpoint = "" } = backend.s3;
  const { AWS_ACCESS_KEY_ID: accessKey = "", AWS_SECRET_ACCESS_KEY: secretKey = "" } = credentials ?? {};
  return { bucket, endpoint, accessKey, secretKey };
}

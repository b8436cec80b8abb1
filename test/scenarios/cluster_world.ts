import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { webhooksName } from "../../src/core/api.ts";
import { operatorNamespaceOf } from "../../src/core/work/settings.ts";
import { buildTree, describeTree } from "../../src/engines/testing/tree.ts";
import { removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Client } from "../../src/kube/client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import type { Crd } from "../../src/kube/schema/crd.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { APIS } from "../../src/main/apis.ts";
import { load } from "../../tools/cluster/cluster.ts";
import { component } from "../../tools/cluster/component.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { buildImage } from "../../tools/images/images.ts";
import { INSTEAD } from "../../tools/images/test_engines.ts";
import { ClusterAccount } from "../cluster/cluster_account.ts";
import { namespacesGone } from "../cluster/namespaces_gone.ts";
import { eventually, testKubeconfig } from "../cluster/world.ts";
import { startS3 } from "../engines/servers.ts";
import { installCrds } from "./install_crds.ts";
import { processesMarked } from "./machine_processes.ts";
import { Operator, scenarioRules } from "./operator.ts";
import { smallDisk } from "./small_disk.ts";
import { volumeHandle } from "./volume_handle.ts";
import {
  type ClaimName,
  type InstalledWorld,
  type ScenarioWorld,
  SHIPPED_MOVER,
  type WorldOptions,
} from "./world.ts";

/** A cluster of this machine, with the mover's image in it. */
export interface ClusterPlace {
  readonly kubeconfig: string;
  readonly name: string;
  /** This machine, as pods reach it. */
  readonly hostAddress: string;
  readonly moverImage: string;
}

function underTest(): ClusterPlace {
  const {
    HOLDFAST_TEST_CLUSTER: name = "",
    HOLDFAST_TEST_HOST_ADDRESS: hostAddress = "",
    HOLDFAST_TEST_MOVER_IMAGE: moverImage = "",
  } = process.env;
  return { kubeconfig: testKubeconfig(), name, hostAddress, moverImage };
}

/** A real cluster, by default the one under test, with the operator in this process, and movers in pods of their image. */
export async function clusterWorld(
  { lending = false, apis = APIS, guards, ofApis = {} }: WorldOptions = {},
  place: ClusterPlace = underTest(),
): Promise<ScenarioWorld> {
  await using stack = new AsyncDisposableStack();
  const settings = {
    moverImage: place.moverImage,
    imagePullPolicy: "Never",
    lendSecrets: lending,
    guarded: guards !== undefined,
    ofApis,
    podsFolder: join(clusterFolder(place.name), "node/pods"),
  } as const;
  const home = operatorNamespaceOf(settings);
  const world = stack.use(await operatedCluster(home, place));
  const { client } = world;
  const wanted = (await Promise.all(apis.map((api) => api.crds()))).flat();
  await installCrds(client, wanted, new AbortController().signal);
  await Promise.all(wanted.map((crd) => served(client, crd)));
  const info = readInfo(clusterFolder(place.name));
  const account = stack.use(
    await ClusterAccount.make(client, info, {
      rules: scenarioRules(settings, apis, guards !== undefined),
      home,
    }),
  );
  const { user } = account;
  const admission = guards ? { admission: { apis: guards, host: place.hostAddress, user } } : {};
  const operator = stack.use(new Operator(account.sender, settings, { apis, ...admission }));
  // They would deny what their server is not there for any more.
  for (const { name } of guards ?? [])
    stack.defer(async () => void (await removeWebhooks(client, webhooksName(name))));
  // As a person would end it: the objects first, then their namespaces, the operator last.
  stack.defer(() => namespacesGone(client));
  const kept = stack.move();
  return { ...world, operator, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The same, for whoever brings the operator himself, into this namespace. */
export async function operatedCluster(
  home: string,
  place: ClusterPlace = underTest(),
): Promise<InstalledWorld> {
  const { kubeconfig, name, hostAddress: host, moverImage } = place;
  await using stack = new AsyncDisposableStack();
  const { sender } = await connect({ clock, processes, env: process.env, kubeconfig });
  stack.defer(() => sender.close());
  const client = new HttpClient({ clock, random, sender, userAgent: "scenarios" });
  const info = readInfo(clusterFolder(name));
  const folder = mkdtempSync(join(tmpdir(), "scenarios-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const storage = await startS3(folder, host);
  stack.defer(() => storage.stop());
  const { backend, credentials } = storage.at("");
  if (!("s3" in backend)) throw new Error("the S3 server is none");
  const { bucket, endpoint = "" } = backend.s3;
  const { AWS_ACCESS_KEY_ID: accessKey = "", AWS_SECRET_ACCESS_KEY: secretKey = "" } = credentials;
  const { pid } = component(info, "node");
  // The node has mounts of its own, and what is mounted over a volume shows only there.
  const folderOf = async (claim: ClaimName) =>
    join(`/proc/${pid}/root`, info.directory, "volumes", await volumeHandle(client, claim));
  const kept = stack.move();
  return {
    client,
    home,
    moverImage,
    shippedMover: () => loadShippedMover(name, folder),
    s3: { bucket, endpoint, accessKey, secretKey },
    hostAddress: host,
    kubelet: component(info, "kubelet"),
    apiServer: component(info, "kube-apiserver"),
    account: (rights) => ClusterAccount.make(client, info, rights),
    folderOf,
    shrink: async (claim, size, fileSystem = "tmpfs") => {
      const inside = join(info.directory, "volumes", await volumeHandle(client, claim));
      return smallDisk(inside, size, { fileSystem, enter: ["nsenter", "-t", String(pid), "-m", "-p"] });
    },
    processesOf: ({ metadata }) => processesMarked("cgroup", metadata.uid),
    put: async (claim, entries) => buildTree(await folderOf(claim), entries),
    describe: async (claim) => describeTree(await folderOf(claim)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Only where it is asked for: to build and to load it takes many seconds. */
async function loadShippedMover(cluster: string, folder: string): Promise<string> {
  const archive = join(folder, "shipped.tar");
  await buildImage("mover", archive, { instead: INSTEAD.shipped, tag: SHIPPED_MOVER });
  await load(cluster, [archive]);
  await rm(archive);
  return SHIPPED_MOVER;
}

/** A real API server takes a CRD, and serves its objects a while later. */
async function served(client: Client, { spec }: Crd): Promise<void> {
  const { group, names, scope, versions } = spec;
  const { kind, plural } = names;
  const version = versions[0]?.name ?? "";
  const resource = { group, version, kind, plural, namespaced: scope === "Namespaced" };
  await eventually(`${plural} are served`, async () => {
    try {
      await client.metadata.list(resource, { limit: 1 });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  });
}

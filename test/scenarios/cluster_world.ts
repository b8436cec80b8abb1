import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kopiurControllers } from "../../src/apis/kopiur/kopiur.ts";
import { buildTree, describeTree } from "../../src/engines/testing/tree.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { Informers } from "../../src/kube/cache/informers.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { Manager } from "../../src/kube/controller/manager.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { installCrds } from "../../src/main/install_crds.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { noWatchObserver } from "../../src/observe/observers.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { testKubeconfig } from "../cluster/world.ts";
import { startS3 } from "../engines/servers.ts";
import { volumeHandle } from "./volume_handle.ts";
import type { ScenarioWorld } from "./world.ts";

/** The real cluster under test, the operator in this process, and movers in pods of their image. */
export async function clusterWorld(): Promise<ScenarioWorld> {
  const {
    HOLDFAST_TEST_CLUSTER: name = "",
    HOLDFAST_TEST_HOST_ADDRESS: host = "",
    HOLDFAST_TEST_MOVER_IMAGE: moverImage = "",
  } = process.env;
  const ports = { clock, random, log };
  const stack = new AsyncDisposableStack();
  const { sender } = await connect({ clock, processes, env: process.env, kubeconfig: testKubeconfig() });
  stack.defer(() => sender.close());
  const client = new HttpClient({ ...ports, sender, userAgent: "scenarios" });
  const stop = new AbortController();
  await installCrds(client, crds, stop.signal);
  const informers = new Informers({ ...ports, client, observer: noWatchObserver });
  const operator = kopiurControllers({
    ...ports,
    client,
    logs: new PodClient({ ...ports, sender }),
    informers,
    settings: { moverImage, imagePullPolicy: "Never" },
  });
  const running = new Manager(ports)
    .add("caches", informers)
    .add("elected", ...operator)
    .run(stop.signal);
  stack.defer(async () => {
    stop.abort(new Error("the scenarios are over"));
    await running;
  });
  const folder = mkdtempSync(join(tmpdir(), "scenarios-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const storage = await startS3(folder, host);
  stack.defer(() => storage.stop());
  const { backend, credentials } = storage.at("");
  if (!("s3" in backend)) throw new Error("the S3 server is none");
  const { bucket, endpoint = "" } = backend.s3;
  const { AWS_ACCESS_KEY_ID: accessKey = "", AWS_SECRET_ACCESS_KEY: secretKey = "" } = credentials;
  const volumes = join(readInfo(clusterFolder(name)).directory, "volumes");
  return {
    client,
    s3: { bucket, endpoint, accessKey, secretKey },
    put: async (claim, entries) => buildTree(join(volumes, await volumeHandle(client, claim)), entries),
    describe: async (claim) => describeTree(join(volumes, await volumeHandle(client, claim))),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

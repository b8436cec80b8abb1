import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import type { AdmissionGround } from "./admission_world.ts";

/** The embedded control plane in this process, over a store in memory, without a node. */
export async function embeddedAdmission(): Promise<AdmissionGround> {
  const store = new MemoryStore({ clock });
  const plane = new ControlPlane({
    clock,
    random,
    log,
    store,
    webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
  });
  const stop = new AbortController();
  const running = plane.run(stop.signal);
  return {
    client: new HttpClient({ clock, random, sender: plane.sender, userAgent: "admission-cases" }),
    host: "127.0.0.1",
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the cases are over"));
      await Promise.allSettled([running]);
      plane.sender.close();
      store.close();
    },
  };
}

/** The real cluster under test. */
export async function clusterAdmission(): Promise<AdmissionGround> {
  const { HOLDFAST_TEST_HOST_ADDRESS: host = "127.0.0.1", HOLDFAST_TEST_KUBECONFIG: kubeconfig } =
    process.env;
  if (!kubeconfig) throw new Error("HOLDFAST_TEST_KUBECONFIG must name the kubeconfig of a test cluster");
  const { sender } = await connect({ clock, processes, env: process.env, kubeconfig });
  return {
    client: new HttpClient({ clock, random, sender, userAgent: "admission-cases" }),
    host,
    [Symbol.asyncDispose]: async () => sender.close(),
  };
}

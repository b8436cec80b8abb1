import type { Cluster } from "../cli/frame/command.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { PodClient } from "../kube/client/pod_client.ts";
import { connect } from "../kube/config/connect.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";

export interface CliClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** A cluster as the command line reaches it. */
export async function cliCluster({
  env,
  kubeconfig,
  context: wanted,
}: CliClusterOptions): Promise<Cluster & Disposable> {
  const { sender, namespace, server, context } = await connect({
    clock,
    processes,
    env,
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(wanted ? { context: wanted } : {}),
  });
  // A person waits: that nobody answers is said soon.
  const options = { sender, clock, random, userAgent: "holdfast-cli", patience: 2_000 };
  return {
    client: new HttpClient(options),
    pods: new PodClient(options),
    version: async (signal) =>
      (await import("../kube/client/server_version.ts")).serverVersion(sender, signal),
    namespace,
    server,
    ...(context === undefined ? {} : { context }),
    [Symbol.dispose]: () => sender.close(),
  };
}

import { down, up } from "../cluster/cluster.ts";
import { type ClusterSuiteOptions, runClusterSuite, timed } from "./cluster_suite.ts";
import type { Outcome } from "./results.ts";
import { runVitest } from "./vitest.ts";

const PINNED = "kube-apiserver";
/** What everything else runs with, to compare with; then the older ones, the oldest last. */
const API_SERVERS = [PINNED, "kube-apiserver-1.36", "kube-apiserver-1.35", "kube-apiserver-1.34"] as const;
/** Those that a whole cluster runs with, its other components emulating that version: the oldest says most. */
const WITH_NODES: readonly string[] = ["kube-apiserver-1.34"];
/** Backups and restores on a whole cluster. */
const SCENARIOS = "test/cluster/scenarios.test.ts";

/** With a real Velero server. */
const VELERO = "test/cluster/velero_server.test.ts";
/** What the names of an older Velero's programs end with. */
const OLDER_VELERO = "-1.17";

/**
 * API servers of several versions, one after the other, with everything else of the pinned version and the newest Helm:
 * on a control plane alone the tests of the project `versions`, then with the oldest one on a whole cluster those of
 * backups and restores. An older Velero has its turn last.
 */
export async function runVersionsSuite({ args, env = {} }: ClusterSuiteOptions): Promise<readonly Outcome[]> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const outcomes: Outcome[] = [];
  for (const apiServer of API_SERVERS) {
    const isOther = apiServer !== PINNED;
    const all = args.length === 0;
    // Of the pinned version the suites on a cluster say the rest.
    const files = all && !isOther ? ["test/versions"] : args;
    const found = [...(await runOnPlane(apiServer, { args: files, env, signal: stop.signal }))];
    if (all && WITH_NODES.includes(apiServer) && !stop.signal.aborted) {
      found.push(...(await runClusterSuite({ args: [SCENARIOS], apiServer })));
    }
    outcomes.push(...found.map((outcome) => ({ ...outcome, name: `${apiServer}: ${outcome.name}` })));
    if (stop.signal.aborted) break;
  }
  if (args.length === 0 && !stop.signal.aborted) {
    const found = await runClusterSuite({
      args: [VELERO],
      env: { ...env, HOLDFAST_TEST_VELERO: OLDER_VELERO },
    });
    outcomes.push(
      ...found.map((outcome) => ({ ...outcome, name: `velero${OLDER_VELERO}: ${outcome.name}` })),
    );
  }
  if (stop.signal.aborted) outcomes.push({ name: "the suite was interrupted", state: "failed", ms: 0 });
  return outcomes;
}

interface PlaneOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

async function runOnPlane(
  apiServer: string,
  { args, env, signal }: PlaneOptions,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const name = `versions-${process.pid}`;
  const shape = { kind: "control-plane", controllers: true } as const;
  const report = (line: string) => console.error(line);
  const info = await timed(outcomes, "a control plane comes up", () =>
    up({ name, shape, apiServer, report }),
  );
  if (info && !signal.aborted) {
    const tests = await runVitest("versions", {
      args,
      env: {
        ...env,
        HOLDFAST_TEST_KUBECONFIG: info.kubeconfig,
        HOLDFAST_TEST_CLUSTER: name,
        HOLDFAST_TEST_HOST_ADDRESS: info.hostAddress,
        HOLDFAST_TEST_NODELESS: "1",
        ...(apiServer === PINNED ? {} : { HOLDFAST_TEST_OTHER_API_SERVER: apiServer }),
        HOLDFAST_TEST_HELM: "helm-4",
      },
      output: "shown",
      signal,
    });
    outcomes.push(...tests.outcomes);
  }
  await timed(outcomes, "the control plane goes down", () => down(name));
  return outcomes;
}

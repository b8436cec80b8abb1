import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/lib/result.ts";
import { down, load, up } from "../cluster/cluster.ts";
import { buildImage, imageTag } from "../images/images.ts";
import type { Outcome } from "./results.ts";
import { runVitest } from "./vitest.ts";

export interface ClusterSuiteOptions {
  /** Arguments for vitest, such as the files to run. */
  readonly args: readonly string[];
  /** Added to the environment of the tests. Default none. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Brings up a cluster, runs the tests of the project `cluster` on it, and takes it down again whatever happens,
 * also on SIGINT and SIGTERM. That the cluster comes up and goes down counts as a test each.
 */
export async function runClusterSuite({ args, env = {} }: ClusterSuiteOptions): Promise<readonly Outcome[]> {
  const name = `test-${process.pid}`;
  const stop = new AbortController();
  // The cluster's own way up is not interrupted: it takes seconds, and what it started must be known to be ended.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const outcomes: Outcome[] = [];
  const report = (line: string) => console.error(line);
  const info = await timed(outcomes, "a cluster comes up", () => up({ name, report }));
  const loaded =
    info &&
    !stop.signal.aborted &&
    (await timed(outcomes, "the mover's image is loaded", () => loadMover(name)));
  if (info && loaded && !stop.signal.aborted) {
    const tests = await runVitest("cluster", {
      args,
      env: {
        ...env,
        HOLDFAST_TEST_KUBECONFIG: info.kubeconfig,
        HOLDFAST_TEST_CLUSTER: name,
        HOLDFAST_TEST_HOST_ADDRESS: info.hostAddress,
        HOLDFAST_TEST_MOVER_IMAGE: loaded,
      },
      output: "shown",
      signal: stop.signal,
    });
    outcomes.push(...tests.outcomes);
  }
  await timed(outcomes, "the cluster goes down", () => down(name));
  if (stop.signal.aborted) outcomes.push({ name: "the suite was interrupted", state: "failed", ms: 0 });
  return outcomes;
}

/** Builds the image of the mover as it is now, and brings it into the cluster. Returns its name. */
async function loadMover(cluster: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-images-"));
  try {
    const archive = join(folder, "mover.tar");
    await buildImage("mover", archive);
    await load(cluster, [archive]);
    return imageTag("mover");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed<T>(outcomes: Outcome[], name: string, work: () => Promise<T>): Promise<T | undefined> {
  const begin = performance.now();
  try {
    const result = await work();
    outcomes.push({ name, state: "passed", ms: performance.now() - begin });
    return result;
  } catch (error) {
    console.error(`${name}: ${messageOf(error)}`);
    outcomes.push({ name, state: "failed", ms: performance.now() - begin });
    return undefined;
  }
}

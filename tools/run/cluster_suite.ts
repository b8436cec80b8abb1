import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/lib/result.ts";
import { down, load, up } from "../cluster/cluster.ts";
import { buildImage, imageTag } from "../images/images.ts";
import { INSTEAD } from "../images/test_engines.ts";
import { longestFirst } from "./longest_first.ts";
import { type Outcome, whyOf } from "./results.ts";
import { runVitest } from "./vitest.ts";

export interface ClusterSuiteOptions {
  /** Arguments for vitest, such as the files to run. */
  readonly args: readonly string[];
  /** Added to the environment of the tests. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The pinned program that is the API server. Default that of every day. */
  readonly apiServer?: string;
}

/** Clusters side by side: most of what a test does on one is to wait for it. */
const CLUSTERS = 3;

/**
 * Brings up clusters, runs the tests of the project `cluster` on them, and takes them down again whatever happens,
 * also on SIGINT and SIGTERM. That a cluster comes up and goes down counts as a test each. Where files are named, one
 * cluster runs them all.
 */
export async function runClusterSuite({
  args,
  env = {},
  apiServer,
}: ClusterSuiteOptions): Promise<readonly Outcome[]> {
  const stop = new AbortController();
  // A cluster's own way up is not interrupted: it takes seconds, and what it started must be known to be ended.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const outcomes: Outcome[] = [];
  const images = mkdtempSync(join(tmpdir(), "holdfast-images-"));
  const archive = join(images, "mover.tar");
  const parts =
    args.length > 0
      ? [args]
      : longestFirst(globSync("test/cluster/**/*.test.ts").sort(), String).map((file) => [file]);
  try {
    const built = await timed(outcomes, "the mover's image is built", async () => {
      await buildImage("mover", archive, { instead: INSTEAD.cheap });
      return true;
    });
    const clusters = built ? Array.from({ length: Math.min(CLUSTERS, parts.length) }, (_, at) => at) : [];
    await Promise.all(
      clusters.map((at) =>
        runOnCluster({
          name: `test-${process.pid}-${at}`,
          archive,
          parts,
          env,
          ...(apiServer ? { apiServer } : {}),
          output: clusters.length > 1 ? "collected" : "shown",
          outcomes,
          signal: stop.signal,
        }),
      ),
    );
  } finally {
    rmSync(images, { recursive: true, force: true });
  }
  if (stop.signal.aborted) outcomes.push({ name: "the suite was interrupted", state: "failed", ms: 0 });
  return outcomes;
}

interface ClusterWork {
  readonly name: string;
  /** The mover's image. */
  readonly archive: string;
  /** What is left to run, as arguments of vitest: each cluster takes the next as it gets free. */
  readonly parts: (readonly string[])[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiServer?: string;
  /** Of clusters side by side the output is shown a file at a time. */
  readonly output: "shown" | "collected";
  readonly outcomes: Outcome[];
  readonly signal: AbortSignal;
}

async function runOnCluster({
  name,
  archive,
  parts,
  env,
  apiServer,
  output,
  outcomes,
  signal,
}: ClusterWork): Promise<void> {
  const report = (line: string) => console.error(line);
  const info = await timed(outcomes, "a cluster comes up", () =>
    up({ name, report, ...(apiServer ? { apiServer } : {}) }),
  );
  const loaded =
    info &&
    !signal.aborted &&
    (await timed(outcomes, "the mover's image is loaded", async () => {
      await load(name, [archive]);
      return true;
    }));
  while (info && loaded && !signal.aborted) {
    const part = parts.shift();
    if (!part) break;
    const tests = await runVitest("cluster", {
      args: part,
      env: {
        ...env,
        HOLDFAST_TEST_KUBECONFIG: info.kubeconfig,
        HOLDFAST_TEST_CLUSTER: name,
        HOLDFAST_TEST_HOST_ADDRESS: info.hostAddress,
        HOLDFAST_TEST_MOVER_IMAGE: imageTag("mover"),
      },
      output,
      signal,
    });
    process.stdout.write(tests.output);
    outcomes.push(...tests.outcomes);
  }
  await timed(outcomes, "the cluster goes down", () => down(name));
}

/** Does a step that counts as a test. */
export async function timed<T>(
  outcomes: Outcome[],
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const begin = performance.now();
  try {
    const result = await work();
    outcomes.push({ name, state: "passed", ms: performance.now() - begin });
    return result;
  } catch (error) {
    console.error(`${name}: ${messageOf(error)}`);
    outcomes.push({ name, state: "failed", ms: performance.now() - begin, why: whyOf(messageOf(error)) });
    return undefined;
  }
}

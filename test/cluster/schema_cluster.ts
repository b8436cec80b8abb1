import { expect } from "vitest";
import { ApiError } from "../../src/kube/api_error.ts";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Client } from "../../src/kube/client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { type AdmitOptions, admit } from "../../src/kube/schema/admit.ts";
import type { Crd } from "../../src/kube/schema/crd.ts";
import { type Problem, problemText } from "../../src/kube/schema/problem.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { isRecord } from "../../src/lib/json.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { systemRandom } from "../../src/lib/random.ts";

/** What the API server, or the interpreter, says of an object. */
export interface Verdict {
  /** Sorted; empty when the object was taken. */
  readonly problems: readonly string[];
  /** The spec as it was taken, and the fields that were pruned from it. */
  readonly taken?: { readonly spec: unknown; readonly unknown: readonly string[] };
}

export type AnyObject = KubeObject & { readonly spec?: unknown };

/** A client of the test cluster. */
export async function connectToTestCluster(): Promise<Client> {
  const kubeconfig = process.env.HOLDFAST_TEST_KUBECONFIG;
  if (!kubeconfig) throw new Error("HOLDFAST_TEST_KUBECONFIG must name the kubeconfig of a test cluster");
  const { sender } = await connect({
    clock: systemClock,
    processes: systemProcesses,
    env: process.env,
    kubeconfig,
  });
  return new HttpClient({ sender, clock: systemClock, random: systemRandom });
}

/** Creates a CRD and waits until it is served. */
export async function install(client: Client, crd: Crd): Promise<Resource<AnyObject>> {
  await client.create(CustomResourceDefinitions, crd);
  const { group, names, versions } = crd.spec;
  const version = versions[0]?.name ?? "";
  const resource = { group, version, kind: names.kind, plural: names.plural, namespaced: true };
  for (;;) {
    try {
      await client.list(resource);
      return resource;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      await sleep(systemClock, 100);
    }
  }
}

/** Removes the CRDs of a group, with all their objects. */
export async function uninstall(client: Client, group: string): Promise<void> {
  const { items } = await client.list(CustomResourceDefinitions);
  for (const { metadata } of items) {
    if (metadata.name.endsWith(`.${group}`)) await client.delete(CustomResourceDefinitions, metadata);
  }
}

/** A CRD around a schema, otherwise as plain as can be. */
export function plainCrd(group: string, kind: string, schema: Structural): Crd {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** The server's verdict on a write that is not carried out. */
export async function serverVerdict(
  write: (options: {
    readonly dryRun: true;
    readonly fieldValidation: "Warn";
    readonly onWarning: (text: string) => void;
  }) => Promise<AnyObject>,
): Promise<Verdict> {
  const unknown: string[] = [];
  const onWarning = (text: string) => {
    const [, field] = /^unknown field "(.*)"$/.exec(text) ?? [];
    if (field !== undefined) unknown.push(field);
  };
  try {
    const { spec } = await write({ dryRun: true, fieldValidation: "Warn", onWarning });
    return { problems: [], taken: { spec: sorted(spec), unknown: unknown.sort() } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return { problems: error.causes.map((cause) => describeProblem(cause as Problem)).sort() };
  }
}

/** A problem in one line, reason included. */
function describeProblem(problem: Problem): string {
  return `${problem.reason}: ${problemText(problem)}`;
}

/** With the keys of every object in order: the server sorts them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs work on all items, some at a time. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  workers = 8,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/**
 * True when two lists of problems agree. Which alternative of a junctor the server quotes follows from its own
 * counting: where a schema has one, both must only have found something, or nothing.
 */
export function sameProblems(
  theirs: readonly string[],
  ours: readonly string[],
  schemas: readonly unknown[],
): boolean {
  const junctor = /"(anyOf|oneOf|allOf|not)":/.test(JSON.stringify(schemas));
  if (junctor) return (theirs.length === 0) === (ours.length === 0);
  return JSON.stringify(theirs) === JSON.stringify(ours);
}

/** Fails with the shortest of the differences, and the seed that repeats them. */
export function expectNone(differences: string[], seed: number): void {
  if (differences.length === 0) return;
  const shortest = differences.sort((a, b) => a.length - b.length).slice(0, 3);
  expect.fail(`${differences.length} differ; HOLDFAST_SEED=${seed} repeats them:\n${shortest.join("\n")}`);
}

/** The interpreter's verdict on the same write. */
export function interpreterVerdict(schema: Structural, object: unknown, options: AdmitOptions = {}): Verdict {
  const admitted = admit(schema, object, options);
  const problems = admitted.problems.map(describeProblem).sort();
  if (problems.length > 0) return { problems };
  const { spec } = admitted.object as AnyObject;
  return { problems, taken: { spec: sorted(spec), unknown: admitted.unknown } };
}

import { expect, test } from "vitest";
import type { Job, Pod } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import { tidyForgotten } from "./forgotten_runs.ts";
import type { RunCaches } from "./run_caches.ts";
import { OWNER_LABEL } from "./run_labels.ts";
import { endedJob, endedPod, runningPod, sampleJob, sampleRequest } from "./testing/samples.ts";

const FOR = { "example.com/for": "claim-1" };
const owner: KubeObject = {
  apiVersion: sampleRequest.owner.apiVersion,
  kind: sampleRequest.owner.kind,
  metadata: {
    namespace: sampleRequest.namespace,
    name: sampleRequest.owner.name,
    uid: sampleRequest.owner.uid,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};

function marked<T extends KubeObject>(object: T, labels: object = FOR, more: object = {}): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, ...more } };
}

function cacheOf<T extends KubeObject>(objects: readonly T[]) {
  return {
    indexed: (_: string, value: string) =>
      objects.filter(({ metadata }) => metadata.labels?.[OWNER_LABEL] === value),
  };
}

function tidy(jobs: readonly Job[], pods: readonly Pod[] = []) {
  const caches = { jobs: cacheOf(jobs), pods: cacheOf(pods) } as unknown as RunCaches;
  return tidyForgotten(caches, owner, FOR).map(({ type }) => type);
}

const ended = endedJob("BackoffLimitExceeded");

test("what has ended goes", () => {
  expect(tidy([marked(ended)], [marked(endedPod(38))])).toEqual(["Remove"]);
});

test("what still works is told to end, and what never began goes", () => {
  expect(tidy([marked(sampleJob())], [marked(runningPod())])).toEqual(["Cancel"]);
  expect(tidy([marked({ ...ended, status: {}, spec: { suspend: true, template: {} } } as Job)])).toEqual([
    "Remove",
  ]);
});

test.each([
  ["for something else", marked(ended, { "example.com/for": "claim-2" })],
  ["of another owner", marked(ended, { ...FOR, [OWNER_LABEL]: "another" })],
  ["of another namespace", marked(ended, FOR, { namespace: "elsewhere" })],
])("runs %s are left alone", (_, job) => {
  expect(tidy([job])).toEqual([]);
});

import { expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { writeTogether, writtenOf } from "./write_together.ts";

type Thing = KubeObject & { readonly status?: object };
const resource = {
  group: "g",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
} as Resource<Thing>;
const object = {
  kind: "Thing",
  metadata: {
    namespace: "n",
    name: "t",
    resourceVersion: "7",
    labels: { a: "1", b: "2" },
    finalizers: ["f"],
  },
  status: { phase: "New", startTimestamp: null },
} as unknown as Thing;
const signal = new AbortController().signal;

function writer() {
  const sent: unknown[] = [];
  const patch = async (_resource: unknown, _name: unknown, { patch }: { readonly patch: unknown }) => {
    sent.push(patch);
    return object;
  };
  return { sent, writer: { patch } as never };
}

test("writeTogether() sends what changes of the metadata and the status at once, for the object that was read", async () => {
  const { sent, writer: hand } = writer();
  const wanted = {
    labels: { a: "1" },
    annotations: { c: "3" },
    finalizers: [],
    status: { phase: "Accepted" },
  };
  await writeTogether(hand, resource, object, wanted, signal);
  expect(sent).toEqual([
    {
      metadata: { resourceVersion: "7", labels: { b: null }, annotations: { c: "3" }, finalizers: [] },
      status: { phase: "Accepted" },
    },
  ]);
});

test("writeTogether() sends nothing where nothing changes", async () => {
  const { sent, writer: hand } = writer();
  await writeTogether(hand, resource, object, writtenOf(object), signal);
  expect(sent).toEqual([]);
});

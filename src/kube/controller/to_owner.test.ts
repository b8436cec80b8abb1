import { expect, test } from "vitest";
import { Jobs, Nodes } from "../builtin.ts";
import { type KubeObject, keyOf, type OwnerReference } from "../object.ts";
import { toOwner } from "./to_owner.ts";

function pod(...ownerReferences: OwnerReference[]): KubeObject {
  const metadata = {
    name: "p",
    namespace: "ns",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "",
    ownerReferences,
  };
  return { apiVersion: "v1", kind: "Pod", metadata };
}

const job = (name: string, controller = true): OwnerReference => ({
  apiVersion: "batch/v1beta1",
  kind: "Job",
  name,
  uid: name,
  controller,
});
const added = (object: KubeObject) => ({ type: "added", key: keyOf(object), object }) as const;

test("a dependent leads to its controller, in its own namespace and in any version of the group", () => {
  expect(toOwner(Jobs)(added(pod(job("j"))))).toEqual(["ns/j"]);
});

test("owners of other kinds or groups, and those that do not control, are passed by", () => {
  const stranger = { ...job("k"), apiVersion: "example.com/v1" };
  expect(toOwner(Jobs)(added(pod(job("other", false), stranger)))).toEqual([]);
  expect(toOwner(Nodes)(added(pod(job("j"))))).toEqual([]);
});

test("a dependent that changes hands leads to both, a removed one to the last", () => {
  const key = keyOf(pod());
  expect(toOwner(Jobs)({ type: "updated", key, previous: pod(job("a")), object: pod(job("b")) })).toEqual([
    "ns/b",
    "ns/a",
  ]);
  expect(toOwner(Jobs)({ type: "removed", key, previous: pod(job("a")) })).toEqual(["ns/a"]);
});

test("an owner without a namespace is named without one", () => {
  const node = { apiVersion: "v1", kind: "Node", name: "n", uid: "n", controller: true };
  expect(toOwner(Nodes)(added(pod(node)))).toEqual(["n"]);
});

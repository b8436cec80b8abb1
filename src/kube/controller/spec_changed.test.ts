import { expect, test } from "vitest";
import { type KubeObject, keyOf, type ObjectMeta } from "../object.ts";
import { specChanged } from "./spec_changed.ts";

function object(metadata: Partial<ObjectMeta> = {}): KubeObject {
  const base = { name: "a", uid: "1", resourceVersion: "1", generation: 1, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Thing", metadata: { ...base, ...metadata } };
}

const updated = (before: Partial<ObjectMeta>, after: Partial<ObjectMeta>) =>
  specChanged({ type: "updated", key: keyOf(object()), previous: object(before), object: object(after) });

test("a new version of the same generation is no change", () => {
  expect(updated({ labels: { a: "b" } }, { labels: { a: "b" }, resourceVersion: "2" })).toBe(false);
});

test.each<[string, Partial<ObjectMeta>]>([
  ["the generation", { generation: 2 }],
  ["the labels", { labels: { a: "b" } }],
  ["the annotations", { annotations: { a: "b" } }],
  ["the finalizers", { finalizers: ["x/y"] }],
  ["a request to delete", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ["another object of the same name", { uid: "2" }],
])("%s is a change", (_, after) => {
  expect(updated({}, after)).toBe(true);
});

test("every write to a kind without generations is a change", () => {
  const { generation: _, ...metadata } = object().metadata;
  const plain = { ...object(), metadata };
  expect(specChanged({ type: "updated", key: keyOf(plain), previous: plain, object: plain })).toBe(true);
});

test("coming and going are changes", () => {
  expect(specChanged({ type: "added", key: keyOf(object()), object: object() })).toBe(true);
  expect(specChanged({ type: "removed", key: keyOf(object()), previous: object() })).toBe(true);
});

import { expect, test } from "vitest";
import type { Stored } from "../store/store.ts";
import { checkSameObject } from "./object_changes.ts";
import type { Place } from "./target.ts";

const resource = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const place = { kind: { resource }, namespace: "ns", name: "a" } as unknown as Place;
const object = (metadata: object) => ({ metadata: { name: "a", ...metadata } }) as unknown as Stored;
const stored = object({ uid: "u-1", resourceVersion: "7" });

test.each<[string, object, string | undefined]>([
  ["nothing is said of its state", {}, undefined],
  ["its state is the newest", { resourceVersion: "7" }, undefined],
  ["its state is an older one", { resourceVersion: "6" }, "the object has been modified"],
  ["its state is a later one than there is", { resourceVersion: "8" }, "the object has been modified"],
  ["its version is no number", { resourceVersion: "x" }, "invalid syntax"],
  ["another object is meant", { uid: "u-2" }, "Precondition failed"],
])("an update of an object, where %s", (_, metadata, refused) => {
  const check = () => checkSameObject(place, stored, object(metadata));
  if (refused === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(refused);
});

import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { MemoryStore } from "./memory_store.ts";
import type { Stored } from "./store.ts";

const owned = (name: string, field: string): Stored => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name,
    uid: name,
    resourceVersion: "",
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [{ manager: "me", fieldsV1: { [`f:${field}`]: {} } }],
  },
});

test("objects of one writer and one second share the whole record", async () => {
  const store = new MemoryStore({ clock: new VirtualClock() });
  const put = (name: string, manager: string) => {
    const object = owned(name, "x");
    const metadata = { ...object.metadata, managedFields: [{ manager, fieldsV1: {} }] };
    return store.put({ resource: "configmaps", namespace: "", name }, { ...object, metadata }, undefined);
  };
  const [a, b, c] = [await put("a", "me"), await put("b", "me"), await put("c", "another")];
  expect(b.metadata.managedFields).toBe(a.metadata.managedFields);
  expect(c.metadata.managedFields).toEqual([{ manager: "another", fieldsV1: {} }]);
});

test("equal field sets of stored objects are one and the same, others are not", async () => {
  const store = new MemoryStore({ clock: new VirtualClock() });
  const put = async (name: string, field: string) =>
    (await store.put({ resource: "configmaps", namespace: "", name }, owned(name, field), undefined)).metadata
      .managedFields?.[0];
  const [a, b, c] = [await put("a", "x"), await put("b", "x"), await put("c", "y")];
  expect(b).toEqual(a);
  expect(b?.fieldsV1).toBe(a?.fieldsV1);
  expect(c?.fieldsV1).toEqual({ "f:y": {} });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ManagedFields } from "../../kube/object.ts";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import type { TrackedKind } from "./managed_fields.ts";
import { trackUpdate, type UpdateToTrack } from "./track_update.ts";

const schema: PatchableSchema = {
  type: "object",
  properties: {
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const custom: TrackedKind = { schema, custom: true, status: true };
const START = "2026-01-01T00:00:00Z";
const LATER = "2026-01-02T00:00:00Z";

function object(content: object, metadata: object = {}): Stored {
  return {
    apiVersion: "g/v1",
    kind: "K",
    metadata: { name: "o", uid: "u", ...metadata },
    ...content,
  } as Stored;
}

function track(before: Stored | undefined, after: Stored, more: Partial<UpdateToTrack> = {}): Stored {
  return trackUpdate({
    kind: custom,
    before,
    after,
    manager: "anna",
    apiVersion: "g/v1",
    time: START,
    ...more,
  });
}

function fields(tracked: Stored): unknown {
  return Object.fromEntries(
    (tracked.metadata.managedFields ?? []).map((entry) => [entry.manager, entry.fieldsV1]),
  );
}

const created = track(undefined, object({ spec: { a: 1, b: { c: 2 } } }, { labels: { l: "1" } }));

describe("trackUpdate()", () => {
  test("gives the creator every field, except those that nobody manages", () => {
    expect(created.metadata.managedFields).toEqual([
      {
        manager: "anna",
        operation: "Update",
        apiVersion: "g/v1",
        time: START,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:l": {} } },
          "f:spec": { ".": {}, "f:a": {}, "f:b": { ".": {}, "f:c": {} } },
        },
      },
    ]);
  });

  test("does not count the structures of a built-in kind as created", () => {
    const kind = builtinKinds.find(({ resource }) => resource.kind === "PersistentVolumeClaim");
    const claim = {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
      status: {},
    };
    expect(fields(track(undefined, object(claim), { kind: kind as TrackedKind }))).toEqual({
      anna: {
        "f:spec": { "f:accessModes": {}, "f:resources": { "f:requests": { ".": {}, "f:storage": {} } } },
      },
    });
  });

  test("moves what changed to the updater, and takes what is gone from everybody", () => {
    const after = { ...created, spec: { a: 2, d: 3 } };
    expect(fields(track(created, after, { manager: "bert" }))).toEqual({
      anna: { "f:metadata": { "f:labels": { ".": {}, "f:l": {} } }, "f:spec": {} },
      bert: { "f:spec": { "f:a": {}, "f:d": {} } },
    });
  });

  test("drops who owns nothing any more", () => {
    const first = track(undefined, object({ spec: { a: 1 } }));
    const without = track(first, { ...first, spec: { b: 1 } }, { manager: "bert" });
    const { spec: _, ...empty } = without;
    expect(track(without, empty as Stored, { manager: "carl" }).metadata.managedFields).toBeUndefined();
  });

  test("changes neither owners nor times when nothing changes", () => {
    expect(track(created, created, { manager: "bert", time: LATER })).toEqual(created);
  });

  test("adds to what the same manager owned before, under the new time", () => {
    const next = track(created, { ...created, spec: { a: 1, b: { c: 2 }, d: 1 } }, { time: LATER });
    expect(next.metadata.managedFields).toHaveLength(1);
    expect(next.metadata.managedFields?.[0]).toMatchObject({
      time: LATER,
      fieldsV1: { "f:spec": { "f:d": {}, "f:a": {} } },
    });
  });

  test("ignores the status on the object, and the spec on the status", () => {
    const both = { ...created, spec: { a: 9 }, status: { phase: "p" } };
    const onObject = track(created, both, { manager: "bert" });
    expect(fields(onObject)).toMatchObject({ bert: { "f:spec": { "f:a": {} } } });
    expect(fields(onObject)).not.toMatchObject({ bert: { "f:status": {} } });
    const onStatus = track(created, both, { manager: "bert", subresource: "status" });
    expect(onStatus.metadata.managedFields?.at(-1)).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { ".": {}, "f:phase": {} } },
    });
  });

  test("gives whoever scales the replicas without a time, and nobody a zero", () => {
    const kind = {
      ...custom,
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    };
    const more = { kind, manager: "bert", subresource: "scale", time: LATER };
    const live = track(undefined, object({ spec: { a: 1, replicas: 1 } }));
    const two = track(live, { ...live, spec: { a: 1, replicas: 2 } }, more);
    expect(two.metadata.managedFields?.[0]).toMatchObject({ manager: "bert", subresource: "scale" });
    expect(two.metadata.managedFields?.[0]).not.toHaveProperty("time");
    expect(fields(two)).toMatchObject({ bert: { "f:spec": { "f:replicas": {} } } });
    const none = track(two, { ...two, spec: { a: 1, replicas: 0 } }, more);
    expect(fields(none)).toEqual({ anna: { "f:spec": { ".": {}, "f:a": {} } } });
  });

  test.each([[[]], [[{}]]])("forgets all owners when asked to with %j", (managedFields: ManagedFields[]) => {
    const reset = track(created, { ...created, metadata: { ...created.metadata, managedFields } });
    expect(reset.metadata.managedFields).toBeUndefined();
    const later = track(reset, { ...reset, spec: {} });
    expect(later.metadata.managedFields).toBeUndefined();
  });

  test("takes owners from the stored object when the client sends none, or nonsense", () => {
    const { managedFields: _, ...metadata } = created.metadata;
    const nonsense: ManagedFields[] = [
      { manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "V2" },
    ];
    expect(track(created, { ...created, metadata })).toEqual(created);
    expect(track(created, { ...created, metadata: { ...metadata, managedFields: nonsense } })).toEqual(
      created,
    );
  });

  test("lets a client edit the owners", () => {
    const edited = created.metadata.managedFields?.map((entry) => ({ ...entry, manager: "edited" })) ?? [];
    const next = track(created, { ...created, metadata: { ...created.metadata, managedFields: edited } });
    expect(next.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["edited"]);
  });

  test("leaves no field of any object without exactly one owner, whatever two managers write", () => {
    const spec = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.nat(2), { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("anna", "bert"), spec), { minLength: 1 }), (writes) => {
        let live: Stored | undefined;
        for (const [manager, content] of writes) live = track(live, object({ spec: content }), { manager });
        const owned = Object.values(fields(live as Stored) as Record<string, { "f:spec"?: object }>)
          .flatMap((entry) => Object.keys(entry["f:spec"] ?? {}))
          .filter((name) => name !== ".");
        expect(owned.sort()).toEqual(
          Object.keys(live?.spec as object)
            .sort()
            .map((name) => `f:${name}`),
        );
      }),
    );
  });
});

test("a name that is left out tells an item of a built-in kind from others", () => {
  const kind = builtinKinds.find(({ resource }) => resource.kind === "Pod");
  if (!kind) throw new Error("there is no Pod");
  const spec = { imagePullSecrets: [{}, { name: "b" }] };
  const after = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec } as unknown as Stored;
  const time = "2026-01-01T00:00:00Z";
  const { metadata } = trackUpdate({ kind, before: undefined, after, manager: "m", apiVersion: "v1", time });
  expect(metadata.managedFields?.[0]?.fieldsV1).toEqual({
    "f:spec": { "f:imagePullSecrets": { ".": {}, 'k:{"name":""}': {}, 'k:{"name":"b"}': {} } },
  });
});

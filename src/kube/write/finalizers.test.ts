import { describe, expect, test } from "vitest";
import { ApiError, isConflict } from "../api_error.ts";
import { type ConfigMap, ConfigMaps } from "../builtin.ts";
import type { ObjectMeta } from "../object.ts";
import { RecordingClient } from "../testing/recording_client.ts";
import { addFinalizer, removeFinalizer, TooLateForFinalizer } from "./finalizers.ts";

const OURS = "holdfast.test/hold";

function configMap(metadata: Partial<ObjectMeta>): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "one",
      namespace: "home",
      uid: "u",
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
  };
}

const change = (metadata: Partial<ObjectMeta>) => ({
  resource: ConfigMaps,
  object: configMap(metadata),
  finalizer: OURS,
});

const refuse = (code: number, reason: string) => () => {
  throw new ApiError({ request: "PATCH", code, status: { reason } });
};

describe("addFinalizer()", () => {
  test("puts ours behind those that are there, tied to the state that was read", async () => {
    const after = configMap({ resourceVersion: "8" });
    const client = new RecordingClient(() => after);
    expect(await addFinalizer(client, change({ finalizers: ["other/one"] }))).toBe(after);
    expect(client.calls).toMatchObject([
      {
        verb: "patch",
        name: { namespace: "home", name: "one" },
        body: {
          type: "merge",
          patch: { metadata: { resourceVersion: "7", finalizers: ["other/one", OURS] } },
        },
      },
    ]);
  });

  test("sends nothing when it is there, also while the object is being deleted", async () => {
    const client = new RecordingClient();
    const held = change({ finalizers: [OURS], deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(await addFinalizer(client, held)).toBe(held.object);
    expect(client.calls).toEqual([]);
  });

  test("throws when the object is being deleted without it", async () => {
    const client = new RecordingClient();
    const going = change({ deletionTimestamp: "2026-01-01T00:00:00Z" });
    await expect(addFinalizer(client, going)).rejects.toThrow(TooLateForFinalizer);
    expect(client.calls).toEqual([]);
  });

  test("lets a Conflict through", async () => {
    const client = new RecordingClient(refuse(409, "Conflict"));
    await expect(addFinalizer(client, change({}))).rejects.toSatisfy(isConflict);
  });
});

describe("removeFinalizer()", () => {
  test("takes ours away and keeps the others, tied to the state that was read", async () => {
    const client = new RecordingClient(() => configMap({}));
    await removeFinalizer(client, change({ finalizers: ["a/a", OURS, "b/b"] }));
    expect(client.calls).toMatchObject([
      { body: { type: "merge", patch: { metadata: { resourceVersion: "7", finalizers: ["a/a", "b/b"] } } } },
    ]);
  });

  test("sends nothing when it is not there", async () => {
    const client = new RecordingClient();
    const free = change({ finalizers: ["a/a"] });
    expect(await removeFinalizer(client, free)).toBe(free.object);
    expect(client.calls).toEqual([]);
  });

  test("is content when the object is gone", async () => {
    const client = new RecordingClient(refuse(404, "NotFound"));
    expect(await removeFinalizer(client, change({ finalizers: [OURS] }))).toBeUndefined();
    expect(client.calls).toHaveLength(1);
  });

  test("lets a Conflict through", async () => {
    const client = new RecordingClient(refuse(409, "Conflict"));
    await expect(removeFinalizer(client, change({ finalizers: [OURS] }))).rejects.toSatisfy(isConflict);
  });
});

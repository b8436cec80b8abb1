import { describe, expect, test } from "vitest";
import { ApiError, isConflict } from "../api_error.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import { RecordingClient } from "../testing/recording_client.ts";
import { MAX_STATUS, StatusTooLarge, writeStatus } from "./status.ts";

interface Thing extends KubeObject {
  readonly status?: object;
}

const Things: Resource<Thing> = {
  group: "test.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};

function thing(status?: object, resourceVersion = "7"): Thing {
  return {
    apiVersion: "test.example/v1",
    kind: "Thing",
    metadata: {
      name: "one",
      namespace: "home",
      uid: "u",
      resourceVersion,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    ...(status ? { status } : {}),
  };
}

describe("writeStatus()", () => {
  test("sends nothing when the status is what it should be", async () => {
    const client = new RecordingClient();
    const object = thing({ phase: "Done", nested: { a: 1 } });
    const status = { nested: { a: 1 }, phase: "Done", absent: undefined };
    expect(await writeStatus(client, { resource: Things, object, status })).toBe(object);
    expect(client.calls).toEqual([]);
  });

  test("sends nothing when there is none and none is wanted", async () => {
    const client = new RecordingClient();
    await writeStatus(client, { resource: Things, object: thing(), status: {} });
    expect(client.calls).toEqual([]);
  });

  test("patches the difference on the subresource, tied to the state that was read", async () => {
    const after = thing({ phase: "Done" }, "8");
    const client = new RecordingClient(() => after);
    const object = thing({ phase: "Running", progress: { percent: 3 }, kept: [1] });
    const status = { phase: "Done", kept: [1] };
    expect(await writeStatus(client, { resource: Things, object, status }, { timeout: 5 })).toBe(after);
    expect(client.calls).toMatchObject([
      {
        verb: "patch",
        resource: Things,
        name: { namespace: "home", name: "one" },
        body: {
          type: "merge",
          patch: { metadata: { resourceVersion: "7" }, status: { phase: "Done", progress: null } },
        },
        options: { subresource: "status", timeout: 5 },
      },
    ]);
    expect(client.calls[0]?.body).not.toHaveProperty("patch.status.kept");
  });

  test("patches the object itself for a kind without the subresource", async () => {
    const client = new RecordingClient(() => thing({}, "8"));
    await writeStatus(
      client,
      { resource: Things, object: thing(), status: { phase: "New" } },
      { on: "object" },
    );
    expect(client.calls).toHaveLength(1);
    expect(client.calls[0]?.options).toEqual({});
  });

  test("lets a Conflict through, for the caller to look again", async () => {
    const client = new RecordingClient(() => {
      throw new ApiError({ request: "PATCH", code: 409, status: { reason: "Conflict" } });
    });
    const change = { resource: Things, object: thing(), status: { phase: "New" } };
    await expect(writeStatus(client, change)).rejects.toSatisfy(isConflict);
    expect(client.calls).toHaveLength(1);
  });

  test("says so when the server keeps nothing of what is new", async () => {
    const client = new RecordingClient(() => thing({ phase: "Old" }));
    const change = {
      resource: Things,
      object: thing({ phase: "Old" }),
      status: { phase: "Old", unknown: 1 },
    };
    await expect(writeStatus(client, change)).rejects.toThrow(
      "the API server dropped status.unknown of Thing home/one: its CustomResourceDefinition does not know it.",
    );
  });

  test("refuses a status that is too large, and names the field that makes it so", async () => {
    const client = new RecordingClient();
    const status = { phase: "Done", snapshots: Array.from({ length: 2000 }, (_, i) => `snapshot ${i}`) };
    const written = writeStatus(client, { resource: Things, object: thing(), status });
    await expect(written).rejects.toThrow(StatusTooLarge);
    await expect(written).rejects.toThrow(
      /^status of Thing home\/one is \d+ bytes, more than the 16384 that are allowed: status\.snapshots takes \d+ of them\./,
    );
    expect(client.calls).toEqual([]);
  });

  test("writes a status that is just not too large, counted in bytes", async () => {
    const client = new RecordingClient(() => thing({}, "8"));
    const around = Buffer.byteLength(JSON.stringify({ text: "" }));
    const text = "é".repeat((MAX_STATUS - around) / 2);
    await writeStatus(client, { resource: Things, object: thing(), status: { text } });
    expect(client.calls).toHaveLength(1);
    const more = { resource: Things, object: thing(), status: { text: `${text}xx` } };
    await expect(writeStatus(client, more)).rejects.toThrow(StatusTooLarge);
  });
});

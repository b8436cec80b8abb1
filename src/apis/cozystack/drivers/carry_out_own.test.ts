import { expect, test } from "vitest";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { NOW, sampleBackup, sampleJob } from "../testing/samples.ts";
import { carryOutOwn } from "./carry_out_own.ts";

const { signal } = new AbortController();
const clock = { now: () => NOW };
const draft = { metadata: { name: "made", namespace: "tenant" }, spec: {} };
const refusing = (code: number, reason: string) =>
  new RecordingClient(() => {
    throw new ApiError({ request: "POST", code, status: { code, reason, message: "too large" } });
  });
const ensure = (client: RecordingClient, object = sampleJob("first") as ReturnType<typeof sampleJob>) =>
  carryOutOwn(client as never, clock).act(
    { object },
    { type: "Ensure", resource: backupResource, draft },
    signal,
  );

test("what is there already was made before", async () => {
  await expect(ensure(refusing(409, "AlreadyExists"))).resolves.toBeDefined();
});

test("a refusal ends the job, and says why", async () => {
  await expect(ensure(refusing(422, "Invalid"))).rejects.toMatchObject({
    reason: "CreateRefused",
    message: "Backup tenant/made could not be created: too large",
    status: { phase: "Failed", completedAt: "2026-05-24T12:00:00Z" },
  });
});

test("a refusal is no end of a Backup", async () => {
  const object = sampleBackup("first") as never;
  await expect(ensure(refusing(403, "Forbidden"), object)).rejects.toMatchObject({ status: {} });
});

test("what the operator deletes by itself is marked first, so that no guard holds it", async () => {
  const client = new RecordingClient(() => ({ metadata: {} }));
  const object = { ...sampleBackup("old"), apiVersion: "kopiur.home-operations.com/v1alpha1" };
  const remove = (mark?: string) =>
    carryOutOwn(client as never, clock).act(
      { object: sampleBackup("first") as KubeObject },
      { type: "Delete", resource: backupResource, object, mark },
      signal,
    );
  await remove("Retention");
  await remove();
  expect(client.writes).toMatchObject([
    {
      verb: "patch",
      body: {
        patch: {
          metadata: {
            resourceVersion: "1",
            annotations: { "kopiur.home-operations.com/deletion-reason": "Retention" },
          },
        },
      },
    },
    { verb: "delete" },
    { verb: "delete" },
  ]);
});

test("an annotation is taken away from the object that was seen", async () => {
  const client = new RecordingClient();
  await carryOutOwn(client as never, clock).act(
    { object: sampleJob("first") as KubeObject },
    { type: "Unmark", resource: backupResource, object: sampleBackup("old"), annotation: "a" },
    signal,
  );
  expect(client.writes).toMatchObject([
    { verb: "patch", body: { patch: { metadata: { uid: "uid-old", annotations: { a: null } } } } },
  ]);
});

test("trouble with the API server is tried again", async () => {
  await expect(ensure(refusing(500, "InternalError"))).rejects.toBeInstanceOf(ApiError);
});

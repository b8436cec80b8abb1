import { expect, test } from "vitest";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../../kube/api_error.ts";
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

test("trouble with the API server is tried again", async () => {
  await expect(ensure(refusing(500, "InternalError"))).rejects.toBeInstanceOf(ApiError);
});

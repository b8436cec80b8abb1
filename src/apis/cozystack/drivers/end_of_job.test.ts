import { describe, expect, test } from "vitest";
import { RUNNING } from "../../../kinds/cozystack/finalizers.ts";
import { MADE_BY } from "../../../kinds/cozystack/labels.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { sampleBackup, sampleClaim, sampleJob, sampleRestoreJob } from "../testing/samples.ts";
import { endOfBackupJob, endOfRestoreJob } from "./end_of_job.ts";

const deleted = { type: "Delete", resource: restoreResource, object: sampleClaim("left") } as const;
const letGo = { type: "LetGo", finalizer: RUNNING };
const held = { finalizers: [RUNNING] };
const going = { ...held, deletionTimestamp: "2026-05-24T12:00:00Z" };

describe("what a RestoreJob left in another namespace", () => {
  test.each([
    ["goes once it succeeded", "Succeeded", held, false, [deleted, letGo]],
    ["stays when it failed, as does what it holds down", "Failed", held, false, []],
    ["goes when the failed one is deleted", "Failed", going, false, [deleted, letGo]],
    ["goes when it is deleted on its way", "Running", going, false, [deleted, letGo]],
    ["is left to a namespace that is being deleted", "Succeeded", held, true, [letGo]],
    ["is nothing where it is not held", "Succeeded", {}, false, []],
  ] as const)("%s", (_, phase, metadata, namespaceGoes, intents) => {
    const job = sampleRestoreJob("again", { targetNamespace: "other" }, { phase });
    const object = { ...job, metadata: { ...job.metadata, ...metadata } };
    const isGoing = (namespace: string) => namespace === "other" && namespaceGoes;
    expect(endOfRestoreJob(object, { leftIn: () => [deleted] }, isGoing)).toEqual(intents);
  });
});

describe("what a BackupJob has begun", () => {
  const completedAt = "2026-05-24T12:00:00Z";
  test.each([
    ["is stopped when it is deleted before its end", {}, going, undefined, [deleted, letGo]],
    ["is stopped where a Backup of its name is another's", {}, going, "other", [deleted, letGo]],
    ["stays once its Backup is there, though it has not ended", {}, going, "uid-first", [letGo]],
    ["stays after its end", { phase: "Succeeded", completedAt }, going, undefined, [letGo]],
    ["needs no hold after its end", { phase: "Succeeded", completedAt }, held, undefined, [letGo]],
    ["stays as long as the job that failed", { phase: "Failed", completedAt }, held, undefined, []],
    ["goes with the job that failed", { phase: "Failed", completedAt }, going, undefined, [deleted, letGo]],
    ["is nothing where it is not held", {}, {}, undefined, []],
  ] as const)("%s", async (_, status, metadata, madeBy, intents) => {
    const client = new RecordingClient(() => {
      if (madeBy === undefined)
        throw new ApiError({ request: "GET", code: 404, status: { code: 404, reason: "NotFound" } });
      const backup = sampleBackup("first");
      return { ...backup, metadata: { ...backup.metadata, annotations: { [MADE_BY]: madeBy } } };
    });
    const job = sampleJob("first", { phase: "Running", ...status }, metadata);
    const abandon = async () => ({ intents: [deleted] });
    const ports = { client, abandon, isGoing: () => false };
    expect(await endOfBackupJob(job, ports, {})).toEqual({ intents });
  });

  test("stays in a namespace that is being deleted", async () => {
    const client = new RecordingClient();
    const ports = { client, abandon: async () => ({ intents: [deleted] }), isGoing: () => true };
    const job = sampleJob("first", undefined, going);
    expect(await endOfBackupJob(job, ports, {})).toEqual({ intents: [letGo] });
  });

  test("keeps the job while it cannot be stopped yet", async () => {
    const client = new RecordingClient(() => {
      throw new ApiError({ request: "GET", code: 404, status: { code: 404, reason: "NotFound" } });
    });
    const ports = { client, abandon: async () => ({ intents: [], wakeAt: 7 }), isGoing: () => false };
    const job = sampleJob("first", undefined, going);
    expect(await endOfBackupJob(job, ports, {})).toEqual({ intents: [], wakeAt: 7 });
  });
});

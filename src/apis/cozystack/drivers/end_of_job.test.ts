import { describe, expect, test } from "vitest";
import { RUNNING } from "../../../kinds/cozystack/finalizers.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { sampleClaim, sampleRestoreJob } from "../testing/samples.ts";
import { endOfRestoreJob } from "./end_of_job.ts";

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

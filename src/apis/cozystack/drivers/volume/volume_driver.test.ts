import { expect, test } from "vitest";
import type { BackupJob } from "../../../../kinds/cozystack/generated/backup_job.ts";
import { backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { sampleJob } from "../../testing/samples.ts";
import { volumeDriver } from "./volume_driver.ts";

/** What is left to remove when a BackupJob is deleted, whose Backup of the native API is in this phase. */
function abandoned(phase: string, status: BackupJob["status"]) {
  const found = { metadata: { name: "native" }, status: { phase } };
  const informers = {
    cache: ({ resource }: { readonly resource: { readonly kind: string; readonly group: string } }) => ({
      get: () => (resource.group === backupResource.group && resource.kind === "Backup" ? found : undefined),
      values: (): readonly KubeObject[] => [],
    }),
  };
  const { driver } = volumeDriver(informers as never);
  return driver.abandon?.(sampleJob("first", status), new AbortController().signal);
}

const completedAt = "2026-05-24T12:00:00Z";

test.each([
  ["of a job that runs is deleted", "Running", { phase: "Running" }, undefined],
  [
    "that failed is deleted, as the operator's own doing",
    "Failed",
    { phase: "Failed", completedAt },
    "BackupJobDeleted",
  ],
] as const)("the native Backup %s", async (_, phase, status, mark) => {
  expect(await abandoned(phase, status)).toMatchObject({
    intents: [{ type: "Delete", object: { metadata: { name: "native" } }, mark }],
  });
});

test("the native Backup that succeeded after its job had failed stays: it may be the last of an application", async () => {
  expect(await abandoned("Succeeded", { phase: "Failed", completedAt })).toEqual({ intents: [] });
});

import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { sampleBackup, sampleJob } from "../testing/samples.ts";
import { backupWork, sampleVolume } from "../testing/works.ts";
import { recordBackup } from "./record_backup.ts";

const strategyRef = { kind: "Volume", name: "it" };
const work = backupWork(sampleVolume(), {
  object: { ...sampleJob("first", { phase: "Running", startedAt: "2026-05-24T11:59:30Z", strategyRef }) },
});
const step = {
  type: "Succeeded",
  message: "",
  metadata: { own: "1" },
  artifact: { uri: "u", sizeBytes: 2048 },
} as const;
const driver = { restoresElsewhere: true } as const;

function answering() {
  return new RecordingClient(({ verb, body }) =>
    verb === "create"
      ? {
          ...sampleBackup("first"),
          status: undefined,
          ...(body as object),
          apiVersion: "x/v1",
          kind: "Backup",
        }
      : { metadata: { resourceVersion: "2" } },
  );
}

test.each([
  ["that a driver restores into other namespaces", { restoresElsewhere: true }, "true"],
  ["that it does not, where it would write into the Backup's own", {}, undefined],
] as const)("a Backup says %s", async (_, driver, said) => {
  const client = answering();
  await recordBackup({ client: client as never, driver }, work, step, {});
  const made = client.writes[0]?.body as ReturnType<typeof sampleBackup> | undefined;
  expect(made?.metadata.annotations?.["backups.cozystack.io/restores-into-other-namespaces"]).toBe(said);
});

test("a Backup keeps the parameters of its time, is owned by nothing, and says that it is Ready", async () => {
  const client = answering();
  expect(await recordBackup({ client: client as never, driver }, work, step, {})).toBe(true);
  const [created, status] = client.writes;
  expect(created?.body).toMatchObject({
    metadata: { name: "first", finalizers: ["strategy.backups.cozystack.io/artifact"] },
    spec: {
      takenAt: "2026-05-24T11:59:30Z",
      strategyRef: { apiGroup: "strategy.backups.cozystack.io", ...strategyRef },
      driverMetadata: { level: "full", own: "1" },
    },
  });
  expect(created?.body).not.toHaveProperty("metadata.ownerReferences");
  expect(status?.body).toMatchObject({
    patch: { status: { phase: "Ready", artifact: { uri: "u", sizeBytes: 2048, size: "2.0 KiB" } } },
  });
});

test("a Backup says what it lacks", async () => {
  const client = answering();
  const lacks = "Not in the backup: 2 × Socket (not stored).";
  await recordBackup({ client: client as never, driver }, work, { ...step, lacks }, {});
  const message = `The Backup can be restored. ${lacks}`;
  expect(client.writes[1]?.body).toMatchObject({
    patch: { status: { conditions: expect.arrayContaining([expect.objectContaining({ message })]) } },
  });
});

test("a Backup of its name that another job made is left alone", async () => {
  const client = new RecordingClient(({ verb }) => {
    if (verb === "create")
      throw new ApiError({ request: "POST", code: 409, status: { code: 409, reason: "AlreadyExists" } });
    return sampleBackup("first");
  });
  expect(await recordBackup({ client: client as never, driver }, work, step, {})).toBe(false);
  expect(client.writes.filter(({ verb }) => verb === "patch")).toEqual([]);
});

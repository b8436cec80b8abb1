import { expect, test } from "vitest";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { MAX_STATUS } from "../../kube/write/status.ts";
import { REPOSITORIES, repository } from "../testing/samples.ts";
import { writeFitted } from "./fitted_status.ts";

test("a status that says too much is written with less, instead of being refused", async () => {
  const object = repository();
  const status = { ...object.status, logTail: "l".repeat(MAX_STATUS) };
  const client = new RecordingClient(() => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: "2" },
  }));
  await writeFitted(client, { resource: REPOSITORIES, object, status }, {});
  expect(client.writes).toMatchObject([{ body: { patch: { status: { logTail: "l".repeat(2048) } } } }]);
});

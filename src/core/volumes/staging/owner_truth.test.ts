import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { API_VERSION, BACKUPS, backup } from "../../testing/samples.ts";
import { ownerTruth } from "./owner_truth.ts";
import type { MarkedOwner } from "./staged_marks.ts";

const OWNER: MarkedOwner = {
  apiVersion: API_VERSION,
  kind: "Backup",
  namespace: "billing",
  name: "first",
  uid: "uid-first",
};
const { signal } = new AbortController();
const truthOf = (owner: MarkedOwner, answer: () => unknown) =>
  ownerTruth(new RecordingClient(answer), BACKUPS, owner, signal);
const failing = (code: number, reason: string) => () => {
  throw new ApiError({ request: "GET", code, status: { code, reason } });
};

test("a Backup that is there is there, and another one of its name is not it", async () => {
  expect(await truthOf(OWNER, () => backup())).toBe("there");
  expect(await truthOf({ ...OWNER, uid: "uid-before" }, () => backup())).toBe("gone");
});

test("a Backup is gone when the server says so, and at nothing else", async () => {
  expect(await truthOf(OWNER, failing(404, "NotFound"))).toBe("gone");
  await expect(truthOf(OWNER, failing(503, "ServiceUnavailable"))).rejects.toThrow();
});

test.each([
  ["another kind", { kind: "Restore" }],
  ["another API", { apiVersion: "velero.io/v1" }],
])("of %s nothing is known", async (_, more) => {
  expect(await truthOf({ ...OWNER, ...more }, failing(404, "NotFound"))).toBe("unknown");
});

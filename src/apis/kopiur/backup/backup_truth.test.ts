import { expect, test } from "vitest";
import type { MarkedOwner } from "../../../core/volumes/staging/staged_marks.ts";
import { API_VERSION } from "../../../kinds/kopiur/group.ts";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { backup } from "../testing/samples.ts";
import { backupTruth } from "./backup_truth.ts";

const OWNER: MarkedOwner = {
  apiVersion: API_VERSION,
  kind: "Backup",
  namespace: "billing",
  name: "first",
  uid: "uid-first",
};
const { signal } = new AbortController();
const truthOf = (owner: MarkedOwner, answer: () => unknown) =>
  backupTruth(new RecordingClient(answer), owner, signal);
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

import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { PersistentVolumes } from "../../../kube/builtin.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { glance, glanceAll, look } from "./look.ts";
import { HIDDEN } from "./observed_staging.ts";

const answering = (code: number, reason: string) =>
  new RecordingClient(() => {
    throw new ApiError({ request: "get", code, status: { code, reason } });
  });
const forbidden = answering(403, "Forbidden");
const volume = { name: "pv" };

test("what is not there is undefined, what may not be seen is hidden, and trouble is trouble", async () => {
  expect(await look(answering(404, "NotFound"), PersistentVolumes, volume, {})).toBeUndefined();
  expect(await glance(answering(404, "NotFound"), PersistentVolumes, volume, {})).toBeUndefined();
  expect(await glance(forbidden, PersistentVolumes, volume, {})).toBe(HIDDEN);
  expect(await glanceAll(forbidden, PersistentVolumes, {})).toBe(HIDDEN);
  await expect(look(forbidden, PersistentVolumes, volume, {})).rejects.toThrow("HTTP 403");
  await expect(glance(answering(503, ""), PersistentVolumes, volume, {})).rejects.toThrow("HTTP 503");
});

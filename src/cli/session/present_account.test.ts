import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { presentAccount } from "./present_account.ts";

const refusing = (code: number, reason: string) =>
  new RecordingClient(() => {
    throw new ApiError({ request: "GET", code, status: { code, reason } });
  });

test("a session runs under the movers' account, where that is there and may be seen", async () => {
  const there = new RecordingClient(() => ({}));
  expect(await presentAccount(there, "home", {})).toBe("holdfast-mover");
  expect(there.calls).toMatchObject([{ name: { namespace: "home", name: "holdfast-mover" } }]);
  expect(await presentAccount(refusing(404, "NotFound"), "home", {})).toBeUndefined();
  expect(await presentAccount(refusing(403, "Forbidden"), "home", {})).toBeUndefined();
  await expect(presentAccount(refusing(500, "InternalError"), "home", {})).rejects.toThrow();
});

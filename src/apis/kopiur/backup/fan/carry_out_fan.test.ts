import { expect, test } from "vitest";
import { backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../../../kube/api_error.ts";
import { type RecordedCall, RecordingClient } from "../../../../kube/testing/recording_client.ts";
import { backup } from "../../testing/samples.ts";
import { delegateIn, partDraft } from "../delegate/delegate_of.ts";
import { carryOutFan } from "./carry_out_fan.ts";

const places = ["lab", "office", "shop"].map((namespace) => delegateIn(backup(), namespace));
const asking = backup({ status: { backupRefs: places.map((place) => ({ ...place, phase: "Pending" })) } });

const answer = (code: number, reason: string) =>
  new ApiError({ request: "create", code, status: { reason, message: `${reason} in the lab` } });

/** Makes one in each namespace, where the API server says no to one in the lab. */
function carry(error: unknown) {
  const spaceOf = ({ body }: RecordedCall) =>
    (body as { metadata?: { namespace?: string } }).metadata?.namespace;
  const client = new RecordingClient((call) => {
    if (call.verb === "create" && spaceOf(call) === "lab") throw error;
    return { ...asking, metadata: { ...asking.metadata, resourceVersion: "2" } };
  });
  const intents = places.map(
    ({ namespace }) =>
      ({ type: "Make", draft: partDraft(asking, "namespace", namespace, "data-1") }) as const,
  );
  return {
    result: carryOutFan(client, { resource: backupResource, object: asking }, intents, {}),
    created: () => client.calls.filter(({ verb }) => verb === "create").map(spaceOf),
    told: () => client.calls.filter(({ verb }) => verb === "patch").map(({ body }) => body),
  };
}

test.each<[number, string]>([
  [403, "Forbidden"],
  [422, "Invalid"],
])("one that is refused with %i keeps no other from being made, and has failed", async (code, reason) => {
  const { result, created, told } = carry(answer(code, reason));
  await result;
  expect(created()).toEqual(["lab", "office", "shop"]);
  const message = `It was refused: ${reason} in the lab`;
  const [lab, ...others] = places;
  expect(told()).toMatchObject([
    {
      patch: {
        status: {
          backupRefs: [
            { ...lab, phase: "Failed", refused: true, message },
            ...others.map((place) => ({ ...place, phase: "Pending" })),
          ],
        },
      },
    },
  ]);
});

test("what may come by itself is tried again, after the others", async () => {
  const error = answer(500, "InternalError");
  const { result, created, told } = carry(error);
  await expect(result).rejects.toBe(error);
  expect(created()).toEqual(["lab", "office", "shop"]);
  expect(told()).toEqual([]);
});

test("where nobody answers, the others are not asked for", async () => {
  const { result, created } = carry(new Error("aborted"));
  await expect(result).rejects.toThrow("aborted");
  expect(created()).toEqual(["lab"]);
});

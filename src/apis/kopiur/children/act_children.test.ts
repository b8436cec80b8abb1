import { expect, test } from "vitest";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import { type RecordedCall, RecordingClient } from "../../../kube/testing/recording_client.ts";
import { backup } from "../testing/samples.ts";
import { actChildren } from "./act_children.ts";
import { type ChildIntent, childDraft, childIn, onlyChildDraft } from "./child.ts";

const places = ["lab", "office", "shop"].map((namespace) => childIn(backup(), namespace));
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
      ({ type: "Make", draft: childDraft(asking, "namespace", namespace, "data-1") }) as const,
  );
  return {
    result: actChildren(client, { resource: backupResource, object: asking }, intents, {}),
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

const lone = backup({ spec: { configRef: { name: "data", namespace: "shop" } } });
const make = { type: "Make", draft: onlyChildDraft(lone, "recipe") } as const;

/** Tells what it was asked; an error is what it answers. */
function clientWith(error?: ApiError) {
  const calls: unknown[] = [];
  const answer =
    (verb: string) =>
    async (_: unknown, ...given: readonly unknown[]) => {
      calls.push([verb, ...given]);
      if (error) throw error;
      return {};
    };
  const client = { create: answer("create"), patch: answer("patch"), delete: answer("delete") };
  const target = { resource: backupResource, object: lone };
  const act = (intent: ChildIntent) => actChildren(client as unknown as Client, target, [intent], {});
  return { calls, act };
}

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "create", code, status: { reason, message: reason } });

test("what is there already is left to the next look", async () => {
  const { act } = clientWith(refusal(409, "AlreadyExists"));
  await expect(act(make)).resolves.toBe(lone);
});

test("only the very Backup that was seen is changed or deleted, and a deletion is not marked as our own", async () => {
  const child = backup({ metadata: { namespace: "shop", uid: "seen" } });
  const { act, calls } = clientWith();
  await act({ type: "Remove", child });
  await act({ type: "Adapt", child, patch: { spec: { deletionPolicy: "Retain" } } });
  expect(calls).toMatchObject([
    ["delete", { namespace: "shop" }, { uid: "seen" }],
    [
      "patch",
      { namespace: "shop" },
      { type: "merge", patch: { spec: { deletionPolicy: "Retain" }, metadata: { uid: "seen" } } },
      {},
    ],
  ]);
});

test("what is gone needs no deletion", async () => {
  const { act } = clientWith(refusal(404, "NotFound"));
  await expect(act({ type: "Remove", child: lone })).resolves.toBe(lone);
});

test("that an only child is refused is the failure of its parent", async () => {
  const { act } = clientWith(refusal(403, "Forbidden"));
  await expect(act(make)).rejects.toThrow(Failure);
});

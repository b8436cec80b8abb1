import { expect, test } from "vitest";
import { ApiError } from "../../../../kube/api_error.ts";
import type { Client } from "../../../../kube/client.ts";
import { backup } from "../../testing/samples.ts";
import { carryOutDelegate } from "./carry_out_delegate.ts";
import { delegateDraft } from "./delegate_of.ts";

const asking = backup({ spec: { configRef: { name: "data", namespace: "shop" } } });
const make = { type: "Make", draft: delegateDraft(asking, "recipe") } as const;

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
  return { calls, client: client as unknown as Pick<Client, "create" | "patch" | "delete"> };
}

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "create", code, status: { reason, message: reason } });

test("what is there already is left to the next look", async () => {
  const { client } = clientWith(refusal(409, "AlreadyExists"));
  await expect(carryOutDelegate(client, make, {})).resolves.toBeUndefined();
});

test("only the very Backup that was seen is changed or deleted, and a deletion is not marked as our own", async () => {
  const delegate = backup({ metadata: { namespace: "shop", uid: "seen" } });
  const { client, calls } = clientWith();
  await carryOutDelegate(client, { type: "Remove", delegate }, {});
  await carryOutDelegate(
    client,
    { type: "Adapt", delegate, patch: { spec: { deletionPolicy: "Retain" } } },
    {},
  );
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
  const { client } = clientWith(refusal(404, "NotFound"));
  await expect(carryOutDelegate(client, { type: "Remove", delegate: asking }, {})).resolves.toBeUndefined();
});

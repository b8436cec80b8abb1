import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { silentLogger } from "../../../observe/log.ts";
import { registerPopulator } from "./register_populator.ts";

const SOURCES = { group: "example.com", version: "v1", kind: "Keeper", plural: "keepers", namespaced: true };

async function registered(served: boolean, answer: () => unknown = () => ({})) {
  const created: unknown[] = [];
  const warnings: unknown[] = [];
  const client = {
    serves: async () => served,
    create: async (_: unknown, draft: unknown) => {
      created.push(draft);
      return answer();
    },
  } as unknown as Pick<Client, "serves" | "create">;
  const log = { ...silentLogger, warn: (...words: unknown[]) => warnings.push(words) };
  await registerPopulator({ client, log: log as typeof silentLogger }, SOURCES).run(
    AbortSignal.abort(),
    () => {},
    AbortSignal.abort(),
  );
  return { created, warnings: warnings.length };
}

const refuse = (code: number, reason: string) => () => {
  throw new ApiError({ request: "create", code, status: { reason } });
};

test("sources are registered where there is such a kind, and only there", async () => {
  expect(await registered(true)).toEqual({
    created: [
      {
        metadata: {
          name: "keepers.example.com",
          labels: { "app.kubernetes.io/managed-by": "holdfast" },
        },
        sourceKind: { group: "example.com", kind: "Keeper" },
      },
    ],
    warnings: 0,
  });
  expect(await registered(false)).toEqual({ created: [], warnings: 0 });
});

test("one that is there is fine, and a refusal ends nothing", async () => {
  expect((await registered(true, refuse(409, "AlreadyExists"))).warnings).toBe(0);
  expect((await registered(true, refuse(403, "Forbidden"))).warnings).toBe(1);
});

import { expect, test } from "vitest";
import type { Reader } from "../../kube/client.ts";
import { refuseRepository } from "./refuse_repository.ts";

const repository = (backend: object) => ({ metadata: { name: "nas" }, spec: { backend } });
const client = {
  list: async () => ({
    items: [repository({ s3: {} }), repository({ filesystem: { pvc: { name: "store" } } })],
  }),
} as unknown as Pick<Reader, "list">;
const { signal } = new AbortController();

test("a claim that holds a repository is refused", async () => {
  await expect(refuseRepository(client, { namespace: "home", name: "store" }, signal)).rejects.toThrow(
    "the claim home/store holds the backups of repository nas",
  );
});

test("others are not", async () => {
  await expect(
    refuseRepository(client, { namespace: "home", name: "data" }, signal),
  ).resolves.toBeUndefined();
});

import { expect, test } from "vitest";
import { ConfigMaps } from "../builtin.ts";
import type { Client } from "../client.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { fenced } from "./fenced.ts";
import { LeadershipLost } from "./runnable.ts";

const draft = { metadata: { namespace: "ns", name: "a" } };

test("a leader's writes go through", async () => {
  const objects = new MemoryObjects();
  await fenced(objects as unknown as Client, () => true).create(ConfigMaps, draft);
  expect((await objects.get(ConfigMaps, draft.metadata)).metadata.name).toBe("a");
});

test("without leadership writes are refused before they are sent, reads go through", async () => {
  const objects = new MemoryObjects();
  let leads = true;
  const client = fenced(objects as unknown as Client, () => leads);
  const stored = await client.create(ConfigMaps, draft);
  leads = false;
  await expect(client.update(ConfigMaps, stored)).rejects.toThrow(LeadershipLost);
  await expect(client.create(ConfigMaps, draft)).rejects.toThrow("refused to create");
  expect(await client.get(ConfigMaps, draft.metadata)).toEqual(stored);
});

import { expect, test } from "vitest";
import { readBody } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { ConfigMaps } from "../builtin.ts";
import { PodClient } from "../client/pod_client.ts";
import type { Client } from "../client.ts";
import { LeadershipLost } from "../runnable.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { ScriptedSender } from "../testing/scripted_sender.ts";
import { fenced } from "./fenced.ts";

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

test("without leadership no command reaches a pod, while its log may be read", async () => {
  const server = new ScriptedSender(() => ({ stream: [Buffer.from("a line")] }));
  const pods = fenced(
    new PodClient({ clock: new VirtualClock(), random: seededRandom(1), sender: server }),
    () => false,
  );
  const { signal } = new AbortController();
  await expect(pods.exec(draft.metadata, { signal, command: ["sync"] })).rejects.toThrow("refused to exec");
  await expect(pods.portForward(draft.metadata, 80, signal)).rejects.toThrow(LeadershipLost);
  expect(server.requests).toEqual([]);
  expect(String(await readBody(pods.logs(draft.metadata, { signal })))).toBe("a line");
});

test.each(["create", "update", "patch", "apply", "delete", "deleteCollection", "setScale"] as const)(
  "without leadership nothing is sent by %s",
  async (call) => {
    let sent = false;
    const send = async () => {
      sent = true;
    };
    const client = { [call]: send } as unknown as Record<typeof call, () => Promise<void>>;
    const through = (leads: boolean) =>
      fenced(client as unknown as Client, () => leads) as unknown as typeof client;
    await expect(through(false)[call]()).rejects.toThrow(LeadershipLost);
    expect(sent).toBe(false);
    await through(true)[call]();
    expect(sent).toBe(true);
  },
);

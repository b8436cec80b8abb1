import { beforeEach, expect, test } from "vitest";
import { ConfigMaps } from "../../kube/builtin.ts";
import type { Client } from "../../kube/client.ts";
import { FakeCollection } from "../../kube/testing/fake_collection.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { LiveObjects, MOST_FOLLOWED } from "./live_objects.ts";

let clock: VirtualClock;
let server: FakeCollection;
let live: LiveObjects;

beforeEach(() => {
  clock = new VirtualClock();
  server = new FakeCollection();
  live = new LiveObjects({ client: server.reader as Client, clock, random: seededRandom(1) });
});

async function list(namespace: string): Promise<readonly string[]> {
  const listed = live.list(ConfigMaps, namespace);
  await clock.advance(1);
  return (await listed).map(({ metadata }) => metadata.name);
}

test("what somebody looks at is kept up to date, and told", async () => {
  server.put("a");
  expect(await list("default")).toEqual(["a"]);
  const told: (string | undefined)[] = [];
  live.onChange((kind, namespace) => told.push(kind, namespace));
  server.put("b");
  await clock.advance(1);
  expect(told).toEqual(["ConfigMap", "default"]);
  expect(await list("default")).toEqual(["a", "b"]);
  expect(live.size).toBe(1);
});

test("what nobody asks for any more is let go, also while a page hears of changes", async () => {
  live.onChange(() => {});
  await list("left");
  await list("asked");
  for (let i = 0; i < 8; i++) {
    await clock.advance(30_000);
    await list("asked");
  }
  expect(live.size).toBe(1);
  await clock.advance(200_000);
  expect(live.size).toBe(0);
});

test("one person follows only so much, and what they asked for last", async () => {
  for (let i = 0; i < MOST_FOLLOWED + 20; i++) await list(`n${i}`);
  expect(live.size).toBe(MOST_FOLLOWED);
  live[Symbol.dispose]();
  expect(live.size).toBe(0);
});

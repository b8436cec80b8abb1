import { expect, test } from "vitest";
import { ApiError } from "../kube/api_error.ts";
import { Informers } from "../kube/cache/informers.ts";
import type { Client } from "../kube/client.ts";
import { RecordingClient } from "../kube/testing/recording_client.ts";
import { seededRandom } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger as log } from "../observe/log.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { operatorDoor } from "./operator_door.ts";
import { operatorSettings } from "./operator_settings.ts";

const WEBHOOKS = { HOLDFAST_WEBHOOK_SERVICE: "holdfast-webhook" };

function open(env: Readonly<Record<string, string>>, answer: () => unknown) {
  const client = new RecordingClient(answer);
  const clock = new VirtualClock();
  const ports = { client: client as unknown as Client, clock, random: seededRandom(1), log };
  const informers = new Informers({ ...ports, observer: noWatchObserver });
  const settings = operatorSettings({ HOLDFAST_MOVER_IMAGE: "mover", ...env }, "1.0.0");
  const door = operatorDoor({ ...ports, informers, operatorNamespace: "holdfast", settings });
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = door.run(stop.signal, ready.resolve, stop.signal);
  const close = async () => {
    stop.abort(new Error("the test is over"));
    await running;
  };
  return { client, clock, door, ready: ready.promise, close };
}

const forbidden = () => {
  throw new ApiError({ request: "create", code: 403, status: { reason: "Forbidden", message: "may not" } });
};

test("a replica that may not ask for its own name serves nothing, and removes nothing that others serve", async () => {
  const { client, clock, door, ready, close } = open(WEBHOOKS, forbidden);
  await ready;
  await clock.advance(120_000);
  expect(door).toMatchObject({ opened: false, problem: expect.stringContaining("may not") });
  expect(new Set(client.calls.map(({ verb }) => verb))).toEqual(new Set(["create"]));
  await close();
});

/** What there is of webhooks: they lead to a Service of this namespace. */
const leadingTo = (namespace: string) => () => ({
  metadata: { name: "holdfast-kopiur", uid: "1" },
  webhooks: [{ name: "a", clientConfig: { service: { namespace, name: "holdfast-webhook" } } }],
});
const removals = (client: RecordingClient) => client.writes.map(({ verb, options }) => ({ verb, options }));
const REMOVAL = { verb: "delete", options: expect.objectContaining({ uid: "1" }) };

test.each([
  ["without webhooks", {}],
  ["that serves no API", { ...WEBHOOKS, HOLDFAST_APIS: "none" }],
])("an operator %s removes also those that a replica which still ends has put back", async (_, env) => {
  const { client, clock, door, ready, close } = open(env, leadingTo("holdfast"));
  await ready;
  expect(door.opened).toBe(false);
  expect(removals(client)).toEqual([REMOVAL, REMOVAL]);
  await clock.advance(60_000);
  expect(client.writes).toHaveLength(4);
  await close();
});

test("an operator without webhooks leaves those that lead to another one's Service", async () => {
  const { client, clock, ready, close } = open({}, leadingTo("elsewhere"));
  await ready;
  await clock.advance(60_000);
  expect(client.writes).toEqual([]);
  await close();
});

test("an operator that may not remove webhooks asks once", async () => {
  const { client, clock, ready, close } = open({}, forbidden);
  await ready;
  await clock.advance(300_000);
  expect(client.calls).toHaveLength(1);
  await close();
});

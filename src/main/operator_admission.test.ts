import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ApiError } from "../kube/api_error.ts";
import { Informers } from "../kube/cache/informers.ts";
import { createAuthority, issueServerCertificate } from "../kube/certificates/certificates.ts";
import type { Client } from "../kube/client.ts";
import { type RecordedCall, RecordingClient } from "../kube/testing/recording_client.ts";
import { seededRandom } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger as log } from "../observe/log.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { APIS } from "./apis.ts";
import { operatorAdmission } from "./operator_admission.ts";
import { operatorSettings } from "./operator_settings.ts";

const WEBHOOKS = { HOLDFAST_WEBHOOK_SERVICE: "holdfast-webhook" };

function open(env: Readonly<Record<string, string>>, answer: (call: RecordedCall) => unknown) {
  const client = new RecordingClient(answer);
  const clock = new VirtualClock();
  const ports = { client: client as unknown as Client, clock, random: seededRandom(1), log };
  const informers = new Informers({ ...ports, observer: noWatchObserver });
  const settings = operatorSettings({ HOLDFAST_MOVER_IMAGE: "mover", ...env }, "1.0.0");
  const door = operatorAdmission({ ...ports, informers, operatorNamespace: "holdfast", settings });
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
  expect(new Set(client.writes.map(({ verb }) => verb))).toEqual(new Set(["create"]));
  await close();
});

const missing = () => {
  throw new ApiError({ request: "get", code: 404, status: { reason: "NotFound", message: "not found" } });
};

/** What there is of webhooks: those of this name lead to a Service of this namespace. */
const leadingTo =
  (namespace: string, webhooks = "holdfast-kopiur") =>
  ({ verb, name }: RecordedCall) =>
    verb === "create"
      ? forbidden()
      : name?.name !== webhooks
        ? missing()
        : {
            metadata: { name: webhooks, uid: "1" },
            webhooks: [{ name: "a", clientConfig: { service: { namespace, name: "holdfast-webhook" } } }],
          };
const removals = (client: RecordingClient) =>
  client.writes
    .filter(({ verb }) => verb === "delete")
    .map(({ name, options }) => ({ name: name?.name, options }));
const removal = (name: string) => ({ name, options: expect.objectContaining({ uid: "1" }) });
const REMOVAL = removal("holdfast-kopiur");

test.each([
  ["without webhooks", {}],
  ["that serves no API", { ...WEBHOOKS, HOLDFAST_APIS: "none" }],
])("an operator %s removes also those that a replica which still ends has put back", async (_, env) => {
  const { client, clock, door, ready, close } = open(env, leadingTo("holdfast"));
  await ready;
  expect(door.opened).toBe(false);
  expect(removals(client)).toEqual([REMOVAL, REMOVAL]);
  await clock.advance(60_000);
  expect(removals(client)).toHaveLength(4);
  await close();
});

test("an operator without webhooks leaves those that lead to another one's Service", async () => {
  const { client, clock, ready, close } = open({}, leadingTo("elsewhere"));
  await ready;
  await clock.advance(60_000);
  expect(removals(client)).toEqual([]);
  await close();
});

test("an operator that may not remove webhooks asks once for each name", async () => {
  const { client, clock, ready, close } = open({}, forbidden);
  await ready;
  await clock.advance(300_000);
  expect(client.calls.map(({ name }) => name?.name)).toEqual([
    ...APIS.map(({ name }) => `holdfast-${name}`),
    ...APIS.map(({ name }) => `holdfast-${name}-holdfast`),
  ]);
  await close();
});

test.each([
  ["all namespaces", {}, "holdfast-kopiur-holdfast"],
  ["all namespaces, without webhooks", { HOLDFAST_WEBHOOK_SERVICE: "" }, "holdfast-kopiur-holdfast"],
  ["one namespace", { HOLDFAST_NAMESPACE: "holdfast" }, "holdfast-kopiur"],
])(
  "an operator of %s removes the webhooks that it had with the other scope, also those that a replica which still ends has put back",
  async (_, env, former) => {
    const { client, clock, ready, close } = open({ ...WEBHOOKS, ...env }, leadingTo("holdfast", former));
    await ready;
    await clock.advance(0);
    expect(removals(client)).toEqual([removal(former), removal(former)]);
    await clock.advance(60_000);
    expect(removals(client)).toHaveLength(4);
    await close();
  },
);

test("an operator that has run for minutes takes nothing from its successor, whose scope is the other one", async () => {
  let installed = false;
  const successors = leadingTo("holdfast");
  const { client, clock, ready, close } = open({ ...WEBHOOKS, HOLDFAST_NAMESPACE: "holdfast" }, (call) =>
    installed || call.verb === "create" ? successors(call) : missing(),
  );
  await ready;
  await clock.advance(180_000);
  installed = true;
  await clock.advance(600_000);
  expect(removals(client)).toEqual([]);
  await close();
});

test("an operator of one namespace leaves the webhooks of another one's, which looks after the whole cluster", async () => {
  const env = { ...WEBHOOKS, HOLDFAST_NAMESPACE: "holdfast" };
  const { client, clock, ready, close } = open(env, leadingTo("elsewhere"));
  await ready;
  await clock.advance(60_000);
  expect(removals(client)).toEqual([]);
  await close();
});

test("cert-manager is told which Certificate vouches for the webhooks", async () => {
  const random = seededRandom(2);
  const folder = mkdtempSync(join(tmpdir(), "operator-door-"));
  const validity = { notBefore: 0, notAfter: 86_400_000 };
  const authority = createAuthority({ name: "ca", validity, random });
  const names = { dns: ["holdfast-webhook.holdfast.svc"], ip: [] };
  const { cert, key } = issueServerCertificate({ authority, names, validity, random });
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const env = {
    ...WEBHOOKS,
    HOLDFAST_APIS: "kopiur,plumber",
    HOLDFAST_WEBHOOK_PORT: "0",
    HOLDFAST_WEBHOOK_CERTIFICATES: folder,
    HOLDFAST_WEBHOOK_CERTIFICATE: "holdfast/webhook",
  };
  const { client, clock, ready, close } = open(env, ({ verb }) =>
    verb === "get" ? missing() : { status: { userInfo: { username: "operator" } } },
  );
  await ready;
  const applied = client.writes.filter(({ verb }) => verb === "apply").map(({ body }) => body);
  expect(applied).toMatchObject(
    [1, 2, 3, 4].map(() => ({
      metadata: { annotations: { "cert-manager.io/inject-ca-from": "holdfast/webhook" } },
    })),
  );
  expect(JSON.stringify(applied)).not.toContain("caBundle");
  const closing = close();
  await clock.advance(3_000);
  await closing;
  rmSync(folder, { recursive: true });
});

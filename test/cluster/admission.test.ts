import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AdmissionServer } from "../../src/kube/admission/admission_server.ts";
import { findConfigurations } from "../../src/kube/admission/ca_bundle.ts";
import { SecretCertificates } from "../../src/kube/admission/secret_certificates.ts";
import { webhook } from "../../src/kube/admission/webhook.ts";
import { ensureWebhooks, removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { ApiError, isNotFound } from "../../src/kube/api_error.ts";
import { type ConfigMap, ConfigMaps, Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { type Clock, sleep, systemClock } from "../../src/lib/clock.ts";
import { type Listen, listen } from "../../src/lib/https_server.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { silentLogger } from "../../src/observe/log.ts";
import type { AdmissionInfo } from "../../src/observe/observers.ts";

const DAY = 86_400_000;
const host = process.env.HOLDFAST_TEST_HOST_ADDRESS ?? "127.0.0.1";
const name = `admission-${systemRandom.hex(4)}`;
const secret = { namespace: name, name: "webhook-certificates" };

/** The server believes it is 250 days ago until the test of rotation sets it right: its authority is due then. */
let offset = -250 * DAY;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + offset };

/** Every review comes over a connection, and a handshake, of its own. */
const listenUnkept: Listen = (options) =>
  listen({
    ...options,
    handler: async (request) => {
      const response = await options.handler(request);
      return { ...response, headers: { ...response.headers, connection: "close" } };
    },
  });

const common = {
  resource: ConfigMaps,
  operations: ["CREATE", "UPDATE"],
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
  timeoutSeconds: 5,
} as const;

const webhooks = [
  webhook<ConfigMap>({
    ...common,
    type: "validating",
    name: "check.test.holdfast.dev",
    path: "/check",
    validate: ({ object, operation }) => {
      if (object?.data?.locked && operation === "UPDATE")
        return { allowed: false, message: "it is locked", code: 409 };
      if (object?.data?.bad) return { allowed: false, message: "data.bad is set; remove it", code: 422 };
      return { allowed: true, ...(object?.data?.odd && { warnings: ["data.odd is odd"] }) };
    },
  }),
  webhook<ConfigMap>({
    ...common,
    type: "mutating",
    name: "default.test.holdfast.dev",
    path: "/default",
    mutate: ({ object }) => {
      if (!object) return { allowed: true };
      const annotations = { ...object.metadata.annotations, "test.holdfast.dev/mutated": "yes" };
      return { allowed: true, object: { ...object, metadata: { ...object.metadata, annotations } } };
    },
  }),
];

const events: AdmissionInfo[] = [];
const stop = new AbortController();
let client: HttpClient;
let certificates: SecretCertificates;
let running: Promise<void>;

beforeAll(async () => {
  const kubeconfig = process.env.HOLDFAST_TEST_KUBECONFIG;
  if (!kubeconfig) throw new Error("HOLDFAST_TEST_KUBECONFIG must name the kubeconfig of a test cluster");
  const { sender } = await connect({
    clock: systemClock,
    processes: systemProcesses,
    env: process.env,
    kubeconfig,
  });
  client = new HttpClient({ sender, clock: systemClock, random: systemRandom });
  await client.create(Namespaces, { metadata: { name } });
  certificates = newCertificates(secret.name);
  const server = new AdmissionServer({
    webhooks,
    clock,
    random: systemRandom,
    log: silentLogger,
    observer: { reviewed: (info) => events.push(info) },
    listen: listenUnkept,
    host,
    port: 0,
    certificates,
    names: { dns: [], ip: [host] },
    poll: 200,
    linger: 0,
    install: ({ port, caBundle, signal }) =>
      ensureWebhooks(
        client,
        {
          name,
          webhooks,
          reach: { url: `https://${host}:${port}` },
          caBundle,
          fieldManager: "admission-test",
        },
        { signal },
      ),
  });
  const ready = Promise.withResolvers<void>();
  running = server.run(stop.signal, ready.resolve);
  await Promise.race([ready.promise, running]);
  await eventually("the webhooks are called", async () => {
    const draft = { metadata: { name: "probe", namespace: name }, data: { bad: "1" } };
    const refused = await client.create(ConfigMaps, draft, { dryRun: true }).catch((error: unknown) => error);
    return refused instanceof ApiError && refused.message.includes("data.bad is set");
  });
});

function newCertificates(secretName: string): SecretCertificates {
  return new SecretCertificates({
    client,
    clock,
    random: systemRandom,
    log: silentLogger,
    secret: { namespace: name, name: secretName },
    names: { dns: [], ip: [host] },
    configurations: [name],
    policy: { leafLife: 365 * DAY, settle: 2_000 },
  });
}

afterAll(async () => {
  stop.abort();
  await running;
  await removeWebhooks(client, name);
  await client.delete(Namespaces, { name });
});

function create(
  data: Readonly<Record<string, string>>,
  more: { finalizers?: string[]; warnings?: string[] } = {},
) {
  const { warnings, ...metadata } = more;
  return client.create(
    ConfigMaps,
    { metadata: { generateName: "test-", namespace: name, ...metadata }, data },
    { onWarning: (text) => warnings?.push(text) },
  );
}

/** Polls a real cluster, whose API server takes a moment to hear of a changed configuration. */
async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 150; !(await isSo()); left--) {
    if (left === 0) throw new Error(`after 30 s it still is not so that ${what}`);
    await sleep(systemClock, 200);
  }
}

describe("webhooks of a real API server", () => {
  test("deny with our message and code", async () => {
    await expect(create({ bad: "1" })).rejects.toMatchObject({
      code: 422,
      reason: "Invalid",
      message: expect.stringContaining(
        'admission webhook "check.test.holdfast.dev" denied the request: data.bad is set; remove it',
      ),
    });
  });

  test("warn", async () => {
    const warnings: string[] = [];
    await create({ odd: "1" }, { warnings });
    expect(warnings).toEqual(["data.odd is odd"]);
  });

  test("mutate", async () => {
    const { data, metadata } = await create({ given: "1" });
    expect(data).toEqual({ given: "1" });
    expect(metadata.annotations).toEqual({ "test.holdfast.dev/mutated": "yes" });
  });

  test("let an object go that is being deleted", async () => {
    const held = await create({ locked: "1" }, { finalizers: ["test.holdfast.dev/hold"] });
    const released = { ...held, metadata: { ...held.metadata, finalizers: [] } };
    await expect(client.update(ConfigMaps, released)).rejects.toMatchObject({ code: 409 });
    await client.delete(ConfigMaps, held.metadata);
    const terminating = await client.get(ConfigMaps, held.metadata);
    expect(terminating.metadata.deletionTimestamp).toBeDefined();
    await client.update(ConfigMaps, {
      ...terminating,
      metadata: { ...terminating.metadata, finalizers: [] },
    });
    await expect(client.get(ConfigMaps, held.metadata)).rejects.toSatisfy(isNotFound);
    expect(
      events
        .filter(({ verdict }) => verdict === "passed")
        .map((info) => info.webhook)
        .sort(),
    ).toEqual(["mutating", "validating"]);
  });

  test("stay reachable all through the replacement of their authority", async () => {
    const authorities = () => certificates.caBundle.split(/(?<=-----END CERTIFICATE-----\n)/);
    const isOfNewest = () =>
      new X509Certificate(certificates.identity.cert).verify(
        new X509Certificate(authorities()[0] ?? "").publicKey,
      );
    expect(authorities()).toHaveLength(1);
    offset = 0;
    let writes = 0;
    const failures: unknown[] = [];
    const write = async () => {
      writes++;
      await client
        .create(
          ConfigMaps,
          { metadata: { name: "probe", namespace: name }, data: { a: "1" } },
          { dryRun: true },
        )
        .catch((error: unknown) => failures.push(error));
    };
    await eventually("a leaf of the new authority is served", async () => {
      for (let i = 0; i < 10; i++) await write();
      return authorities().length === 2 && isOfNewest();
    });
    for (let i = 0; i < 50; i++) await write();
    expect(failures).toEqual([]);
    expect(writes).toBeGreaterThan(60);
    const caBundle = Buffer.from(certificates.caBundle).toString("base64");
    const configured = (await findConfigurations(client, name)).flatMap(
      ({ configuration }) => configuration.webhooks,
    );
    expect(configured.map((entry) => entry?.clientConfig.caBundle)).toEqual([caBundle, caBundle]);
    expect((await client.get(Secrets, secret)).data?.["tls.crt"]).toBe(
      Buffer.from(certificates.identity.cert).toString("base64"),
    );
  });

  test("refuse writes while their server is away, and no longer once they are removed", async () => {
    stop.abort();
    await running;
    await expect(create({ a: "1" })).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('failed calling webhook "default.test.holdfast.dev"'),
    });
    expect(await removeWebhooks(client, name)).toBe(true);
    await eventually("writes work again", () =>
      create({ a: "1" }).then(
        () => true,
        () => false,
      ),
    );
    expect(await removeWebhooks(client, name)).toBe(false);
  });
});

describe("replicas that start together", () => {
  test("share the certificate that one of them made", async () => {
    const replicas = Array.from({ length: 5 }, () => newCertificates("shared"));
    await Promise.all(replicas.map((replica) => replica.refresh()));
    expect(new Set(replicas.map(({ identity }) => identity.cert)).size).toBe(1);
  });
});

import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import { ApiError } from "../api_error.ts";
import { type ConfigMap, ConfigMaps, Secrets, ValidatingWebhookConfigurations } from "../builtin.ts";
import type { Client } from "../client.ts";
import type { Draft, KubeObject, ObjectName } from "../object.ts";
import type { Resource } from "../resource.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { SecretCertificates } from "./secret_certificates.ts";
import { webhook } from "./webhook.ts";
import { webhookConfigurations } from "./webhook_configuration.ts";

const DAY = 86_400_000;
const secret = { namespace: "holdfast", name: "webhook-certificates" };

/** Counts updates, can forget everything, and can hide the Secret from who reads it. */
class Objects implements Pick<Client, "get" | "create" | "update"> {
  #memory = new MemoryObjects();
  updates = 0;
  hidesSecret = false;

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName): Promise<T> {
    if (this.hidesSecret && resource.kind === "Secret") {
      throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
    }
    return this.#memory.get(resource, name);
  }

  create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> {
    return this.#memory.create(resource, draft);
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    this.updates++;
    return this.#memory.update(resource, object);
  }

  forget(): void {
    this.#memory = new MemoryObjects();
  }
}

function setUp() {
  const objects = new Objects();
  const clock = new VirtualClock();
  const replica = (seed: number) =>
    new SecretCertificates({
      client: objects,
      clock,
      random: seededRandom(seed),
      log: silentLogger,
      secret,
      names: { dns: ["webhook.holdfast.svc"], ip: [] },
      configurations: ["holdfast"],
    });
  const install = async () => {
    const { validating } = webhookConfigurations({
      name: "holdfast",
      reach: { url: "https://127.0.0.1:1" },
      webhooks: [
        webhook<ConfigMap>({
          type: "validating",
          name: "check.example.org",
          path: "/check",
          resource: ConfigMaps,
          operations: ["CREATE"],
          validate: () => ({ allowed: true }),
        }),
      ],
    });
    await objects.create(ValidatingWebhookConfigurations, validating);
  };
  const published = async () => {
    const { webhooks } = await objects.get(ValidatingWebhookConfigurations, { name: "holdfast" });
    return Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? "", "base64").toString();
  };
  return { objects, clock, replica, install, published };
}

function isTrusted(cert: string, bundle: string): boolean {
  const leaf = new X509Certificate(cert);
  return bundle
    .split(/(?=-----BEGIN)/)
    .some((authority) => leaf.verify(new X509Certificate(authority).publicKey));
}

describe("SecretCertificates", () => {
  test("has nothing to show before the first refresh", () => {
    expect(() => setUp().replica(1).identity).toThrow("have not been read yet");
  });

  test("makes certificates once, however many replicas start together", async () => {
    const { replica } = setUp();
    const replicas = [1, 2, 3].map(replica);
    await Promise.all(replicas.map((each) => each.refresh()));
    const [first] = replicas;
    for (const each of replicas) expect(each.identity).toEqual(first?.identity);
  });

  test("fills a Secret that is there but empty, and keeps what else it holds", async () => {
    const { objects, replica } = setUp();
    await objects.create(Secrets, { metadata: { ...secret, labels: { a: "b" } }, data: { other: "eA==" } });
    await replica(1).refresh();
    const stored = await objects.get(Secrets, secret);
    expect(stored.metadata.labels).toEqual({ a: "b" });
    expect(Object.keys(stored.data ?? {}).sort()).toEqual([
      "ca.crt",
      "ca.key",
      "other",
      "tls.crt",
      "tls.key",
    ]);
  });

  test("publishes its authority in the webhook configurations, and writes only when that differs", async () => {
    const { objects, replica, install, published } = setUp();
    await install();
    const certificates = replica(1);
    await certificates.refresh();
    expect(await published()).toBe(certificates.caBundle);
    const { updates } = objects;
    await certificates.refresh();
    expect(objects.updates).toBe(updates);
  });

  test.each(["lost", "broken"])("writes a Secret that is %s again from memory", async (how) => {
    const { objects, replica } = setUp();
    const certificates = replica(1);
    await certificates.refresh();
    const { identity } = certificates;
    const stored = await objects.get(Secrets, secret);
    if (how === "broken")
      await objects.update(Secrets, { ...stored, data: { ...stored.data, "tls.key": "eA==" } });
    else objects.forget();
    await certificates.refresh();
    expect(certificates.identity).toEqual(identity);
    expect((await objects.get(Secrets, secret)).data).toEqual(stored.data);
  });

  test("over three years, with two replicas, serves only what is published as trusted", async () => {
    const { clock, replica, install, published } = setUp();
    await install();
    const replicas = [replica(1), replica(2)];
    const leaves = new Set<string>();
    const authorities = new Set<string>();
    for (let day = 0; day < 3 * 365; day += 3) {
      for (const each of replicas) await each.refresh();
      const bundle = await published();
      authorities.add(bundle);
      for (const { identity } of replicas) {
        leaves.add(identity.cert);
        expect(isTrusted(identity.cert, bundle)).toBe(true);
      }
      await clock.advance(3 * DAY);
    }
    expect(leaves.size).toBeGreaterThan(15);
    expect(authorities.size).toBeGreaterThan(4);
  });

  test("says what to look for when somebody keeps overwriting", async () => {
    const { objects, replica } = setUp();
    await replica(1).refresh();
    objects.hidesSecret = true;
    await expect(replica(2).refresh()).rejects.toThrow(
      /^the certificates in the Secret holdfast\/webhook-certificates .* see who else writes them/,
    );
  });
});

import { X509Certificate } from "node:crypto";
import { Agent, request as httpsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../lib/clock.ts";
import { listen, type TlsIdentity } from "../../lib/https_server.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { ApiError } from "../api_error.ts";
import { type ConfigMap, ConfigMaps } from "../builtin.ts";
import { createAuthority, issueServerCertificate } from "../certificates/certificates.ts";
import { AdmissionServer, type AdmissionServerOptions } from "./admission_server.ts";
import { CertificateError, type CertificateSource } from "./certificate_source.ts";
import { type ValidatingWebhook, webhook } from "./webhook.ts";

const random = seededRandom(11);
const validity = { notBefore: systemClock.now() - 3_600_000, notAfter: systemClock.now() + 86_400_000 };
const authority = createAuthority({ name: "holdfast", validity, random });
const NAMES = { dns: ["localhost"], ip: ["127.0.0.1"] };
const newLeaf = () => issueServerCertificate({ authority, names: NAMES, validity, random });

/** A certificate that changes, or fails to come, on demand. */
class Handed implements CertificateSource {
  readonly caBundle = authority.cert;
  identity: TlsIdentity = newLeaf();
  failure: Error | undefined;

  async refresh(): Promise<void> {
    if (this.failure) throw this.failure;
  }
}

let stopped: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stopped?.();
  stopped = undefined;
});

function start(
  validate: ValidatingWebhook<ConfigMap>["validate"],
  certificates = new Handed(),
  {
    refusal,
    log = silentLogger,
    ...more
  }: Pick<AdmissionServerOptions, "learn" | "isInstalled"> & {
    readonly refusal?: () => Error | undefined;
    readonly log?: Logger;
  } = {},
) {
  const clock = new VirtualClock(systemClock.now());
  const stop = new AbortController();
  const listening = Promise.withResolvers<number>();
  const isReady = Promise.withResolvers<void>();
  const server = new AdmissionServer({
    webhooks: [
      webhook<ConfigMap>({
        type: "validating",
        name: "check.example.org",
        path: "/check",
        resource: ConfigMaps,
        operations: ["CREATE"],
        validate,
      }),
    ],
    clock,
    log,
    listen,
    random,
    host: "127.0.0.1",
    port: 0,
    certificates,
    names: NAMES,
    install: async ({ port, caBundle }) => {
      expect(caBundle).toBe(authority.cert);
      const error = refusal?.();
      if (error) throw error;
      listening.resolve(port);
    },
    ...more,
  });
  const running = server.run(stop.signal, () => isReady.resolve());
  stopped = async () => {
    stop.abort();
    await clock.advance(3_000);
    await running;
  };
  return { server, clock, certificates, ready: isReady.promise, port: listening.promise, running, stop };
}

/** Sends one review over a verified connection; tells the answer, and the certificate it came under. */
function post(
  port: number,
  agent: Agent,
  body = review(),
): Promise<{ status: number; body: string; serial: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: "127.0.0.1", port, path: "/check?timeout=10s", method: "POST", agent, ca: authority.cert },
      (response) => {
        const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, serial }));
      },
    );
    request.setHeader("content-type", "application/json");
    request.on("error", reject);
    request.end(body);
  });
}

function review(): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u-1",
      operation: "CREATE",
      resource: { group: "", version: "v1", resource: "configmaps" },
      object: { metadata: { name: "a" } },
    },
  });
}

function serialOf(identity: TlsIdentity): string {
  return new X509Certificate(identity.cert).serialNumber;
}

describe("AdmissionServer", () => {
  test("answers a review over TLS that the client verifies", async () => {
    const { port, ready } = start(() => ({ allowed: false, message: "not today" }));
    await ready;
    const agent = new Agent();
    const answer = await post(await port, agent);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).response).toMatchObject({ uid: "u-1", status: { message: "not today" } });
  });

  test("takes up a new certificate without dropping a connection or a running request", async () => {
    const arrived = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    let calls = 0;
    const { port, clock, certificates } = start(async () => {
      if (++calls === 2) {
        arrived.resolve();
        await open.promise;
      }
      return { allowed: true };
    });
    const old = certificates.identity;
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await post(await port, kept)).serial).toBe(serialOf(old));
    const slow = post(await port, kept);
    await arrived.promise;

    certificates.identity = newLeaf();
    await clock.advance(60_000);
    expect((await post(await port, new Agent())).serial).toBe(serialOf(certificates.identity));
    open.resolve();
    expect(await slow).toMatchObject({ serial: serialOf(old) });
    expect((await post(await port, kept)).serial).toBe(serialOf(old));
    kept.destroy();
  });

  test("goes on with the old certificate when no new one is to be had", async () => {
    const { port, clock, certificates } = start(() => ({ allowed: true }));
    await port;
    certificates.failure = new Error("the API server is away");
    await clock.advance(600_000);
    expect((await post(await port, new Agent())).status).toBe(200);
  });

  test("takes up a new certificate also when the refresh that brought it failed in the end", async () => {
    const { port, clock, certificates } = start(() => ({ allowed: true }));
    await port;
    await clock.advance(0);
    certificates.identity = newLeaf();
    certificates.failure = new Error("the configurations cannot be written");
    await clock.advance(60_000);
    expect((await post(await port, new Agent())).serial).toBe(serialOf(certificates.identity));
  });

  test("waits for its first certificate", async () => {
    const certificates = new Handed();
    certificates.failure = new Error("the API server is away");
    const { port, clock } = start(() => ({ allowed: true }), certificates);
    let listens = false;
    const listening = port.then(() => {
      listens = true;
    });
    await clock.advance(60_000);
    expect(listens).toBe(false);
    certificates.failure = undefined;
    await clock.advance(30_000);
    await listening;
  });

  test("lets the program go on without its webhooks while it has no right to them, and opens once it has", async () => {
    let mayInstall = false;
    const status = { reason: "Forbidden", message: "cannot patch validatingwebhookconfigurations" };
    const forbidden = new ApiError({ request: "apply", code: 403, status });
    const certificates = new Handed();
    certificates.failure = new ApiError({
      request: "get secrets",
      code: 403,
      status: { reason: "Forbidden", message: "cannot get secrets" },
    });
    const { server, ready, clock, port } = start(() => ({ allowed: true }), certificates, {
      refusal: () => (mayInstall ? undefined : forbidden),
    });
    await ready;
    expect(server).toMatchObject({ opened: false, problem: expect.stringContaining("cannot get secrets") });
    certificates.failure = undefined;
    await clock.advance(30_000);
    await expect
      .poll(() => server.problem, { timeout: 20_000 })
      .toContain("cannot patch validatingwebhookconfigurations");
    expect(server.opened).toBe(false);
    mayInstall = true;
    await clock.advance(30_000);
    await port;
    await expect.poll(() => server.opened, { timeout: 20_000 }).toBe(true);
    expect(server.problem).toBeUndefined();
  });

  test("lets the program go on while its certificate cannot be used, or whom to trust about it is refused", async () => {
    const status = { reason: "Invalid", message: "caBundle: unable to load root certificates" };
    let refusal: Error | undefined = new ApiError({ request: "apply", code: 422, status });
    const certificates = new Handed();
    certificates.failure = new CertificateError("the key belongs to another certificate");
    const { server, ready, clock, port } = start(() => ({ allowed: true }), certificates, {
      refusal: () => refusal,
    });
    await ready;
    expect(server).toMatchObject({
      opened: false,
      problem: expect.stringContaining("the key belongs to another certificate"),
    });
    certificates.failure = undefined;
    await clock.advance(30_000);
    await expect
      .poll(() => server.problem, { timeout: 20_000 })
      .toContain("unable to load root certificates");
    expect(server.opened).toBe(false);
    refusal = undefined;
    await clock.advance(30_000);
    await port;
    await expect.poll(() => server.opened, { timeout: 20_000 }).toBe(true);
  });

  test("goes on also where the first thing that is refused is whom to trust", async () => {
    const status = { reason: "Invalid", message: "caBundle: unable to load root certificates" };
    const refusal = () => new ApiError({ request: "apply", code: 422, status });
    const { server, ready } = start(() => ({ allowed: true }), new Handed(), { refusal });
    await ready;
    expect(server).toMatchObject({ opened: false, problem: expect.stringContaining(status.message) });
  });

  test("webhooks that the API server was made to forget are not open, until it has been told of them again", async () => {
    let [installed, away] = [0, false];
    let isInstalled = async () => true;
    const { server, ready, clock } = start(() => ({ allowed: true }), new Handed(), {
      isInstalled: () => isInstalled(),
      refusal: () => {
        installed++;
        return away ? new Error("the API server is away") : undefined;
      },
    });
    await ready;
    await clock.advance(60_000);
    expect([server.opened, installed]).toEqual([true, 1]);
    isInstalled = () => Promise.reject(new Error("the API server is away"));
    await clock.advance(60_000);
    expect([server.opened, installed]).toEqual([true, 1]);
    away = true;
    isInstalled = async () => false;
    await clock.advance(60_000);
    expect(server).toMatchObject({ opened: false, problem: expect.stringContaining("could not tell") });
    away = false;
    isInstalled = async () => true;
    await clock.advance(30_000);
    expect(server).toMatchObject({ opened: true, problem: undefined });
  });

  test("serves nothing before it has learned what its webhooks have to know", async () => {
    const status = { reason: "Forbidden", message: "cannot create selfsubjectreviews" };
    let learn = async (): Promise<void> => {
      throw new ApiError({ request: "create", code: 403, status });
    };
    const { server, ready, clock, port } = start(() => ({ allowed: true }), new Handed(), {
      learn: () => learn(),
    });
    let listens = false;
    void port.then(() => {
      listens = true;
    });
    await ready;
    await clock.advance(60_000);
    expect(server).toMatchObject({ opened: false, problem: expect.stringContaining(status.message) });
    expect(listens).toBe(false);
    learn = async () => {};
    await clock.advance(30_000);
    await port;
  });

  test("is not ready while its webhooks could not be installed for another reason", async () => {
    let away = true;
    let isReady = false;
    const { ready, clock } = start(() => ({ allowed: true }), new Handed(), {
      refusal: () => (away ? new Error("the API server is away") : undefined),
    });
    void ready.then(() => {
      isReady = true;
    });
    await clock.advance(60_000);
    expect(isReady).toBe(false);
    away = false;
    await clock.advance(30_000);
    await ready;
  });

  test("says in the log that a certificate has expired, once, and that the next one is not for its names", async () => {
    const lines: unknown[] = [];
    const log: Logger = { ...silentLogger, error: ({ problem }) => lines.push(problem) };
    const { clock, certificates, ready } = start(() => ({ allowed: true }), new Handed(), { log });
    await ready;
    expect(lines).toEqual([]);
    await clock.advance(86_400_000);
    expect(lines).toEqual([expect.stringMatching(/expires at/), expect.stringMatching(/expired at/)]);
    const validity = { notBefore: clock.now(), notAfter: clock.now() + 86_400_000 };
    const names = { dns: ["elsewhere"], ip: [] };
    certificates.identity = issueServerCertificate({ authority, names, validity, random });
    await clock.advance(60_000);
    expect(lines.at(-1)).toMatch(/is not for localhost/);
  });

  test("refuses a review of more than 8 MiB", async () => {
    const { port } = start(() => ({ allowed: true }));
    const refused = post(await port, new Agent(), " ".repeat(8 * 2 ** 20 + 1));
    expect((await refused).status).toBe(413);
  });

  test("answers what is running before it stops", async () => {
    const arrived = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    const { port, clock, stop, running, ready } = start(async () => {
      arrived.resolve();
      await open.promise;
      return { allowed: true };
    });
    await ready;
    const slow = post(await port, new Agent({ keepAlive: true }));
    await arrived.promise;
    stop.abort();
    await clock.advance(3_000);
    await expect(post(await port, new Agent())).rejects.toMatchObject({ code: "ECONNREFUSED" });
    open.resolve();
    expect((await slow).status).toBe(200);
    await running;
  });

  test("takes requests for a while after it was told to stop, then none", async () => {
    const { port, clock, stop, running, ready } = start(() => ({ allowed: true }));
    await ready;
    stop.abort();
    await clock.advance(2_999);
    expect((await post(await port, new Agent())).status).toBe(200);
    await clock.advance(1);
    await running;
    await expect(post(await port, new Agent())).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

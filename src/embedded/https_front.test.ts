import { afterEach, expect, test } from "vitest";
import { ConfigMaps } from "../kube/builtin.ts";
import { createAuthority, issueServerCertificate } from "../kube/certificates/certificates.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { systemClock } from "../lib/clock.ts";
import { readBody } from "../lib/http.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { listen } from "../lib/https_server.ts";
import { systemRandom as random } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger } from "../observe/log.ts";
import { MAX_BODY } from "./api/api_server.ts";
import { ControlPlane } from "./control_plane.ts";
import { renewDaily, serveHttps } from "./https_front.ts";
import { MemoryStore } from "./store/memory_store.ts";

const clock = systemClock;
const DAY = 86_400_000;
const validity = { notBefore: clock.now() - DAY, notAfter: clock.now() + DAY };
const authority = createAuthority({ name: "test", validity, random });
const names = { dns: [], ip: ["127.0.0.1"] };
const identity = issueServerCertificate({ authority, names, validity, random });
const token = random.hex(16);
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served() {
  const plane = new ControlPlane({ store: new MemoryStore({ clock }), clock, random });
  const server = await serveHttps({
    listen,
    tls: () => identity,
    token,
    handle: plane.handle,
    connect: plane.connect,
  });
  const sender = new HttpsSender({ url: `https://127.0.0.1:${server.port}`, tls: { ca: authority.cert } });
  closing.push(() => server.close(AbortSignal.abort()));
  closing.push(() => sender.close());
  const get = async (path: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const { status, body } = await sender.send({ method: "GET", path, headers });
    return { status, text: (await readBody(body)).toString() };
  };
  return { sender, get, port: server.port };
}

// Only Linux has more than one address of its own from the beginning.
test.runIf(process.platform === "linux")("only the loopback interface is listened on", async () => {
  const { port } = await served();
  const elsewhere = new HttpsSender({ url: `https://127.0.0.2:${port}`, tls: { ca: authority.cert } });
  closing.push(() => elsewhere.close());
  const sent = elsewhere.send({ method: "GET", path: "/healthz" });
  await expect(sent).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("nobody gets anything without the token, or with another one", async () => {
  const { get } = await served();
  const refused = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Unauthorized",
    reason: "Unauthorized",
    code: 401,
  };
  for (const authorization of [undefined, "Bearer wrong", `Basic ${token}`, `Bearer ${token}x`, "Bearer"]) {
    const { status, text } = await get("/api/v1/namespaces", authorization);
    expect([status, JSON.parse(text)]).toEqual([401, refused]);
  }
  expect((await get("/api/v1/namespaces", `Bearer ${token}`)).status).toBe(200);
});

test("health and version are for everybody", async () => {
  const { get } = await served();
  expect(await get("/readyz")).toEqual({ status: 200, text: "ok" });
  expect((await get("/version")).status).toBe(200);
  expect((await get("/healthzz")).status).toBe(401);
});

test("a client works over it, watches included", async () => {
  const { sender } = await served();
  const headers = { authorization: `Bearer ${token}` };
  const authorized = {
    send: (request: Parameters<HttpsSender["send"]>[0]) =>
      sender.send({ ...request, headers: { ...request.headers, ...headers } }),
    close: () => {},
  };
  const client = new HttpClient({ sender: authorized, clock, random });
  const stop = new AbortController();
  closing.push(() => stop.abort());
  const events = client.watch(ConfigMaps, {
    namespace: "default",
    resourceVersion: "0",
    signal: stop.signal,
  });
  const next = events[Symbol.asyncIterator]().next();
  await client.create(ConfigMaps, { metadata: { namespace: "default", name: "seen" } });
  expect((await next).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "seen" } } });
});

test.each([
  ["too large", MAX_BODY + 1],
  ["far too large", 16 * 2 ** 20 + 1],
])("a body that is %s is refused in the API's own words", async (_, size) => {
  const { sender } = await served();
  const { status, body } = await sender.send({
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "x".repeat(size),
  });
  expect(status).toBe(413);
  expect(JSON.parse((await readBody(body)).toString())).toMatchObject({
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: limit is 3145728",
  });
});

test("nobody runs a command in a pod without the token", async () => {
  const { sender } = await served();
  const path = "/api/v1/namespaces/default/pods/nobody/exec?command=true&stdout=true";
  const protocols = ["v5.channel.k8s.io"];
  for (const headers of [{}, { authorization: `Bearer ${token}x` }]) {
    await expect(sender.connect({ path, protocols, headers })).rejects.toMatchObject({ code: "HTTP401" });
  }
  const headers = { authorization: `Bearer ${token}` };
  await expect(sender.connect({ path, protocols, headers })).rejects.toMatchObject({
    code: "HTTP404",
    message: 'pods "nobody" not found',
  });
});

test("the server's identity is looked up daily, also after it failed to come, until the end", async () => {
  const virtual = new VirtualClock();
  const stop = new AbortController();
  const errors: string[] = [];
  const log = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
  let days = 0;
  const reloadTls = () => {
    if (++days === 2) throw new Error("the disk is full");
  };
  const renewing = renewDaily({ reloadTls }, { clock: virtual, log, signal: stop.signal });
  await virtual.advance(3 * DAY);
  expect(days).toBe(3);
  expect(errors).toEqual([expect.stringContaining("could not be renewed")]);
  stop.abort(new Error("the end"));
  await renewing;
  expect(virtual.pendingTimers).toBe(0);
});

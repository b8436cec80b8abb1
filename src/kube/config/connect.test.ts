import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock as clock } from "../../lib/clock.ts";
import { type HttpSender, readBody } from "../../lib/http.ts";
import { listen, type RunningServer, type ServedRequest } from "../../lib/https_server.ts";
import { systemProcesses as processes } from "../../lib/processes.ts";
import { systemRandom as random } from "../../lib/random.ts";
import { createAuthority, issueServerCertificate } from "../certificates/certificates.ts";
import { type Connection, type ConnectOptions, connect } from "./connect.ts";

const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
const authority = createAuthority({ name: "test", validity, random });
const names = { dns: ["api.test"], ip: ["127.0.0.1"] };
const identity = issueServerCertificate({ authority, names, validity, random });

let folder: string;
let server: RunningServer;
let seen: ServedRequest[];
const connections: Connection[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "connect-"));
  const handler = (request: ServedRequest) => {
    seen.push(request);
    return { status: 200, body: "{}" };
  };
  server = await listen({ host: "127.0.0.1", port: 0, tls: () => identity, handler });
});
afterAll(async () => {
  await server.close(AbortSignal.abort());
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const { sender } of connections.splice(0)) sender.close();
});

async function ask(options: Partial<ConnectOptions>): Promise<ServedRequest | undefined> {
  seen = [];
  const connection = await connect({ clock, processes, env: {}, ...options });
  connections.push(connection);
  const answer = await connection.sender.send({ method: "GET", path: "/version" });
  await readBody(answer.body);
  return seen[0];
}

function kubeconfig(name: string, cluster: object, user: object): string {
  const path = join(folder, name);
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const trusted = () => ({
  server: `https://127.0.0.1:${server.port}`,
  "certificate-authority-data": base64(authority.cert),
});

describe("connect()", () => {
  test("trusts the kubeconfig's authority and shows its token", async () => {
    const path = kubeconfig("token", trusted(), { token: "abc" });
    expect((await ask({ kubeconfig: path }))?.headers.authorization).toBe("Bearer abc");
    expect((await ask({ env: { KUBECONFIG: path } }))?.headers.authorization).toBe("Bearer abc");
  });

  test("does not talk to a server of another authority, nor to one of another name", async () => {
    const stranger = createAuthority({ name: "stranger", validity, random });
    const other = { ...trusted(), "certificate-authority-data": base64(stranger.cert) };
    await expect(ask({ kubeconfig: kubeconfig("other", other, {}) })).rejects.toMatchObject({ sent: false });
    const renamed = { ...trusted(), "tls-server-name": "elsewhere.test" };
    await expect(ask({ kubeconfig: kubeconfig("renamed", renamed, {}) })).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
    const named = { ...trusted(), "tls-server-name": "api.test" };
    expect(await ask({ kubeconfig: kubeconfig("named", named, {}) })).toBeDefined();
    expect(seen).toHaveLength(1);
  });

  describe.each([
    ["whatever", undefined],
    ["though NODE_TLS_REJECT_UNAUTHORIZED is 0", "0"],
  ])("verifies the server, %s,", (_, variable) => {
    test.each<[string, (sender: HttpSender) => Promise<unknown> | undefined]>([
      ["a shared connection", (sender) => sender.send({ method: "GET", path: "/" })],
      ["a connection of its own", (sender) => sender.send({ method: "GET", path: "/", dedicated: true })],
      ["a WebSocket", (sender) => sender.connect?.({ path: "/", protocols: ["v5.channel.k8s.io"] })],
    ])("on %s", async (_, open) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", variable);
      const stranger = createAuthority({ name: "stranger", validity, random });
      const other = { ...trusted(), "certificate-authority-data": base64(stranger.cert) };
      const path = kubeconfig("verified", other, { token: "secret" });
      const connection = await connect({ clock, processes, env: {}, kubeconfig: path });
      connections.push(connection);
      seen = [];
      await expect(open(connection.sender)).rejects.toMatchObject({
        name: "HttpFailure",
        code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        sent: false,
      });
      expect(seen).toEqual([]);
    });
  });

  test("runs an exec plugin and shows what it printed", async () => {
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "run" },
    };
    const exec = {
      apiVersion: credential.apiVersion,
      command: "sh",
      args: ["-c", `echo '${JSON.stringify(credential)}'`],
    };
    const path = kubeconfig("exec", trusted(), { exec });
    expect((await ask({ kubeconfig: path, env: process.env }))?.headers.authorization).toBe("Bearer run");
  });

  test("sends basic credentials", async () => {
    const path = kubeconfig("basic", trusted(), { username: "me", password: "p:w" });
    expect((await ask({ kubeconfig: path }))?.headers.authorization).toBe(`Basic ${base64("me:p:w")}`);
  });

  test("finds the kubeconfig in the home folder", async () => {
    const home = join(folder, "home");
    mkdirSync(join(home, ".kube"), { recursive: true });
    const path = kubeconfig("home-config", trusted(), { token: "home" });
    writeFileSync(join(home, ".kube", "config"), JSON.stringify({}));
    await expect(ask({ env: { HOME: home } })).rejects.toThrow("has no current context");
    rmSync(join(home, ".kube", "config"));
    await expect(ask({ env: { HOME: home } })).rejects.toThrow("no kubeconfig at");
    expect((await ask({ env: { HOME: home, KUBECONFIG: path } }))?.headers.authorization).toBe("Bearer home");
  });

  test("in a pod uses the service account, and says so when there is none", async () => {
    const serviceAccountFolder = join(folder, "pod");
    const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(server.port) };
    await expect(ask({ env, serviceAccountFolder })).rejects.toThrow("this pod has no service account token");
    mkdirSync(serviceAccountFolder);
    writeFileSync(join(serviceAccountFolder, "token"), "pod-token");
    writeFileSync(join(serviceAccountFolder, "namespace"), "mine\n");
    writeFileSync(join(serviceAccountFolder, "ca.crt"), authority.cert);
    expect((await ask({ env, serviceAccountFolder }))?.headers.authorization).toBe("Bearer pod-token");
    expect(connections[0]?.namespace).toBe("mine");
  });
});

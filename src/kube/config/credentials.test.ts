import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpSender, UpgradeRefused, type WebSocketConnection } from "../../lib/http.ts";
import type { Finished, Processes } from "../../lib/processes.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { failedStatus, ScriptedSender } from "../testing/scripted_sender.ts";
import { AuthorizedSender } from "./authorized_sender.ts";
import { type Credentials, fixedCredentials, type Identity } from "./credentials.ts";
import { ExecCredentials, type ExecPlugin } from "./exec_plugin.ts";
import { TokenFile } from "./token_file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const bearer = (token: string): Identity => ({ headers: { authorization: `Bearer ${token}` } });

describe("TokenFile", () => {
  test("reads the token again after a minute, and at once when it was refused", async () => {
    const path = join(folder, "token");
    const clock = new VirtualClock();
    const credentials = new TokenFile(path, clock);
    writeFileSync(path, "one\n");
    expect(await credentials.current()).toEqual(bearer("one"));
    writeFileSync(path, "two\n");
    await clock.advance(30_000);
    expect(await credentials.current()).toEqual(bearer("one"));
    await clock.advance(31_000);
    expect(await credentials.current()).toEqual(bearer("two"));
    expect(await credentials.renew(bearer("two"))).toBeUndefined();
    writeFileSync(path, "three\n");
    expect(await credentials.renew(bearer("two"))).toEqual(bearer("three"));
    writeFileSync(path, "\n");
    await expect(credentials.renew(bearer("three"))).rejects.toThrow("is empty");
  });
});

describe("ExecCredentials", () => {
  const plugin: ExecPlugin = { apiVersion: "client.authentication.k8s.io/v1", command: "login" };

  function setup(answer: (n: number) => Partial<Finished> | Error, overrides: Partial<ExecPlugin> = {}) {
    const clock = new VirtualClock("2026-01-01T00:00:00Z");
    const runs: { args: readonly string[]; env: Record<string, string | undefined> }[] = [];
    const processes: Processes = {
      async run(_, args, options) {
        runs.push({ args, env: { ...options?.env } });
        const result = answer(runs.length);
        if (result instanceof Error) throw result;
        return { code: 0, signal: null, stdout: Buffer.from(""), stderr: "", ...result };
      },
    };
    const options = {
      plugin: { ...plugin, ...overrides },
      cluster: { server: "https://x" },
      env: { A: "1" },
      processes,
      clock,
    };
    return { clock, runs, make: () => new ExecCredentials(options) };
  }

  const credential = (status: object) => ({
    stdout: Buffer.from(JSON.stringify({ kind: "ExecCredential", status })),
  });

  test("runs the program once for all who wait, and again shortly before its token expires", async () => {
    const { clock, runs, make } = setup((n) =>
      credential({ token: `t${n}`, expirationTimestamp: "2026-01-01T00:01:00Z" }),
    );
    const credentials = make();
    const [a, b] = await Promise.all([credentials.current(), credentials.current()]);
    expect(a).toEqual(bearer("t1"));
    expect(b).toBe(a);
    await clock.advance(45_000);
    expect(await credentials.current()).toEqual(bearer("t1"));
    await clock.advance(6000);
    expect(await credentials.current()).toEqual(bearer("t2"));
    expect(runs).toHaveLength(2);
  });

  describe("a program that takes its time", () => {
    function slow() {
      const runs: PromiseWithResolvers<Partial<Finished>>[] = [];
      const clock = new VirtualClock("2026-01-01T00:00:00Z");
      const processes: Processes = {
        async run(_, __, { signal } = {}) {
          const ended = Promise.withResolvers<Partial<Finished>>();
          runs.push(ended);
          signal?.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
          return { code: 0, signal: null, stdout: Buffer.from(""), stderr: "", ...(await ended.promise) };
        },
      };
      const cluster = { server: "https://x" };
      const installed = { ...plugin, installHint: "brew install login" };
      return {
        runs,
        clock,
        credentials: new ExecCredentials({ plugin: installed, cluster, env: {}, processes, clock }),
      };
    }

    test("goes on for the others when one who waits for it leaves, be that the first", async () => {
      const { runs, credentials } = slow();
      const [first, second] = [new AbortController(), new AbortController()];
      const asked = [first.signal, second.signal, undefined].map((signal) => credentials.current(signal));
      for (const one of asked) one.catch(() => {});
      first.abort(new Error("the first left"));
      second.abort(new Error("the second left"));
      await expect(asked[0]).rejects.toThrow("the first left");
      await expect(asked[1]).rejects.toThrow("the second left");
      runs[0]?.resolve(credential({ token: "t" }));
      expect(await asked[2]).toEqual(bearer("t"));
      expect(runs).toHaveLength(1);
    });

    test("is ended with the connection that it is for", async () => {
      const { runs, clock, credentials } = slow();
      const sender = new AuthorizedSender(credentials, () => new ScriptedSender(() => ({})));
      const left = new AbortController();
      const asked = sender.send({ method: "GET", path: "/", signal: left.signal });
      asked.catch(() => {});
      left.abort(new Error("left"));
      await expect(asked).rejects.toThrow("left");
      expect(clock.pendingTimers).toBe(1);
      sender.close();
      await expect(runs[0]?.promise).rejects.toThrow("was closed");
      await clock.advance(0);
      expect(clock.pendingTimers).toBe(0);
    });

    test("is ended after a minute, and run again for the next who asks", async () => {
      const { runs, clock, credentials } = slow();
      const asked = credentials.current();
      asked.catch(() => {});
      await clock.advance(60_000);
      await expect(asked).rejects.toThrow(
        /^the kubeconfig's credential plugin: login took longer than 60 s$/,
      );
      const again = credentials.current();
      runs[1]?.resolve(credential({ token: "t" }));
      expect(await again).toEqual(bearer("t"));
      expect(clock.pendingTimers).toBe(0);
    });
  });

  test("a refused token is replaced; one that was replaced meanwhile is not asked for again", async () => {
    const { runs, make } = setup((n) => credential({ token: `t${n}` }));
    const credentials = make();
    const first = await credentials.current();
    const second = await credentials.renew(first);
    expect(second).toEqual(bearer("t2"));
    expect(await credentials.renew(first)).toBe(second);
    expect(runs).toHaveLength(2);
  });

  test("hands the plugin its arguments, its environment and, when asked, the cluster", async () => {
    const { runs, make } = setup(() => credential({ clientCertificateData: "C", clientKeyData: "K" }), {
      args: ["get", "token"],
      env: [{ name: "PROFILE", value: "prod" }],
      provideClusterInfo: true,
    });
    expect(await make().current()).toEqual({ headers: {}, cert: "C", key: "K" });
    expect(runs[0]).toMatchObject({ args: ["get", "token"], env: { A: "1", PROFILE: "prod" } });
    expect(JSON.parse(runs[0]?.env.KUBERNETES_EXEC_INFO ?? "")).toMatchObject({
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://x" } },
    });
  });

  test.each<[string, () => Partial<Finished> | Error, Partial<ExecPlugin>, string]>([
    [
      "is missing",
      () => new Error("login could not be started: ENOENT"),
      { installHint: "brew install login" },
      "brew install login",
    ],
    ["fails", () => ({ code: 3, stderr: "session expired" }), {}, "login failed: session expired"],
    ["prints nonsense", () => ({ stdout: Buffer.from("hi") }), {}, "is not JSON"],
    ["prints no credentials", () => credential({}), {}, "neither a token nor a client certificate"],
  ])("a plugin that %s is an error with its cause", async (_, answer, overrides, message) => {
    await expect(setup(answer, overrides).make().current()).rejects.toThrow(message);
  });

  test("plugins that cannot be used are refused before they are run", () => {
    expect(setup(() => ({}), { apiVersion: "client.authentication.k8s.io/v1alpha1" }).make).toThrow("speaks");
    expect(setup(() => ({}), { interactiveMode: "Always" }).make).toThrow("must ask a person");
  });
});

describe("AuthorizedSender", () => {
  const request = { method: "GET", path: "/" } as const;

  test("tries once more with fresh credentials when the server refuses the old ones", async () => {
    const server = new ScriptedSender(({ headers }) =>
      headers?.authorization === "Bearer new" ? { body: {} } : failedStatus(401, "Unauthorized"),
    );
    const credentials: Credentials = { current: async () => bearer("old"), renew: async () => bearer("new") };
    expect((await new AuthorizedSender(credentials, () => server).send(request)).status).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  test("passes the refusal on when there is nothing else to show", async () => {
    const server = new ScriptedSender(() => failedStatus(401, "Unauthorized"));
    const sender = new AuthorizedSender(fixedCredentials(bearer("x")), () => server);
    expect((await sender.send(request)).status).toBe(401);
    expect(server.requests).toHaveLength(1);
  });

  test("makes new connections when the client certificate changes, and only then; close() ends all of them", async () => {
    const made: (string | undefined)[] = [];
    const closed: (string | undefined)[] = [];
    let cert = "one";
    const credentials: Credentials = {
      current: async () => ({ headers: {}, cert, key: "k" }),
      renew: async () => undefined,
    };
    const sender = new AuthorizedSender(credentials, (identity) => {
      made.push(identity.cert);
      const server = new ScriptedSender(() => ({}));
      return { send: (request) => server.send(request), close: () => void closed.push(identity.cert) };
    });
    await sender.send(request);
    await sender.send(request);
    cert = "two";
    await sender.send(request);
    expect(made).toEqual(["one", "two"]);
    expect(closed).toEqual([]);
    sender.close();
    expect(closed).toEqual(["one", "two"]);
  });

  describe("for a WebSocket", () => {
    const asked = { path: "/", protocols: ["v5.channel.k8s.io"] };
    const open: WebSocketConnection = {
      protocol: "v5.channel.k8s.io",
      messages: (async function* () {})(),
      send: async () => {},
      close() {},
    };

    /** A server that takes one token alone, and otherwise answers with the status. */
    function serverFor(token: string, status = 401) {
      const shown: unknown[] = [];
      const server: HttpSender = {
        send: () => Promise.reject(new Error("only WebSockets here")),
        async connect({ headers }) {
          shown.push(headers?.authorization);
          if (headers?.authorization !== `Bearer ${token}`) throw new UpgradeRefused(status, "no", undefined);
          return open;
        },
        close() {},
      };
      return { server, shown };
    }
    const renewed: Credentials = { current: async () => bearer("old"), renew: async () => bearer("new") };

    test("tries once more with fresh credentials, too", async () => {
      const { server, shown } = serverFor("new");
      expect(await new AuthorizedSender(renewed, () => server).connect(asked)).toBe(open);
      expect(shown).toEqual(["Bearer old", "Bearer new"]);
    });

    test.each([
      ["there is nothing else to show", fixedCredentials(bearer("old")), 401, 1],
      ["fresh ones are refused as well", renewed, 401, 2],
      ["it is not about credentials", renewed, 403, 1],
    ])("passes the refusal on when %s", async (_, credentials, status, times) => {
      const { server, shown } = serverFor("none", status);
      const opened = new AuthorizedSender(credentials, () => server).connect(asked);
      await expect(opened).rejects.toMatchObject({ status });
      expect(shown).toHaveLength(times);
    });
  });
});

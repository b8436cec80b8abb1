import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { HttpsSender } from "./https_sender.ts";
import { type ListenOptions, listen, type RunningServer, type ServeRequest } from "./https_server.ts";

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close(AbortSignal.abort());
});

async function serve(handler: ServeRequest, options: Partial<ListenOptions> = {}): Promise<RunningServer> {
  const server = await listen({ host: "127.0.0.1", port: 0, handler, ...options });
  running.push(server);
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function post(
  server: RunningServer,
  body: string | readonly string[] = "",
  options: { path?: string; agent?: HttpAgent; signal?: AbortSignal } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { path = "/", ...rest } = options;
    const request = httpRequest(
      { host: "127.0.0.1", port: server.port, path, method: "POST", ...rest },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    request.on("error", reject);
    if (typeof body === "string") return void request.end(body);
    for (const chunk of body) request.write(chunk);
    request.end();
  });
}

/** A handler that answers when told to. */
function gate() {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const handler: ServeRequest = async () => {
    arrived.resolve();
    await opened.promise;
    return { status: 200, body: "late" };
  };
  return { handler, arrived: arrived.promise, open: () => opened.resolve() };
}

describe("listen()", () => {
  test("hands over the request and sends what the handler returns", async () => {
    const server = await serve(({ method, path, query, headers, body }) => ({
      status: 201,
      headers: { "x-kind": "test" },
      body: JSON.stringify([method, path, query.get("q"), headers.host, Buffer.from(body).toString()]),
    }));
    const answer = await post(server, "hello", { path: "/a/b?q=1" });
    expect(answer).toMatchObject({ status: 201, headers: { "x-kind": "test" } });
    expect(JSON.parse(answer.body)).toEqual(["POST", "/a/b", "1", `127.0.0.1:${server.port}`, "hello"]);
  });

  test("answers 500 without the reason when the handler throws, and reports it", async () => {
    const errors: unknown[] = [];
    const failure = new Error("secret detail");
    const server = await serve(() => Promise.reject(failure), { onError: (error) => errors.push(error) });
    const answer = await post(server);
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain("secret");
    expect(errors).toEqual([failure]);
  });

  test("survives an answer that cannot be sent, and reports it", async () => {
    const errors: unknown[] = [];
    const handler: ServeRequest = ({ path }) => ({
      status: 200,
      headers: path === "/bad" ? { x: "\n" } : {},
      body: "",
    });
    const server = await serve(handler, { onError: (error) => errors.push(error) });
    await expect(post(server, "", { path: "/bad" })).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(errors).toMatchObject([{ code: "ERR_INVALID_CHAR" }]);
    expect((await post(server)).status).toBe(200);
  });

  test.each([
    ["announced", "x".repeat(101)],
    ["in pieces", Array<string>(11).fill("x".repeat(10))],
    ["far beyond what sockets hold", Array<string>(200).fill("x".repeat(2 ** 16))],
  ])("refuses a body beyond the limit, %s, and goes on with the connection", async (_, body) => {
    let calls = 0;
    const handler: ServeRequest = () => {
      calls++;
      return { status: 200, body: "" };
    };
    const server = await serve(handler, { limits: { body: 100 } });
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    expect((await post(server, body, { agent })).status).toBe(413);
    expect(calls).toBe(0);
    expect((await post(server, "x".repeat(100), { agent })).status).toBe(200);
    agent.destroy();
  });

  test("refuses requests beyond the limit with 503, and takes them again afterwards", async () => {
    const { handler, arrived, open } = gate();
    const server = await serve(handler, { limits: { requests: 1 } });
    const first = post(server);
    await arrived;
    expect(await post(server)).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    open();
    expect((await first).status).toBe(200);
    expect((await post(server)).status).toBe(200);
  });

  test("closes connections beyond the limit", async () => {
    const { handler, arrived, open } = gate();
    const server = await serve(handler, { limits: { connections: 1 } });
    const first = post(server);
    await arrived;
    await expect(post(server)).rejects.toThrow();
    open();
    expect((await first).status).toBe(200);
  });

  test("gives up on a client that does not finish its headers", async () => {
    const server = await serve(() => ({ status: 200, body: "" }), { limits: { headersTimeout: 20 } });
    const socket = connect(server.port, "127.0.0.1", () => socket.write("POST / HTTP/1.1\r\nhost: a\r\n"));
    const received = await new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    expect(received).toMatch(/^HTTP\/1.1 408 /);
  });

  test("tells the handler when the client has gone away", async () => {
    const aborted = Promise.withResolvers<unknown>();
    const client = new AbortController();
    const server = await serve(({ signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      client.abort();
      return new Promise(() => {});
    });
    await expect(post(server, "", { signal: client.signal })).rejects.toThrow();
    expect(await aborted.promise).toEqual(new Error("the client has gone away"));
  });

  test("rejects when the port is taken", async () => {
    const { port } = await serve(() => ({ status: 200, body: "" }));
    await expect(serve(() => ({ status: 200, body: "" }), { port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  test("has no TLS to reload over plain HTTP", async () => {
    const server = await serve(() => ({ status: 200, body: "" }));
    expect(() => server.reloadTls()).toThrow("this server does not speak TLS");
  });
});

describe("close()", () => {
  test("ends idle connections and waits for the running request", async () => {
    const { handler, arrived, open } = gate();
    const server = await serve((request) =>
      request.path === "/slow" ? handler(request) : { status: 200, body: "" },
    );
    const agent = new HttpAgent({ keepAlive: true });
    await post(server, "", { agent });
    const halfOpen = connect(server.port, "127.0.0.1", () => halfOpen.write("POST / HT"));
    const halfOpenEnded = new Promise<void>((resolve) =>
      halfOpen.on("error", () => {}).on("close", () => resolve()),
    );
    const slow = post(server, "", { path: "/slow" });
    await arrived;
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await halfOpenEnded;
    expect(closed).toBe(false);
    await expect(post(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    open();
    expect(await slow).toMatchObject({ status: 200, body: "late", headers: { connection: "close" } });
    await closing;
    agent.destroy();
  });

  test("cuts the running request off when the signal aborts", async () => {
    const { handler, arrived } = gate();
    const server = await serve(handler);
    const slow = post(server);
    const cut = expect(slow).rejects.toMatchObject({ code: "ECONNRESET" });
    await arrived;
    const stop = new AbortController();
    const closing = server.close(stop.signal);
    stop.abort();
    await closing;
    await cut;
  });
});

describe("a stream", () => {
  const bytes = (text: string) => Buffer.from(text);

  test("is sent piece by piece, and the headers before the first", async () => {
    const opened = Promise.withResolvers<void>();
    const server = await serve(() => ({
      status: 200,
      body: (async function* () {
        await opened.promise;
        yield bytes("one ");
        yield bytes("two");
      })(),
    }));
    const answer = await new Promise<Answer>((resolve, reject) => {
      const request = httpRequest({ host: "127.0.0.1", port: server.port }, (response) => {
        opened.resolve();
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          body += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      request.on("error", reject).end();
    });
    expect(answer).toMatchObject({
      status: 200,
      body: "one two",
      headers: { "transfer-encoding": "chunked" },
    });
  });

  test("is left when the client goes away", async () => {
    const left = Promise.withResolvers<void>();
    const server = await serve(({ signal }) => ({
      status: 200,
      body: (async function* () {
        try {
          yield bytes("one");
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        } finally {
          left.resolve();
        }
      })(),
    }));
    const request = httpRequest({ host: "127.0.0.1", port: server.port }, (response) => {
      response.once("data", () => request.destroy());
      response.on("error", () => {});
    });
    request.on("error", () => {}).end();
    await left.promise;
  });

  test("that fails is cut off, so that nobody takes it for whole", async () => {
    const errors: unknown[] = [];
    const server = await serve(
      () => ({
        status: 200,
        body: (async function* () {
          yield bytes("half");
          throw new Error("broken");
        })(),
      }),
      { onError: (error) => errors.push(error) },
    );
    await expect(
      new Promise((resolve, reject) => {
        const request = httpRequest({ host: "127.0.0.1", port: server.port }, (response) => {
          response.on("data", () => {}).on("end", resolve);
          response.on("error", reject);
        });
        request.on("error", reject).end();
      }),
    ).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(errors).toEqual([new Error("broken")]);
  });
});

describe("a WebSocket", () => {
  const open = (server: RunningServer, protocols: readonly string[] = ["v2", "v1"]) =>
    new HttpsSender({ url: `http://127.0.0.1:${server.port}` }).connect({ path: "/a?b=c", protocols });
  const plain: ServeRequest = () => ({ status: 200, body: "plain" });

  test("is taken over in one of the protocols that were offered", async () => {
    const asked: object[] = [];
    const server = await serve(plain, {
      socket: async ({ path, query, headers }, protocols) => {
        asked.push({ path, b: query.get("b"), upgrade: headers.upgrade, protocols });
        return {
          protocol: "v1",
          async serve({ messages, send }) {
            for await (const message of messages) {
              await send(Buffer.concat([Buffer.from("heard "), message]));
              if (message.length === 3) return;
            }
          },
        };
      },
    });
    const connection = await open(server);
    expect(connection.protocol).toBe("v1");
    await connection.send(Buffer.from("on"));
    await connection.send(Buffer.from("off"));
    const said: string[] = [];
    for await (const message of connection.messages) said.push(Buffer.from(message).toString());
    expect(said).toEqual(["heard on", "heard off"]);
    expect(asked).toEqual([{ path: "/a", b: "c", upgrade: "websocket", protocols: ["v2", "v1"] }]);
    expect((await post(server)).body).toBe("plain");
  });

  test("is refused with an answer", async () => {
    const server = await serve(plain, {
      socket: async () => ({ status: 403, body: '{"message":"not you"}' }),
    });
    await expect(open(server)).rejects.toMatchObject({
      code: "HTTP403",
      message: "not you",
      status: 403,
      retryAfter: undefined,
    });
  });

  test("is refused for a while, which the server says", async () => {
    const server = await serve(plain, {
      socket: async () => ({ status: 429, headers: { "retry-after": "7" }, body: "busy" }),
    });
    await expect(open(server)).rejects.toMatchObject({ status: 429, message: "busy", retryAfter: 7000 });
  });

  test("that fails tells whether the server may have heard of it", async () => {
    const server = await serve(plain, { socket: () => Promise.reject(new Error("broken")) });
    await expect(open(server)).rejects.toMatchObject({ sent: true });
    await server.close();
    await expect(open(server)).rejects.toMatchObject({ code: "ECONNREFUSED", sent: false });
  });

  test("whose handler fails is closed, and the failure told", async () => {
    const errors: unknown[] = [];
    const server = await serve(plain, {
      onError: (error) => errors.push(error),
      socket: async () => ({ protocol: "v1", serve: () => Promise.reject(new Error("broken")) }),
    });
    const connection = await open(server);
    for await (const _ of connection.messages) expect.fail("nothing was said");
    expect(String(errors[0])).toBe("Error: broken");
  });

  test("ends with the server, when that cuts off what is under way", async () => {
    const server = await serve(plain, {
      socket: async () => ({
        protocol: "v1",
        async serve({ messages }) {
          for await (const _ of messages);
        },
      }),
    });
    const connection = await open(server);
    await server.close(AbortSignal.abort());
    await expect(
      (async () => {
        for await (const _ of connection.messages);
        return "over";
      })(),
    ).resolves.toBe("over");
  });
});

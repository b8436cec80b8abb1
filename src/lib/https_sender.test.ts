import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { HttpFailure, readBody } from "./http.ts";
import { HttpsSender } from "./https_sender.ts";

const servers: Server[] = [];
const senders: HttpsSender[] = [];
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener, path = ""): Promise<{ sender: HttpsSender; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sender = new HttpsSender({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
  });
  senders.push(sender);
  return { sender, server };
}

describe.each([
  ["a shared connection", false],
  ["a connection of its own", true],
])("HttpsSender on %s", (_, dedicated) => {
  const get = { method: "GET", path: "/x?y=1", dedicated } as const;

  test("sends method, path under its prefix, headers and body, and returns the answer", async () => {
    const { sender } = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        response.setHeader("X-Seen", Buffer.from("naïve ✓").toString("latin1"));
        response.statusCode = 202;
        // A string body would make Node write the headers in the same encoding.
        response.end(Buffer.from(`${request.method} ${request.url} ${request.headers["x-me"]} ${body}`));
      });
    }, "/prefix/");
    const answer = await sender.send({
      ...get,
      method: "POST",
      headers: { "x-me": "1" },
      body: "héllo",
    });
    expect(answer.status).toBe(202);
    expect(answer.headers["x-seen"]).toBe("naïve ✓");
    expect((await readBody(answer.body)).toString()).toBe("POST /prefix/x?y=1 1 héllo");
  });

  test("a refused connection says that nothing was sent", async () => {
    const { sender, server } = await serve(() => {});
    await new Promise((resolve) => server.close(resolve));
    const error = await sender.send(get).catch((e) => e);
    expect(error).toBeInstanceOf(HttpFailure);
    expect(error).toMatchObject({ code: "ECONNREFUSED", sent: false });
  });

  test("a connection that breaks after the request says that it may have arrived", async () => {
    const { sender } = await serve((request) => request.socket.destroy());
    await expect(sender.send(get)).rejects.toMatchObject({ name: "HttpFailure", sent: true });
  });

  test("a body that breaks off is a failure, not an end", async () => {
    const { sender } = await serve((request, response) => {
      response.write("half");
      setTimeout(() => request.socket.destroy(), 10);
    });
    const answer = await sender.send(get);
    await expect(readBody(answer.body)).rejects.toMatchObject({ name: "HttpFailure", sent: true });
  });

  test("the signal ends a request that waits, and a body that streams, with its reason", async () => {
    const { sender } = await serve((request, response) => {
      if (request.url === "/stream") response.write("first");
    });
    const waiting = new AbortController();
    const call = sender.send({ ...get, signal: waiting.signal });
    setTimeout(() => waiting.abort(new Error("too slow")), 10);
    await expect(call).rejects.toThrow("too slow");
    const streaming = new AbortController();
    const answer = await sender.send({ ...get, path: "/stream", signal: streaming.signal });
    const read = readBody(answer.body);
    setTimeout(() => streaming.abort(new Error("seen enough")), 10);
    await expect(read).rejects.toThrow("seen enough");
    const before = new AbortController();
    before.abort(new Error("never mind"));
    await expect(sender.send({ ...get, signal: before.signal })).rejects.toThrow("never mind");
  });

  test("readBody() refuses more than its limit", async () => {
    const { sender } = await serve((_, response) => response.end(Buffer.alloc(100)));
    const answer = await sender.send(get);
    await expect(readBody(answer.body, 99)).rejects.toMatchObject({ code: "ETOOBIG" });
  });

  test("a slow reader holds the server back, and still gets all", async () => {
    const size = 16 * 2 ** 20;
    let written = 0;
    const { sender } = await serve(async (_, response) => {
      const chunk = Buffer.alloc(2 ** 16, "x");
      while (written < size) {
        written += chunk.length;
        if (!response.write(chunk)) await once(response, "drain");
      }
      response.end();
    });
    const answer = await sender.send(get);
    await pause(200);
    expect(written).toBeLessThan(size);
    expect(await readBody(answer.body)).toHaveLength(size);
  });

  test("whoever leaves a body early ends its connection", async () => {
    const closed = Promise.withResolvers<void>();
    const { sender } = await serve((request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write("first");
    });
    for await (const chunk of (await sender.send(get)).body) {
      expect(Buffer.from(chunk).toString()).toBe("first");
      break;
    }
    await closed.promise;
  });

  test("close() ends every connection, also the busy ones", async () => {
    const { sender } = await serve((_, response) => response.write("first"));
    const read = readBody((await sender.send(get)).body);
    sender.close();
    await expect(read).rejects.toMatchObject({ name: "HttpFailure" });
  });

  test("headers and paths that would break the request are refused", async () => {
    const { sender } = await serve((_, response) => response.end());
    const split = async () => sender.send({ ...get, headers: { "x-me": "1\r\nx-you: 2" } });
    await expect(split()).rejects.toThrow("x-me");
    await expect(async () => sender.send({ ...get, path: "/x y" })).rejects.toThrow(TypeError);
  });
});

describe("HttpsSender", () => {
  const get = { method: "GET", path: "/" } as const;

  test("uses a connection again, and gives a dedicated request one of its own", async () => {
    const ports: (number | undefined)[] = [];
    const { sender } = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      response.end("ok");
    });
    for (let i = 0; i < 3; i++) await readBody((await sender.send(get)).body);
    await readBody((await sender.send({ ...get, dedicated: true })).body);
    expect(new Set(ports.slice(0, 3)).size).toBe(1);
    expect(ports[3]).not.toBe(ports[0]);
  });

  test("only https and http are spoken", () => {
    expect(() => new HttpsSender({ url: "ftp://x" })).toThrow("neither https nor http");
  });
});

test("HttpsSender on a connection of its own reads a storm of small pieces in few, whole and in order", async () => {
  const pieces = Array.from({ length: 60 }, (_, i) => `piece ${i}\n`);
  const { sender } = await serve(async (_, response) => {
    for (const piece of pieces) {
      response.write(piece);
      await pause(1);
    }
    response.end();
  });
  const { body } = await sender.send({ method: "GET", path: "/", dedicated: true });
  const read: string[] = [];
  for await (const bytes of body) read.push(Buffer.from(bytes).toString());
  expect(read.join("")).toBe(pieces.join(""));
  expect(read.length).toBeLessThan(pieces.length / 2);
});

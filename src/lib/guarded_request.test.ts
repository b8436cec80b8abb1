import { afterEach, describe, expect, test } from "vitest";
import { type GuardedRequest, guardedSender, sendGuarded } from "./guarded_request.ts";
import { listen, type RunningServer, type ServedRequest } from "./https_server.ts";

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close(AbortSignal.abort());
});

async function serve() {
  const asked: ServedRequest[] = [];
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    handler: (request) => {
      asked.push(request);
      if (request.path === "/moved") return { status: 301, headers: { location: "/" }, body: "gone" };
      return { status: 200, body: "x".repeat(10_000) };
    },
  });
  running.push(server);
  return { asked, port: server.port };
}

const send = (url: string, more: Partial<GuardedRequest> = {}) =>
  sendGuarded({
    url,
    method: "POST",
    headers: { "x-it": "1" },
    allowLocal: true,
    signal: new AbortController().signal,
    ...more,
  });

describe("sendGuarded()", () => {
  test("sends what it is told, and brings the beginning of the answer", async () => {
    const { asked, port } = await serve();
    const answer = await send(`http://127.0.0.1:${port}/a?b=c`, { body: "ä" });
    expect(answer).toEqual({ status: 200, body: "x".repeat(4096) });
    expect(asked[0]).toMatchObject({
      method: "POST",
      path: "/a",
      headers: { "x-it": "1", "content-length": "2" },
    });
    expect(Buffer.from(asked[0]?.body ?? []).toString()).toBe("ä");
  });

  test("follows no redirect", async () => {
    const { asked, port } = await serve();
    expect(await send(`http://127.0.0.1:${port}/moved`)).toEqual({ status: 301, body: "gone" });
    expect(asked).toHaveLength(1);
  });

  test.each(["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0"])(
    "does not call %s unless that is allowed",
    async (host) => {
      const { asked, port } = await serve();
      await expect(send(`http://${host}:${port}/`, { allowLocal: false })).rejects.toThrow(
        "is a loopback or link-local address, which hooks may not call",
      );
      expect(asked).toEqual([]);
    },
  );

  test("looks a name up once, and all of its addresses must do", async () => {
    const { asked, port } = await serve();
    let lookups = 0;
    const answering = (...addresses: readonly string[]) => {
      const lookup = (_: string, __: object, callback: (error: null, found: object[]) => void) => {
        lookups++;
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      };
      return guardedSender(lookup as unknown as Parameters<typeof guardedSender>[0]);
    };
    const request = { url: `http://turncoat.example:${port}/`, method: "GET", headers: {} };
    const { signal } = new AbortController();
    await expect(
      answering("192.0.2.1", "127.0.0.1")({ ...request, allowLocal: false, signal }),
    ).rejects.toThrow("turncoat.example is 127.0.0.1");
    expect(asked).toEqual([]);
    expect((await answering("127.0.0.1")({ ...request, allowLocal: true, signal })).status).toBe(200);
    expect(lookups).toBe(2);
  });

  test("ends with its signal", async () => {
    const silent = await listen({ host: "127.0.0.1", port: 0, handler: () => new Promise(() => {}) });
    running.push(silent);
    const stop = new AbortController();
    const sending = send(`http://127.0.0.1:${silent.port}/`, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(sending).rejects.toThrow();
  });
});

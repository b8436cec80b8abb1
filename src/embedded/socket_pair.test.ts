import { describe, expect, test } from "vitest";
import { socketPair } from "./socket_pair.ts";

const bytes = (text: string) => Buffer.from(text);

async function read(messages: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const said: string[] = [];
  for await (const message of messages) said.push(Buffer.from(message).toString());
  return said;
}

describe("a pair of sockets", () => {
  test("carries messages both ways, in order, until a side closes", async () => {
    const { client, server } = socketPair("v1");
    expect([client.protocol, server.protocol]).toEqual(["v1", "v1"]);
    const heard = read(server.messages);
    await client.send(bytes("one"));
    await client.send(bytes("two"));
    const answer = client.messages[Symbol.asyncIterator]().next();
    await server.send(bytes("three"));
    expect(Buffer.from((await answer).value).toString()).toBe("three");
    client.close();
    expect(await heard).toEqual(["one", "two"]);
  });

  test("shares nothing: what is sent stays as it was", async () => {
    const { client, server } = socketPair("v1");
    const message = bytes("as it was");
    const sending = client.send(message);
    message.fill(0);
    client.close();
    expect(await read(server.messages)).toEqual(["as it was"]);
    await sending;
  });

  test("holds a sender back until it is read", async () => {
    const { client, server } = socketPair("v1");
    let sent = false;
    const sending = client.send(bytes("a")).then(() => {
      sent = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBe(false);
    await server.messages[Symbol.asyncIterator]().next();
    await sending;
    expect(sent).toBe(true);
  });

  test("whose reader leaves takes no more", async () => {
    const { client, server } = socketPair("v1");
    const sending = server.send(bytes("a"));
    for await (const _ of client.messages) break;
    await sending;
    await expect(server.send(bytes("b"))).rejects.toMatchObject({ code: "EPIPE" });
    expect(await read(server.messages)).toEqual([]);
  });

  test("that is cut says why on one side, and ends on the other", async () => {
    const { client, server } = socketPair("v1");
    const [here, there] = [read(client.messages), read(server.messages)];
    client.cut(new Error("enough"));
    await expect(here).rejects.toThrow("enough");
    expect(await there).toEqual([]);
  });
});

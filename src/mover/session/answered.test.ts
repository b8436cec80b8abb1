import { expect, test } from "vitest";
import { answered } from "./answered.ts";

const here = new AbortController().signal;

async function* pieces(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) {
    if (text === "fails") throw new Error("the engine has failed");
    yield Buffer.from(text);
  }
}

/** Answers with a stream, and notes how it ended for the one who sent it. */
async function streaming(body: AsyncIterable<Uint8Array>, signal = here) {
  const ends: string[] = [];
  const response = await answered(signal, async (send) => {
    await send({ status: 200, body }).then(
      () => void ends.push("read"),
      () => void ends.push("failed"),
    );
  });
  return { ends, body: response.body as AsyncIterable<Uint8Array> };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("an answer in one piece is returned as it is", async () => {
  const response = { status: 404, body: "nothing" };
  expect(await answered(here, (send) => send(response))).toBe(response);
});

test("whoever sends a stream waits until it was read", async () => {
  const { ends, body } = await streaming(pieces("a", "b"));
  await settled();
  expect(ends).toEqual([]);
  const read: string[] = [];
  for await (const piece of body) read.push(String(piece));
  await settled();
  expect({ ends, read }).toEqual({ ends: ["read"], read: ["a", "b"] });
});

test("a reader that goes away ends the wait", async () => {
  const { ends, body } = await streaming(pieces("a", "b"));
  for await (const _ of body) break;
  await settled();
  expect(ends).toEqual(["read"]);
});

test("a reader that went away before it began ends the wait too", async () => {
  const gone = new AbortController();
  const { ends } = await streaming(pieces("a"), gone.signal);
  gone.abort(new Error("the client has gone away"));
  await settled();
  expect(ends).toEqual(["read"]);
});

test("a stream that fails does so for both", async () => {
  const { ends, body } = await streaming(pieces("a", "fails"));
  const reading = async () => {
    for await (const _ of body);
  };
  await expect(reading()).rejects.toThrow("the engine has failed");
  await settled();
  expect(ends).toEqual(["failed"]);
});

test("nothing that is sent is a failure", async () => {
  await expect(answered(here, () => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
});

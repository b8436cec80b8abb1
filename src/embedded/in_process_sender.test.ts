import { expect, test } from "vitest";
import { readBody } from "../lib/http.ts";
import type { ServedRequest, ServeRequest } from "../lib/https_server.ts";
import { InProcessSender } from "./in_process_sender.ts";

function recorded(answer: ServeRequest) {
  const requests: ServedRequest[] = [];
  const sender = new InProcessSender((request) => {
    requests.push(request);
    return answer(request);
  });
  return { sender, requests };
}

/** A stream that says `first`, then nothing until its request is aborted. */
const endless: ServeRequest = ({ signal }) => ({
  status: 200,
  body: (async function* () {
    yield Buffer.from("first");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  })(),
});

test("a request arrives with its path, query, headers and bytes", async () => {
  const { sender, requests } = recorded(() => ({ status: 201, headers: { a: "b" }, body: "made" }));
  const response = await sender.send({
    method: "POST",
    path: "/x/y?q=1&q=2",
    headers: { h: "v" },
    body: "é",
  });
  expect(response).toMatchObject({ status: 201, headers: { a: "b" } });
  expect((await readBody(response.body)).toString()).toBe("made");
  const [request] = requests;
  expect(request).toMatchObject({ method: "POST", path: "/x/y", headers: { h: "v" } });
  expect(request?.query.getAll("q")).toEqual(["1", "2"]);
  expect(Buffer.from(request?.body ?? []).toString()).toBe("é");
});

test("an aborted request rejects with the reason, also when the server does not answer", async () => {
  const { sender, requests } = recorded(() => new Promise(() => {}));
  const stop = new AbortController();
  const sent = sender.send({ method: "GET", path: "/", signal: stop.signal });
  sent.catch(() => {});
  await expect.poll(() => requests.length).toBe(1);
  stop.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  expect(requests[0]?.signal.aborted).toBe(true);
});

test("an aborted stream throws the reason", async () => {
  const { sender } = recorded(endless);
  const stop = new AbortController();
  const { body } = await sender.send({ method: "GET", path: "/", signal: stop.signal });
  const read = async () => {
    for await (const _ of body) stop.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
});

test("leaving a stream lets the server know", async () => {
  const { sender, requests } = recorded(endless);
  const { body } = await sender.send({ method: "GET", path: "/" });
  for await (const _ of body) break;
  expect(requests[0]?.signal.aborted).toBe(true);
});

test("close() breaks what is open", async () => {
  const { sender } = recorded(endless);
  const { body } = await sender.send({ method: "GET", path: "/" });
  const read = async () => {
    for await (const _ of body) sender.close();
  };
  await expect(read()).rejects.toMatchObject({ name: "HttpFailure", code: "ECONNRESET" });
});

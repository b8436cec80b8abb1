import { expect, test } from "vitest";
import { ScriptedSender } from "../../kube/testing/scripted_sender.ts";
import { HttpFailure, type HttpRequest, type HttpResponse, readBody } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Fault, FaultySender, randomFaults } from "./faults.ts";

const get: HttpRequest = { method: "GET", path: "/x" };

function faulty(...faults: readonly Fault[]) {
  const clock = new VirtualClock();
  const server = new ScriptedSender(() => ({ body: { fine: true } }));
  return { clock, server, sender: new FaultySender({ sender: server, clock, plan: () => faults }) };
}

test("without a fault the answer is the server's", async () => {
  const { sender } = faulty();
  const answer = await sender.send(get);
  expect(String(await readBody(answer.body))).toBe('{"fine":true}');
});

test("a delayed request arrives later, unless it is given up", async () => {
  const { sender, server, clock } = faulty({ kind: "delay", ms: 500 });
  const answer = sender.send(get);
  const given = AbortSignal.abort(new Error("given up"));
  await expect(sender.send({ ...get, signal: given })).rejects.toThrow("given up");
  await clock.advance(499);
  expect(server.requests).toHaveLength(0);
  await clock.advance(1);
  expect((await answer).status).toBe(200);
  expect(server.requests).toHaveLength(1);
});

test("an unreachable server never sees the request, and the failure says so", async () => {
  const { sender, server } = faulty({ kind: "unreachable" });
  await expect(sender.send(get)).rejects.toMatchObject({ name: "HttpFailure", sent: false });
  expect(server.requests).toHaveLength(0);
});

test("an error is answered without the request being carried out", async () => {
  const { sender, server } = faulty({ kind: "error", code: 429, retryAfterSeconds: 3 });
  const answer = await sender.send(get);
  expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "3"]);
  expect(JSON.parse(String(await readBody(answer.body)))).toMatchObject({
    kind: "Status",
    code: 429,
    details: { retryAfterSeconds: 3 },
  });
  expect(server.requests).toHaveLength(0);
});

test("a request whose answer is lost was carried out", async () => {
  const { sender, server } = faulty({ kind: "answerLost" });
  await expect(sender.send(get)).rejects.toMatchObject({ name: "HttpFailure", sent: true });
  expect(server.requests).toHaveLength(1);
});

test.each(["throws", "ends"])(
  "a cut stream breaks, also when the server's side %s on its signal",
  async (how) => {
    const clock = new VirtualClock();
    const server = {
      async send(request: HttpRequest): Promise<HttpResponse> {
        return { status: 200, headers: {}, body: endless(request.signal, how === "throws") };
      },
      close() {},
    };
    const sender = new FaultySender({ sender: server, clock, plan: () => [{ kind: "cut", afterMs: 1_000 }] });
    const { body } = await sender.send(get);
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) chunks.push(String(chunk));
    })();
    const outcome = expect(reading).rejects.toThrow(HttpFailure);
    await clock.advance(999);
    expect(chunks).toEqual(["event"]);
    await clock.advance(1);
    await outcome;
  },
);

/** One chunk, then silence until the signal. */
async function* endless(signal: AbortSignal | undefined, throws: boolean): AsyncIterable<Uint8Array> {
  yield Buffer.from("event");
  await new Promise((resolve) => signal?.addEventListener("abort", resolve));
  if (throws) signal?.throwIfAborted();
}

test("an answer that is complete before the cut is not touched by it", async () => {
  const { sender, clock } = faulty({ kind: "cut", afterMs: 1_000 });
  await readBody((await sender.send(get)).body);
  expect(clock.pendingTimers).toBe(0);
});

test("the same seed gives the same faults, about as often as asked for", () => {
  const rates = { delay: 0.5, unreachable: 0.1, error: 0.1, answerLost: 0.1, cut: 0.1, longest: 100 };
  const draw = (seed: number) => {
    const plan = randomFaults(seededRandom(seed), rates);
    return Array.from({ length: 1000 }, (_, index) => plan(get, index + 1));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const delays = draw(1)
    .flat()
    .filter((fault) => fault.kind === "delay");
  expect(delays.length).toBeGreaterThan(400);
  expect(delays.length).toBeLessThan(600);
  expect(delays.every((fault) => fault.ms >= 0 && fault.ms < 100)).toBe(true);
  expect(randomFaults(seededRandom(1), {})(get, 1)).toEqual([]);
});

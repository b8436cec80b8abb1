import { describe, expect, test } from "vitest";
import { type HttpSender, readBody, type WebSocketConnection } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { PodClient } from "./pod_client.ts";

const pod = { namespace: "ns", name: "pod" };
const never = new AbortController().signal;

/** As a connection does that waits: it ends with its signal's reason, and not before. */
function waiting(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function setup(connect: NonNullable<HttpSender["connect"]>) {
  const clock = new VirtualClock();
  const sender: HttpSender = { send: ({ signal }) => waiting(signal), connect, close() {} };
  return { clock, pods: new PodClient({ clock, sender, random: seededRandom(1) }) };
}

describe("a server that does not answer", () => {
  test.each<[string, (pods: PodClient) => Promise<unknown>]>([
    ["a command", (pods) => pods.exec(pod, { signal: never, command: ["true"] })],
    ["a connection to a port", (pods) => pods.portForward(pod, 80, never)],
    ["a log", (pods) => readBody(pods.logs(pod, { signal: never }))],
  ])("is given up after 30 s when asked for %s", async (_, ask) => {
    const { clock, pods } = setup(({ signal }) => waiting(signal));
    const asked = ask(pods);
    asked.catch(() => {});
    await clock.advance(29_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    await expect(asked).rejects.toMatchObject({
      code: "ESILENT",
      sent: true,
      message: expect.stringContaining("there was no answer for 30 s"),
    });
  });

  test("is waited for as long as its log is followed: a quiet container has nothing to say", async () => {
    const { clock, pods } = setup(({ signal }) => waiting(signal));
    const stop = new AbortController();
    const lines = readBody(pods.logs(pod, { signal: stop.signal, follow: true }));
    lines.catch(() => {});
    await clock.advance(3_600_000);
    stop.abort(new Error("enough"));
    await expect(lines).rejects.toThrow("enough");
  });
});

test("a command that runs takes its time, and ends with the caller's signal", async () => {
  const { clock, pods } = setup(async ({ signal }): Promise<WebSocketConnection> => {
    async function* messages() {
      await waiting(signal);
      yield Buffer.of();
    }
    return { protocol: "v5.channel.k8s.io", messages: messages(), send: async () => {}, close() {} };
  });
  const stop = new AbortController();
  const ended = pods.exec(pod, { signal: stop.signal, command: ["sleep", "1h"] });
  ended.catch(() => {});
  await clock.advance(3_600_000);
  expect(clock.pendingTimers).toBe(0);
  stop.abort(new Error("cancelled"));
  await expect(ended).rejects.toThrow("cancelled");
});

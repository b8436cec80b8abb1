import { describe, expect, test } from "vitest";
import {
  HttpFailure,
  type HttpSender,
  readBody,
  UpgradeRefused,
  type WebSocketConnection,
} from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { failedStatus, type ScriptedAnswer, ScriptedSender } from "../testing/scripted_sender.ts";
import type { CallerOptions } from "./caller.ts";
import { PodClient } from "./pod_client.ts";

const pod = { namespace: "ns", name: "pod" };
const never = new AbortController().signal;

/** As a connection does that waits: it ends with its signal's reason, and not before. */
function waiting(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function setup(
  connect: NonNullable<HttpSender["connect"]>,
  more: Partial<CallerOptions> & Partial<Pick<HttpSender, "send">> = {},
) {
  const clock = new VirtualClock();
  const { send = ({ signal }) => waiting(signal) } = more;
  const sender: HttpSender = { send, connect, close() {} };
  return { clock, pods: new PodClient({ clock, sender, random: seededRandom(1), ...more }) };
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

describe("a connection that is not made", () => {
  const open: WebSocketConnection = {
    protocol: "v4.channel.k8s.io",
    messages: (async function* () {})(),
    send: async () => {},
    close() {},
  };
  const busy = new UpgradeRefused(429, "busy", "2");
  const away = new HttpFailure("no", { code: "ECONNREFUSED", sent: false });

  /** Asks for a connection while the server answers with each of these failures, then with one. */
  function asking(failures: readonly Error[]) {
    const left = [...failures];
    const seen: (number | string)[][] = [];
    const agents: (string | undefined)[] = [];
    let taken = 0;
    const { clock, pods } = setup(
      async ({ headers }) => {
        agents.push(headers?.["user-agent"]);
        const failure = left.shift();
        if (failure) throw failure;
        return open;
      },
      {
        userAgent: "tests",
        budget: { take: async () => void taken++ },
        observer: {
          request: ({ verb, resource, code, attempt }) => void seen.push([verb, resource, code, attempt]),
        },
      },
    );
    const asked = pods.portForward(pod, 80, never);
    asked.catch(() => {});
    return { clock, asked, seen, agents, taken: () => taken };
  }
  const called = (code: number | string, attempt: number) => [
    "portforward",
    "pods/portforward",
    code,
    attempt,
  ];

  test("is asked for again where the server said so or was not reached; each time is paid for and seen", async () => {
    const { clock, asked, seen, agents, taken } = asking([busy, away]);
    await clock.advance(1999);
    expect(seen).toEqual([called(429, 1)]);
    await clock.advance(10_000);
    await asked;
    expect(seen).toEqual([called(429, 1), called("ECONNREFUSED", 2), called(101, 3)]);
    expect(taken()).toBe(3);
    expect(agents).toEqual(["tests", "tests", "tests"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each<[string, Error]>([
    ["the answer is no", new UpgradeRefused(404, '{"message":"pods not found"}', undefined)],
    ["a proxy failed, perhaps later", new UpgradeRefused(502, "bad gateway", undefined)],
    ["it may have been made", new HttpFailure("reset", { code: "ECONNRESET", sent: true })],
  ])("is not asked for again where %s", async (_, failure) => {
    const { clock, asked, seen } = asking([failure]);
    await clock.advance(20_000);
    await expect(asked).rejects.toBe(failure);
    expect(seen).toHaveLength(1);
  });

  test("is given up after 30 s with what the server said", async () => {
    const { clock, asked, seen } = asking(Array(100).fill(busy));
    await clock.advance(30_000);
    await expect(asked).rejects.toBe(busy);
    expect(seen.length).toBeGreaterThan(3);
  });
});

describe.each([
  ["a log", false, "get"],
  ["a log that is followed", true, "follow"],
])("%s", (_, follow, verb) => {
  const busy = { ...failedStatus(429, "TooManyRequests"), headers: { "retry-after": "2" } };

  /** Asks for the log while the server gives each of these answers, then the log. */
  function reading(answers: readonly ScriptedAnswer[]) {
    const left = [...answers];
    const server = new ScriptedSender(() => left.shift() ?? { stream: [Buffer.from("a line\n")] });
    const seen: (number | string)[][] = [];
    const { clock, pods } = setup(({ signal }) => waiting(signal), {
      send: (request) => server.send(request),
      observer: {
        request: ({ verb, resource, code, attempt }) => void seen.push([verb, resource, code, attempt]),
      },
    });
    const read = readBody(pods.logs(pod, { signal: never, follow }));
    read.catch(() => {});
    return { clock, read, seen };
  }

  test("is asked for again where the server said so", async () => {
    const { clock, read, seen } = reading([busy, { ...busy, status: 503 }]);
    await clock.advance(1_999);
    expect(seen).toEqual([[verb, "pods/log", 429, 1]]);
    await clock.advance(10_000);
    expect(String(await read)).toBe("a line\n");
    expect(seen.slice(1)).toEqual([
      [verb, "pods/log", 503, 2],
      [verb, "pods/log", 200, 3],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("is not asked for again where the answer is no, or the node did not answer", async () => {
    for (const code of [404, 500]) {
      const { clock, read, seen } = reading([failedStatus(code, "NotFound")]);
      await clock.advance(20_000);
      await expect(read).rejects.toMatchObject({ code });
      expect(seen).toHaveLength(1);
    }
  });

  test("is given up after 30 s with what the server said", async () => {
    const { clock, read } = reading(Array(100).fill(busy));
    await clock.advance(30_000);
    await expect(read).rejects.toMatchObject({ code: 429 });
    expect(clock.pendingTimers).toBe(0);
  });
});

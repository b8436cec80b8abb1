import { expect, test } from "vitest";
import type { HttpRequest } from "../../lib/http.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { pinoLogger } from "../pino_logger.ts";
import { OtlpPush } from "./otlp_push.ts";

const SPAN = { trace: "t", id: "i", name: "run", start: 0, end: 1, attributes: {} };

/** A collector that answers as it is told to. */
function stage() {
  const clock = new VirtualClock(0);
  const got: { path: string; headers: unknown; body: string }[] = [];
  const lines: { level: string; msg: string }[] = [];
  const state: { answer: number | "nothing"; during: () => void } = { answer: 200, during: () => {} };
  const send = async ({ path, headers, body }: HttpRequest) => {
    state.during();
    if (state.answer === "nothing") throw new Error("connect ECONNREFUSED");
    got.push({ path, headers, body: String(body) });
    return {
      status: state.answer,
      headers: {},
      body: (async function* () {
        yield Buffer.from("why");
      })(),
    };
  };
  const push = new OtlpPush({
    clock,
    sender: { send },
    headers: { authorization: "hush" },
    resource: { "service.name": "holdfast" },
    metrics: async () => [{ name: "a", help: "A", type: "gauge", values: [{ value: 1, labels: {} }] }],
  });
  const log = pinoLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const stop = new AbortController();
  const ended = push.run(log, stop.signal);
  const paths = () => got.splice(0).map(({ path }) => path);
  const turn = () => clock.advance(10_000);
  return { push, got, lines, state, stop, ended, paths, turn };
}

test("everything is pushed every ten seconds, each to its place; nothing twice", async () => {
  const { push, got, paths, turn, stop, ended } = stage();
  push.runSpan(SPAN);
  push.line('{"level":"info","time":"2026-01-01T00:00:00.000Z","key":"shop/a","n":{"b":1},"msg":"done"}\n');
  await turn();
  expect(got[0]?.headers).toEqual({ authorization: "hush", "content-type": "application/json" });
  const logs = got.find(({ path }) => path === "/v1/logs");
  expect(logs?.body).toContain('"body":{"stringValue":"done"}');
  expect(logs?.body).toContain('{"key":"key","value":{"stringValue":"shop/a"}}');
  expect(logs?.body).toContain('{"key":"n","value":{"stringValue":"{\\"b\\":1}"}}');
  expect(paths().toSorted()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"]);
  await turn();
  expect(paths()).toEqual([]);
  push.runSpan(SPAN);
  stop.abort();
  await ended;
  expect(paths().toSorted()).toEqual(["/v1/metrics", "/v1/traces"]);
});

test("a collector that is away is told of once, and gets what waited", async () => {
  const { push, state, lines, paths, turn, got } = stage();
  state.answer = "nothing";
  push.runSpan(SPAN);
  await turn();
  await turn();
  expect(lines).toMatchObject([{ level: "warn", msg: "telemetry does not reach its collector" }]);
  state.answer = 503;
  push.runSpan({ ...SPAN, name: "later" });
  await turn();
  paths();
  state.answer = 200;
  await turn();
  const traces = got.find(({ path }) => path === "/v1/traces")?.body ?? "";
  expect(traces.indexOf('"later"')).toBeGreaterThan(traces.indexOf('"run"'));
  expect(lines[1]).toMatchObject({ level: "info", dropped: 0 });
});

test("what the collector refuses is not sent again", async () => {
  const { push, state, lines, paths, turn } = stage();
  state.answer = 400;
  push.runSpan(SPAN);
  await turn();
  expect(lines[0]).toMatchObject({ error: expect.stringContaining("answered 400 to traces: why") });
  paths();
  state.answer = 200;
  await turn();
  expect(paths()).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ dropped: 1 });
});

test("only so much waits: the oldest goes, and is counted; reconciles crowd no run out", async () => {
  const { push, lines, turn, got } = stage();
  push.runSpan({ ...SPAN, name: "the run" });
  for (let i = 0; i < 2050; i++) push.reconcileSpan({ ...SPAN, name: `span ${i}.` });
  await turn();
  const traces = got.filter(({ path }) => path === "/v1/traces").map(({ body }) => body);
  expect(traces).toEqual([expect.stringContaining('"the run"'), expect.stringContaining('"span 2."')]);
  expect(traces[1]).not.toContain('"span 1."');
  expect(lines).toMatchObject([{ level: "warn", dropped: 2 }]);
});

test("metrics are pushed once a minute, and at the end", async () => {
  const { paths, turn, stop, ended } = stage();
  for (let i = 0; i < 7; i++) await turn();
  expect(paths()).toEqual(["/v1/metrics", "/v1/metrics"]);
  stop.abort();
  await ended;
  expect(paths()).toEqual(["/v1/metrics"]);
});

test("what is said while a last push is under way is pushed, too", async () => {
  const { push, state, stop, ended, turn, got } = stage();
  push.runSpan(SPAN);
  state.during = () => {
    state.during = () => {};
    stop.abort();
    push.line('{"level":"info","time":"2026-01-01T00:00:00.000Z","msg":"stopping"}\n');
  };
  await turn();
  await ended;
  expect(got.find(({ path }) => path === "/v1/logs")?.body).toContain('"stopping"');
});

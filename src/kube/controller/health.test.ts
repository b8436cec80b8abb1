import { expect, test } from "vitest";
import type { ServedRequest } from "../../lib/https_server.ts";
import { type HealthCheck, healthHandler } from "./health.ts";

const good: HealthCheck = { name: "good", check: () => ({ ok: true }) };
const noted: HealthCheck = { name: "leader", check: () => ({ ok: true, note: "held by b" }) };
const bad: HealthCheck = { name: "cache/pods", check: () => ({ ok: false, problem: "not synced yet" }) };
const broken: HealthCheck = {
  name: "broken",
  check: () => {
    throw new Error("oops");
  },
};

async function ask(url: string, checks: readonly HealthCheck[], method = "GET") {
  const { pathname: path, searchParams: query } = new URL(url, "http://localhost");
  const request: ServedRequest = {
    method,
    path,
    query,
    headers: {},
    body: new Uint8Array(),
    signal: new AbortController().signal,
  };
  const metrics = { contentType: "text/plain; version=0.0.4", text: async () => "a 1\n" };
  const { status, body } = await healthHandler({ live: () => [good], ready: () => checks, metrics })(request);
  return { status, body };
}

test("when all is well the answer is short", async () => {
  expect(await ask("/readyz", [good, noted])).toEqual({ status: 200, body: "ok\n" });
});

test("verbose lists every check, with what is worth knowing", async () => {
  const body = "[+]good ok\n[+]leader ok: held by b\nreadyz check passed\n";
  expect(await ask("/readyz?verbose", [good, noted])).toEqual({ status: 200, body });
});

test("a warning is shown, and fails nothing", async () => {
  const rights: HealthCheck = {
    name: "rights",
    check: () => ({ ok: true, warning: "it may not list pods" }),
  };
  const body = "[+]good ok\n[!]rights: it may not list pods\nreadyz check passed\n";
  expect(await ask("/readyz?verbose", [good, rights])).toEqual({ status: 200, body });
  expect(await ask("/readyz", [good, rights])).toEqual({ status: 200, body: "ok\n" });
});

test("a failed check says why, among the others", async () => {
  const body = "[+]good ok\n[-]cache/pods failed: not synced yet\nreadyz check failed: 1 of 2 not ok\n";
  expect(await ask("/readyz", [good, bad])).toEqual({ status: 503, body });
});

test("a check that throws is a failed check", async () => {
  const { status, body } = await ask("/readyz", [broken]);
  expect([status, body]).toEqual([
    503,
    expect.stringContaining("[-]broken failed: the check itself failed: oops"),
  ]);
});

test("liveness has checks of its own", async () => {
  expect((await ask("/healthz", [bad])).status).toBe(200);
});

test("metrics are served, and nothing else is", async () => {
  expect(await ask("/metrics", [])).toEqual({ status: 200, body: "a 1\n" });
  expect((await ask("/secrets", [])).status).toBe(404);
  expect((await ask("/healthz", [], "POST")).status).toBe(405);
});

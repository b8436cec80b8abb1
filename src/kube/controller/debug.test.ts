import { expect, test } from "vitest";
import { debugHandler } from "./debug.ts";

const handler = debugHandler({
  caches: () => [["pods", { size: 3, staleness: 1500 }]],
  queues: () => [["backup", { depth: 1, delayed: 2, inFlight: ["shop/a"], longestRunning: 2000 }]],
  lease: () => ({ leads: false, holder: "b" }),
});

async function ask(path: string, method = "GET") {
  const signal = new AbortController().signal;
  return handler({ method, path, query: new URLSearchParams(), headers: {}, body: new Uint8Array(), signal });
}

test("shows caches, queues and the lease", async () => {
  const { status, body } = await ask("/debug");
  expect([status, JSON.parse(String(body))]).toEqual([
    200,
    {
      lease: { leads: false, holder: "b" },
      caches: { pods: { objects: 3, staleSeconds: 1.5 } },
      queues: { backup: { depth: 1, delayed: 2, inFlight: ["shop/a"], longestRunningSeconds: 2 } },
    },
  ]);
});

test("serves nothing else", async () => {
  expect((await ask("/")).status).toBe(404);
  expect((await ask("/debug", "POST")).status).toBe(404);
});

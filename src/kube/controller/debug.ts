import type { ServeRequest } from "../../lib/https_server.ts";

export interface DebugOptions {
  readonly caches: () => Iterable<readonly [name: string, cache: DebugCache]>;
  readonly queues: () => Iterable<readonly [name: string, queue: DebugQueue]>;
  readonly lease: () => { readonly leads: boolean; readonly holder: string };
}

interface DebugCache {
  readonly size: number;
  readonly staleness: number;
}

interface DebugQueue {
  readonly depth: number;
  readonly delayed: number;
  readonly inFlight: readonly string[];
  readonly longestRunning: number;
}

/** Answers `/debug` with what the process holds and does at that moment, as JSON. Names of objects are in it. */
export function debugHandler({ caches, queues, lease }: DebugOptions): ServeRequest {
  return async ({ method, path }) => {
    if (method !== "GET" || path !== "/debug") return { status: 404, body: "only /debug is served here\n" };
    const view = {
      lease: lease(),
      caches: Object.fromEntries(
        Array.from(caches(), ([name, { size, staleness }]) => [
          name,
          { objects: size, staleSeconds: staleness / 1000 },
        ]),
      ),
      queues: Object.fromEntries(
        Array.from(queues(), ([name, { depth, delayed, inFlight, longestRunning }]) => [
          name,
          { depth, delayed, inFlight, longestRunningSeconds: longestRunning / 1000 },
        ]),
      ),
    };
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    return { status: 200, headers, body: `${JSON.stringify(view, null, 2)}\n` };
  };
}

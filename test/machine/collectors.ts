import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "../../src/lib/https_server.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { served } from "../engines/serving.ts";
import { ended } from "./holdfast_home.ts";

const SIGNALS = { logs: "resourceLogs", metrics: "resourceMetrics", traces: "resourceSpans" } as const;
export type Signal = keyof typeof SIGNALS;

/** Who takes what is pushed over OTLP. */
export interface Collector extends AsyncDisposable {
  readonly port: number;
  /** What has come of a kind, as JSON. */
  readonly got: (signal: Signal) => string;
}

/** The header that the stand-in asks for. */
export const HEADER = { name: "authorization", value: "Bearer hush" };

/** Stands in for a collector: keeps what was pushed by whoever has the right header. */
export async function standInCollector(): Promise<Collector> {
  const bodies = new Map<string, string>();
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    handler: async ({ method, path, headers, body }) => {
      if (method !== "POST" || headers[HEADER.name] !== HEADER.value) return { status: 401, body: "" };
      bodies.set(path, (bodies.get(path) ?? "") + Buffer.from(body).toString());
      return { status: 200, body: "{}" };
    },
    onError: (error) => {
      throw error;
    },
  });
  return {
    port: server.port,
    got: (signal) => bodies.get(`/v1/${signal}`) ?? "",
    [Symbol.asyncDispose]: () => server.close(AbortSignal.abort()),
  };
}

/** OpenTelemetry's own, which writes down what it has understood. */
export async function realCollector(): Promise<Collector> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-collector-"));
  const port = await freePort();
  const [config, file] = [join(folder, "config.yaml"), join(folder, "got.json")];
  writeFileSync(config, JSON.stringify(configOf(port, file)));
  const child = await served(pinnedProgram("holdfast-collector"), ["--config", config], { port, env: {} });
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return {
    port,
    got: (signal) =>
      lines()
        .filter((line) => line.startsWith(`{"${SIGNALS[signal]}"`))
        .join("\n"),
    [Symbol.asyncDispose]: async () => {
      await ended(child, "SIGTERM");
      rmSync(folder, { recursive: true });
    },
  };
}

/** YAML is a superset of the JSON that this becomes. */
function configOf(port: number, file: string): object {
  const pipeline = { receivers: ["otlp"], exporters: ["file"] };
  return {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: file, flush_interval: "100ms" } },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { logs: pipeline, metrics: pipeline, traces: pipeline },
    },
  };
}

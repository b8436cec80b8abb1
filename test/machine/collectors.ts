import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigMap } from "../../src/kube/builtin.ts";
import { listen } from "../../src/lib/https_server.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { served } from "../engines/serving.ts";
import { yamlBlocks } from "../unit/docs/yaml_blocks.ts";
import { ended } from "./holdfast_home.ts";

const SIGNALS = { logs: "resourceLogs", metrics: "resourceMetrics", traces: "resourceSpans" } as const;
export type Signal = keyof typeof SIGNALS;
const GUIDE = "docs/guides/install.md";

/** Who takes what is pushed over OTLP. */
export interface Collector extends AsyncDisposable {
  readonly port: number;
  /** What has come of a kind, as JSON. */
  readonly got: (signal: Signal) => string;
  /** Where Prometheus would scrape the metrics that have come. */
  readonly scrapePort?: number;
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

/** OpenTelemetry's own, set up as the guide says; it also writes down what it has understood. */
export async function realCollector(): Promise<Collector> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-collector-"));
  const [port, scrapePort] = [await freePort(), await freePort()];
  const [guide, more, file] = [
    join(folder, "guide.yaml"),
    join(folder, "more.yaml"),
    join(folder, "got.json"),
  ];
  const here = guideConfig()
    .replace("0.0.0.0:4318", `127.0.0.1:${port}`)
    .replace("0.0.0.0:8889", `127.0.0.1:${scrapePort}`)
    .replaceAll("exporters: [", "exporters: [file, ");
  // YAML is a superset of the JSON that this becomes, and the collector takes both together.
  const also = {
    exporters: { file: { path: file, flush_interval: "100ms" } },
    service: { telemetry: { metrics: { level: "none" } } },
  };
  writeFileSync(guide, here);
  writeFileSync(more, JSON.stringify(also));
  const args = ["--config", guide, "--config", more];
  const child = await served(pinnedProgram("holdfast-collector"), args, { port, env: {} });
  const lines = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return {
    port,
    scrapePort,
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

/** The configuration that the guide shows, as its reader would copy it. */
function guideConfig(): string {
  const blocks = yamlBlocks({ path: GUIDE, text: readFileSync(GUIDE, "utf8") });
  const objects = blocks.flatMap((block) => ("objects" in block ? block.objects : []));
  const map = objects.find(({ kind }) => kind === "ConfigMap") as ConfigMap | undefined;
  return map?.data?.["config.yaml"] ?? "";
}

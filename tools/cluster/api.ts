import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { ClusterInfo } from "./info.ts";

/** The API server refused. */
export class ApiRefused extends Error {
  override name = "ApiRefused";
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The API server did not answer within 5 s, or at all. */
export class ApiSilent extends Error {
  override name = "ApiSilent";
}

type Cluster = Pick<ClusterInfo, "directory" | "server" | "ca">;

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: string;
  /** The body's type. Default application/json. */
  readonly type?: string;
}

/** One request as the cluster's administrator; the answer's body. */
export function call(cluster: Cluster, { method = "GET", path, body, type }: Call): Promise<string> {
  const pki = join(cluster.directory, "pki");
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, cluster.server),
      {
        method,
        agent: false,
        signal: AbortSignal.timeout(5_000),
        ca: readFileSync(cluster.ca),
        cert: readFileSync(join(pki, "admin.crt")),
        key: readFileSync(join(pki, "admin.key")),
        headers: body === undefined ? {} : { "content-type": type ?? "application/json" },
      },
      async (response) => {
        try {
          const text = Buffer.concat(await response.toArray()).toString("utf8");
          const code = response.statusCode ?? 0;
          if (code >= 200 && code < 300) resolve(text);
          else reject(new ApiRefused(`${method} ${path}: ${code} ${text}`, code));
        } catch (error) {
          reject(error);
        }
      },
    );
    sent.on("error", (cause) =>
      reject(new ApiSilent(`${method} ${path}: no answer: ${cause.message}`, { cause })),
    );
    sent.end(body);
  });
}

export async function apiServerAnswers(cluster: Cluster): Promise<boolean> {
  return (await call(cluster, { path: "/readyz" })) === "ok";
}

/** Server-side apply of one manifest, in YAML or JSON, at its path. */
export async function apply(cluster: Cluster, path: string, manifest: string): Promise<void> {
  await call(cluster, {
    method: "PATCH",
    path: `${path}?fieldManager=holdfast-cluster&force=true`,
    body: manifest,
    type: "application/apply-patch+yaml",
  });
}

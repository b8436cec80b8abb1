import type { ServedRequest, ServedResponse, ServeRequest } from "../../lib/https_server.ts";
import { messageOf } from "../../lib/result.ts";

/** What a check found. A note is information; a warning is what does not work, and fails nothing else. */
export type Finding =
  | { readonly ok: true; readonly note?: string }
  | { readonly ok: true; readonly warning: string }
  | { readonly ok: false; readonly problem: string };

export interface HealthCheck {
  /** As listed: `cache/configmaps`. */
  readonly name: string;
  /** Cheap and without waiting: it runs at every probe. */
  readonly check: () => Finding;
}

export interface HealthOptions {
  /** What only a restart would mend. That the event loop turns needs no check: otherwise there is no answer. */
  readonly live: () => Iterable<HealthCheck>;
  /** What keeps this process from doing its work properly now. */
  readonly ready: () => Iterable<HealthCheck>;
  readonly metrics?: { readonly contentType: string; readonly text: () => Promise<string> };
  /** What else is answered here, by path. */
  readonly more?: Readonly<Record<string, ServeRequest>>;
}

const TEXT = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

/** Answers /healthz and /readyz, in full with `?verbose` or when a check fails, and /metrics. */
export function healthHandler(options: HealthOptions): ServeRequest {
  const { live, ready, metrics, more = {} } = options;
  return async (request: ServedRequest): Promise<ServedResponse> => {
    const { method, path, query } = request;
    if (method !== "GET" && method !== "HEAD") return text(405, `${method} is not served here\n`);
    if (path === "/healthz") return report("healthz", live(), query.has("verbose"));
    if (path === "/readyz") return report("readyz", ready(), query.has("verbose"));
    if (path === "/metrics" && metrics) {
      return { status: 200, headers: { "content-type": metrics.contentType }, body: await metrics.text() };
    }
    const other = Object.hasOwn(more, path) ? more[path] : undefined;
    if (other) return other(request);
    return text(404, `nothing is served at ${path}\n`);
  };
}

function report(endpoint: string, checks: Iterable<HealthCheck>, verbose: boolean): ServedResponse {
  const findings = Array.from(checks, (check) => ({ name: check.name, finding: examine(check) }));
  const failed = findings.filter(({ finding }) => !finding.ok).length;
  if (failed === 0 && !verbose) return text(200, "ok\n");
  const lines = findings.map(({ name, finding }) => line(name, finding));
  const verdict = failed === 0 ? "passed" : `failed: ${failed} of ${findings.length} not ok`;
  return text(failed === 0 ? 200 : 503, [...lines, `${endpoint} check ${verdict}`, ""].join("\n"));
}

function examine({ check }: HealthCheck): Finding {
  try {
    return check();
  } catch (error) {
    return { ok: false, problem: `the check itself failed: ${messageOf(error)}` };
  }
}

function line(name: string, finding: Finding): string {
  if (!finding.ok) return `[-]${name} failed: ${finding.problem}`;
  if ("warning" in finding) return `[!]${name}: ${finding.warning}`;
  return finding.note === undefined ? `[+]${name} ok` : `[+]${name} ok: ${finding.note}`;
}

function text(status: number, body: string): ServedResponse {
  return { status, headers: TEXT, body };
}

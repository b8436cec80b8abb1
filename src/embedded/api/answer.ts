import type { ServedResponse } from "../../lib/https_server.ts";

/** An answer in JSON. */
export function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServedResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** An answer in words. */
export function text(status: number, body: string): ServedResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The header that carries warnings to the client. */
export function warningHeader(texts: ReadonlySet<string>): Readonly<Record<string, string>> {
  if (texts.size === 0) return {};
  const quoted = [...texts].map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`);
  return { warning: quoted.join(", ") };
}

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

/** The warnings of one request, as the header that carries them. */
export class Warnings {
  readonly #texts = new Set<string>();

  readonly warn = (text: string): void => {
    this.#texts.add(text);
  };

  get headers(): Readonly<Record<string, string>> {
    if (this.#texts.size === 0) return {};
    const quoted = [...this.#texts].map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`);
    return { warning: quoted.join(", ") };
  }
}

import { type Clock, deadline } from "../../lib/clock.ts";
import type { SendGuarded } from "../../lib/guarded_request.ts";
import { messageOf } from "../../lib/result.ts";
import { HOOK_REQUEST, type HookRequest } from "../../wire/hook_request.ts";
import type { Env } from "../engine_maker.ts";

export interface SendHookOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly send: SendGuarded;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Sends the request of a hook, and says what came of it. Resolves to the exit code; never rejects. */
export async function sendHook({ env, clock, send, write, signal }: SendHookOptions): Promise<number> {
  try {
    const request = JSON.parse(env[HOOK_REQUEST] ?? "") as HookRequest;
    const { url, method, body, timeout, allowLocal, insecure, caFrom } = request;
    const headers: [string, string][] = request.headers.map((header) => [
      header.name,
      "value" in header ? header.value : given(env, header.valueFrom),
    ]);
    using limit = deadline(clock, timeout, `${method} ${url}`, signal);
    const answer = await send({
      url,
      method,
      headers: Object.fromEntries(headers),
      ...(body === undefined ? {} : { body }),
      allowLocal,
      insecure,
      ...(caFrom ? { ca: given(env, caFrom) } : {}),
      signal: limit.signal,
    }).catch((error: unknown) => {
      throw limit.signal.aborted ? limit.signal.reason : error;
    });
    const fine = answer.status >= 200 && answer.status < 300;
    write(`${method} ${url}: HTTP ${answer.status}${fine ? "" : `. ${answer.body}`}\n`);
    return fine ? 0 : 1;
  } catch (error) {
    write(`the request failed: ${messageOf(error)}\n`);
    return 1;
  }
}

/** What the pod was given in a variable: there, or the pod would not have started. */
function given(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined) throw new Error(`the variable ${name} is not set`);
  return value.replace(/[\r\n]+$/, "");
}

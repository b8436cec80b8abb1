import { HttpFailure, type HttpResponse, type HttpSender, readBody } from "../../../lib/http.ts";
import { isRecord } from "../../../lib/json.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import type { Entry } from "../../../wire/entry.ts";
import { ERROR_CLASSES, type ErrorClass } from "../../../wire/error_classes.ts";
import { type FoundEntry, type Page, SESSION_VERSION, type SessionInfo } from "../../../wire/session.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../../wire/work.ts";

export interface SessionCallOptions {
  readonly signal?: AbortSignal;
  /** Items in one answer. Default: as many as a page may hold. */
  readonly pageSize?: number;
}

/** An answer larger than this is no page. */
const PAGE_BYTES = 16 * 2 ** 20;

/**
 * The operator's side of a session: questions to a mover that stays connected to one repository. Rejects with an
 * EngineError: the mover's own, or `Unreachable` when it does not answer. Where a session has to be started first, what
 * went wrong with that is passed on as it is.
 */
export class SessionClient {
  readonly #sender: HttpSender;

  constructor(sender: HttpSender) {
    this.#sender = sender;
  }

  async info(options: SessionCallOptions = {}): Promise<SessionInfo> {
    return (await this.#json("/v1/repository", {}, options)) as SessionInfo;
  }

  /** Newest first. */
  snapshots(filter: SnapshotFilter = {}, options: SessionCallOptions = {}): AsyncIterable<Snapshot> {
    const { tags = {}, ...fields } = filter;
    const tag = Object.entries(tags).map(([key, value]) => `${key}:${value}`);
    return this.#pages<Snapshot>("/v1/snapshots", { ...fields, tag }, options);
  }

  /** What a folder holds, by name. */
  entries(snapshot: string, path: string, options: SessionCallOptions = {}): AsyncIterable<Entry> {
    return this.#pages<Entry>(`${pathOf(snapshot)}/entries`, { path }, options);
  }

  /** One page of that: at most `pageSize`, after the page whose `next` this is. */
  async entriesPage(
    snapshot: string,
    path: string,
    { after, ...options }: SessionCallOptions & { readonly after?: string | undefined } = {},
  ): Promise<Page<Entry>> {
    const limit = options.pageSize === undefined ? {} : { limit: String(options.pageSize) };
    const query = { path, ...limit, after };
    return (await this.#json(`${pathOf(snapshot)}/entries`, query, options)) as Page<Entry>;
  }

  async entry(snapshot: string, path: string, options: SessionCallOptions = {}): Promise<Entry> {
    return (await this.#json(`${pathOf(snapshot)}/entry`, { path }, options)) as Entry;
  }

  /** Files and folders whose name fits the glob, anywhere below the path. */
  search(
    snapshot: string,
    query: { readonly name: string; readonly path?: string },
    options: SessionCallOptions = {},
  ): AsyncIterable<FoundEntry> {
    return this.#pages<FoundEntry>(`${pathOf(snapshot)}/search`, query, options);
  }

  /** The content of a file. Throws while iterating when it breaks off. */
  async *read(snapshot: string, path: string, options: SessionCallOptions = {}): AsyncIterable<Uint8Array> {
    const response = await this.#get(`${pathOf(snapshot)}/file`, { path }, options);
    try {
      yield* response.body;
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  close(): void {
    this.#sender.close();
  }

  async *#pages<T>(path: string, query: Query, options: SessionCallOptions): AsyncIterable<T> {
    let after: string | undefined;
    do {
      const limit = options.pageSize === undefined ? {} : { limit: String(options.pageSize) };
      const page = (await this.#json(path, { ...query, ...limit, after }, options)) as Page<T>;
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }

  async #json(path: string, query: Query, options: SessionCallOptions): Promise<unknown> {
    const { body } = await this.#get(path, query, options);
    return JSON.parse((await readBody(body, PAGE_BYTES).catch(throwUnreachable)).toString("utf8"));
  }

  async #get(path: string, query: Query, { signal }: SessionCallOptions): Promise<HttpResponse> {
    const response = await this.#sender
      .send({ method: "GET", path: `${path}${queryText(query)}`, ...(signal ? { signal } : {}) })
      .catch(throwUnreachable);
    if (response.status === 200) return response;
    throw failureOf(await readBody(response.body, PAGE_BYTES).catch(throwUnreachable), response.status);
  }
}

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

function queryText(query: Query): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : (value ?? [])) words.append(key, one);
  }
  return words.size > 0 ? `?${words}` : "";
}

function pathOf(snapshot: string): string {
  return `/v${SESSION_VERSION}/snapshots/${encodeURIComponent(snapshot)}`;
}

function failureOf(body: Buffer, status: number): EngineError {
  let said: unknown;
  try {
    said = JSON.parse(body.toString("utf8"));
  } catch {
    said = undefined;
  }
  if (isRecord(said) && typeof said.class === "string" && said.class in ERROR_CLASSES) {
    const { message, remedy, detail } = said;
    return new EngineError(said.class as ErrorClass, String(message), {
      ...(typeof remedy === "string" ? { remedy } : {}),
      ...(typeof detail === "string" ? { detail } : {}),
    });
  }
  return new EngineError("EngineFailed", `the repository session answered with HTTP ${status}`);
}

function unreachable(cause: unknown): unknown {
  if (!(cause instanceof HttpFailure)) return cause;
  return new EngineError("Unreachable", `the repository session does not answer: ${cause.message}`, {
    cause,
  });
}

/** Whether a question got no answer from the session itself; that it is busy, or its storage away, is an answer. */
export function isSilence(error: unknown): boolean {
  return error instanceof EngineError && error.cause instanceof HttpFailure;
}

function throwUnreachable(cause: unknown): never {
  throw unreachable(cause);
}

import type { Clock } from "../../lib/clock.ts";
import { type HttpRequest, type HttpResponse, type HttpSender, readBody } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import { type Access, accessesOf, accessName } from "./request_access.ts";

export interface RightsWatchOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Something that the API server did not let this program do when it last asked. */
export interface MissingRight extends Pick<Access, "verb" | "group" | "resource"> {
  /** Some of the namespaces, empty for what has none. */
  readonly namespaces: readonly string[];
}

interface Noted {
  readonly right: Omit<MissingRight, "namespaces">;
  readonly namespaces: Set<string>;
  toldAt: number;
}

/** As often as that a right that is still missing is told again, in milliseconds. */
const AGAIN = 600_000;

/** Enough to find the Role by. */
const MOST_NAMESPACES = 10;

/** Far beyond any answer of an authorizer. */
const MOST_BYTES = 2 ** 20;

/** How authorizers say it; a 403 of an admission plugin or a quota reads differently. */
const REFUSAL =
  / cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)"| at the cluster scope)/;

/**
 * Passes everything on to the API server, and keeps in mind what this program has no right to: told when it shows, told
 * again while it lasts, and forgotten once the same is allowed.
 */
export class RightsWatch implements HttpSender {
  readonly connect: NonNullable<HttpSender["connect"]>;
  readonly #sender: HttpSender;
  readonly #options: RightsWatchOptions;
  readonly #noted = new Map<string, Noted>();

  constructor(sender: HttpSender, options: RightsWatchOptions) {
    this.#sender = sender;
    this.#options = options;
    this.connect = async (request) => {
      if (!sender.connect) throw new TypeError("this connection cannot carry WebSockets");
      try {
        const connection = await sender.connect(request);
        this.#allowed({ method: "GET", path: request.path });
        return connection;
      } catch (error) {
        this.#refused(messageOf(error));
        throw error;
      }
    };
  }

  /** What is missing now, by name. */
  get missing(): readonly MissingRight[] {
    return [...this.#noted.entries()]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { right, namespaces }]) => ({ ...right, namespaces: [...namespaces].toSorted() }));
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const response = await this.#sender.send(request);
    if (response.status < 300) this.#allowed(request);
    if (response.status !== 403) return response;
    const body = await readBody(response.body, MOST_BYTES);
    this.#refused(body.toString("utf8").replaceAll('\\"', '"'));
    return { ...response, body: only(body) };
  }

  close(): void {
    this.#sender.close();
  }

  #refused(message: string): void {
    const [, verb, resource, group = "", namespace] = REFUSAL.exec(message) ?? [];
    if (verb === undefined || resource === undefined) return;
    const { clock, log } = this.#options;
    const right = { verb, group, resource };
    const name = accessName(right);
    const known = this.#noted.get(name);
    const noted: Noted = known ?? { right, namespaces: new Set(), toldAt: Number.NEGATIVE_INFINITY };
    if (namespace !== undefined && noted.namespaces.size < MOST_NAMESPACES) noted.namespaces.add(namespace);
    this.#noted.set(name, noted);
    if (clock.monotonic() - noted.toldAt < AGAIN) return;
    noted.toldAt = clock.monotonic();
    log.error(
      { right: name, ...(namespace === undefined ? {} : { namespace }) },
      "a right is missing, and what needs it does not work: compare the operator's roles with docs/reference/rights.md",
    );
  }

  #allowed(request: Pick<HttpRequest, "method" | "path" | "headers">): void {
    if (this.#noted.size === 0) return;
    for (const access of accessesOf(request)) {
      const name = accessName(access);
      const noted = this.#noted.get(name);
      if (!noted) continue;
      if (access.namespace === undefined) noted.namespaces.clear();
      else noted.namespaces.delete(access.namespace);
      if (noted.namespaces.size > 0) continue;
      this.#noted.delete(name);
      this.#options.log.info({ right: name }, "permission now granted");
    }
  }
}

async function* only(body: Uint8Array): AsyncIterable<Uint8Array> {
  yield body;
}

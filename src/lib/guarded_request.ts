import { lookup as resolve } from "node:dns";
import type { RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLocalAddress } from "./local_address.ts";
import { http } from "./node_http.ts";
import { https } from "./node_https.ts";

export interface GuardedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Loopback and link-local addresses may be called. */
  readonly allowLocal: boolean;
  /** The authorities to trust, in PEM. Default: the system's. */
  readonly ca?: string;
  /** Any certificate is accepted. Default false. */
  readonly insecure?: boolean;
  readonly signal: AbortSignal;
}

export interface GuardedAnswer {
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
}

/** One request, as a port. Follows no redirect. */
export type SendGuarded = (request: GuardedRequest) => Promise<GuardedAnswer>;

const LONGEST_BODY = 4096;

/**
 * Sends one request, on a connection of its own, and follows no redirect. The address that is connected to is the one
 * that was looked at: a name that leads elsewhere the second time leads nowhere.
 */
export const sendGuarded: SendGuarded = (request) => guardedSender(resolve)(request);

/** The same, with names looked up elsewhere. */
export const guardedSender =
  (lookup: typeof resolve): SendGuarded =>
  (request) =>
    new Promise((answered, failed) => {
      const url = new URL(request.url);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) && !request.allowLocal && isLocalAddress(host))
        return failed(new LocalAddress(host, host));
      const body = request.body === undefined ? undefined : Buffer.from(request.body);
      const options: RequestOptions = {
        method: request.method,
        headers: { ...request.headers, ...(body ? { "content-length": body.length } : {}) },
        agent: false,
        signal: request.signal,
        lookup: guardedLookup(lookup, request.allowLocal),
        ...(request.ca ? { ca: request.ca } : {}),
        rejectUnauthorized: !request.insecure,
      };
      const outgoing = (url.protocol === "https:" ? https : http).request(url, options);
      outgoing.once("error", failed);
      outgoing.once("response", (incoming) => {
        const parts: Buffer[] = [];
        let size = 0;
        incoming.on("data", (part: Buffer) => {
          if (size < LONGEST_BODY) parts.push(part);
          size += part.length;
        });
        incoming.once("error", failed);
        incoming.once("end", () => {
          const text = Buffer.concat(parts).subarray(0, LONGEST_BODY).toString("utf8");
          answered({ status: incoming.statusCode ?? 0, body: text });
        });
      });
      outgoing.end(body);
    });

/** The request would have gone to the machine that sends it, or no further than its link. */
export class LocalAddress extends Error {
  override name = "LocalAddress";

  constructor(host: string, address: string) {
    const what = host === address ? address : `${host} is ${address}, and that`;
    super(
      `${what} is a loopback or link-local address, which hooks may not call unless the operator is set to allow it`,
    );
  }
}

function guardedLookup(lookup: typeof resolve, allowLocal: boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const local = allowLocal ? undefined : addresses.find(({ address }) => isLocalAddress(address));
      if (local) return callback(new LocalAddress(host, local.address), "", 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(
        first ? null : new Error(`${host} has no address`),
        first?.address ?? "",
        first?.family ?? 0,
      );
    });
  };
}

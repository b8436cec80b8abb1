import { readFile } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import type { Credentials, Identity } from "./credentials.ts";

/** The kubelet replaces a pod's token well before it expires; a minute's delay is always early enough. */
const REREAD_MS = 60_000;

/** A bearer token in a file that something else keeps fresh. */
export class TokenFile implements Credentials {
  readonly #path: string;
  readonly #clock: Clock;
  #identity: Identity | undefined;
  #readAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  async current(): Promise<Identity> {
    if (this.#identity && this.#clock.monotonic() - this.#readAt < REREAD_MS) return this.#identity;
    return this.#read();
  }

  async renew(refused: Identity): Promise<Identity | undefined> {
    const fresh = await this.#read();
    return fresh.headers.authorization === refused.headers.authorization ? undefined : fresh;
  }

  async #read(): Promise<Identity> {
    const token = (await readFile(this.#path, "utf8")).trim();
    if (token === "") throw new Error(`${this.#path} is empty: no token to show to the API server`);
    this.#identity = { headers: { authorization: `Bearer ${token}` } };
    this.#readAt = this.#clock.monotonic();
    return this.#identity;
  }
}

import type { Random } from "../../lib/random.ts";
import { sameSecret } from "./guard.ts";

/** A token that opens the console once; then there is another one. */
export class LinkToken {
  readonly #random: Random;
  #token: string;

  constructor(random: Random) {
    this.#random = random;
    this.#token = random.hex(24);
  }

  get current(): string {
    return this.#token;
  }

  /** Whether it was this one. */
  spend(token: string): boolean {
    if (!sameSecret(token, this.#token)) return false;
    this.#token = this.#random.hex(24);
    return true;
  }
}

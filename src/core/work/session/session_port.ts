import type { Random } from "../../../lib/random.ts";
import { messageOf } from "../../../lib/result.ts";

export interface SessionPorts {
  readonly first: number;
  readonly last: number;
}

export const SESSION_PORTS: SessionPorts = { first: 20_000, last: 29_999 };

/** How often a start is tried whose port was taken. */
const TRIES = 3;

export interface SessionPortOptions {
  readonly random: Random;
  readonly ports?: SessionPorts | undefined;
  /** What is said of a failure. Default: its message. */
  readonly told?: (error: unknown) => string;
}

/**
 * Begins on a port that is picked by chance, and on others while it is taken: pods may share a network, with each other
 * or with anything else.
 */
export async function onSomePort<T>(
  begin: (port: number) => Promise<T>,
  { random, ports: { first, last } = SESSION_PORTS, told = messageOf }: SessionPortOptions,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await begin(first + Math.floor(random.next() * (last - first + 1)));
    } catch (error) {
      if (tries === TRIES || !told(error).includes("EADDRINUSE")) throw error;
    }
  }
}

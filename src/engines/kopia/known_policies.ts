import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { type Policy, samePolicy } from "./policy.ts";

/** Policies by the identity that they are for, as kopia writes it. */
export type Policies = Readonly<Record<string, Policy>>;

/** For so long what was read is taken for what is there. */
const FRESH_MS = 60_000;

/** The repository's policies as they were last read: opening does that, so that most snapshots need not. */
export class KnownPolicies {
  #held: Policies;
  #readAt: number;

  /** `now` is a monotonic time. */
  constructor(held: Policies, now: number) {
    this.#held = held;
    this.#readAt = now;
  }

  /** Undefined when they must be read again, since somebody may have changed them. */
  at(now: number): Policies | undefined {
    return now - this.#readAt < FRESH_MS ? this.#held : undefined;
  }

  /** They were read just now. */
  replace(held: Policies, now: number): void {
    this.#held = held;
    this.#readAt = now;
  }

  /** These were written just now. */
  add(written: Policies): void {
    this.#held = { ...this.#held, ...written };
  }

  /** It was removed just now. */
  remove(name: string): void {
    const { [name]: _, ...rest } = this.#held;
    this.#held = rest;
  }
}

/** Which of these policies are not held, or differ. */
export function missingPolicies(held: Policies, wanted: Policies): Policies {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, policy]) => {
      const found = held[name];
      return found === undefined || !samePolicy(found, policy);
    }),
  );
}

/** Reads what `kopia policy export` prints. */
export function parsePolicies(what: string, text: string): Policies {
  const value: unknown = JSON.parse(text);
  if (isRecord(value) && Object.values(value).every(isRecord)) return value as Policies;
  throw new EngineError("EngineFailed", `${what}: kopia did not print its policies`);
}

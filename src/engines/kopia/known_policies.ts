import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { GLOBAL, type Policy, samePolicy } from "./policy.ts";

/** Policies by the identity that they are for, as kopia writes it. */
export type Policies = Readonly<Record<string, Policy>>;

/** For so long what was read is taken for what is there. */
const FRESH_MS = 60_000;

/** The repository's policies as they were last read: opening does that, so that most snapshots need not. */
export class KnownPolicies {
  #held: Policies;
  #readAt: number;

  /** They are yet to be read. */
  static unread(): KnownPolicies {
    return new KnownPolicies({}, Number.NEGATIVE_INFINITY);
  }

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

/** What kopia itself gives an identity without a policy with its first snapshot: it says nothing, and inherits all. */
export const SAYS_NOTHING: Policy = { scheduling: { manual: true } };

/** Which of these policies are neither held nor inherited as they are. */
export function unsettledPolicies(held: Policies, wanted: Policies): Policies {
  const usual = held[GLOBAL];
  return Object.fromEntries(
    Object.entries(missingPolicies(held, wanted)).filter(([name, policy]) => {
      const [account = ""] = name.split(":", 1);
      const host = account.slice(account.indexOf("@"));
      const between = Object.entries(held).some(
        ([other, found]) =>
          (other.startsWith(account) || other === host) &&
          !(other === name && samePolicy(found, SAYS_NOTHING)),
      );
      return between || usual === undefined || !samePolicy(usual, policy);
    }),
  );
}

/** Reads what `kopia policy export` prints. */
export function parsePolicies(what: string, text: string): Policies {
  const value: unknown = JSON.parse(text);
  if (isRecord(value) && Object.values(value).every(isRecord)) return value as Policies;
  throw new EngineError("EngineFailed", `${what}: kopia did not print its policies`);
}

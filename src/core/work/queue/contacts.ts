import type { Evidence, Setback } from "./breaker.ts";
import type { Contact } from "./contact.ts";

/** What runs have said of the storages of repositories, from the records that their owners keep. */
export class Contacts {
  readonly #goodAt = new Map<string, number>();
  readonly #setbacks = new Map<string, Map<string, Setback>>();
  readonly #damagedAt = new Map<string, number>();

  /** What an owner's records say now. The repositories of which something new is known. */
  know(uid: string, contacts: readonly Contact[]): readonly string[] {
    return contacts.filter((contact) => this.#learn(uid, contact)).map(({ pool }) => pool);
  }

  /** An owner is gone. What it knew of failures goes with it. */
  forget(uid: string): void {
    for (const setbacks of this.#setbacks.values()) setbacks.delete(uid);
  }

  evidence(pool: string): Evidence {
    const goodAt = this.#goodAt.get(pool);
    const setbacks = [...(this.#setbacks.get(pool)?.values() ?? [])];
    const damagedAt = this.#damagedAt.get(pool);
    return {
      ...(goodAt === undefined ? {} : { goodAt }),
      setbacks,
      ...(damagedAt === undefined ? {} : { damagedAt }),
    };
  }

  #learn(uid: string, { pool, at, failure, setbacks: count = 1, damaged }: Contact): boolean {
    const time = Date.parse(at);
    if (damaged) return raised(this.#damagedAt, pool, time);
    const known = this.#setbacks.get(pool) ?? new Map<string, Setback>();
    if (failure === undefined) {
      known.delete(uid);
      return raised(this.#goodAt, pool, time);
    }
    const before = known.get(uid);
    if (before?.at === time) return false;
    this.#setbacks.set(pool, known.set(uid, { at: time, failure, count }));
    return true;
  }
}

/** Keeps the latest time; whether it is a later one. */
function raised(times: Map<string, number>, pool: string, time: number): boolean {
  if (time <= (times.get(pool) ?? Number.NEGATIVE_INFINITY)) return false;
  times.set(pool, time);
  return true;
}

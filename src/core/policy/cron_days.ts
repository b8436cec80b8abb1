import { Cron as Croner } from "croner";
import { LruMap } from "../../lib/lru_map.ts";

const SECOND = 1000;
const DAY = 86_400_000;

/** A parsed pattern weighs some 80 kB, and thousands of schedules have the same few. */
const parsed = new LruMap<string, Croner>(32);

/**
 * The days on which an expression fires, by its last three fields. Days are numbered from 1970-01-01, and have no zone:
 * it is the calendar alone that decides.
 */
export class CronDays {
  readonly #fields: string;

  constructor(fields: string) {
    this.#fields = fields;
  }

  /** The first that is not earlier than `day`; none where the calendar has no such day. */
  next(day: number): number | undefined {
    if (this.#fields === "* * *") return day;
    const found = this.#croner().nextRun(new Date(day * DAY - SECOND));
    return found === null ? undefined : found.getTime() / DAY;
  }

  /** The last that is not later than `day`. */
  previous(day: number): number | undefined {
    if (this.#fields === "* * *") return day;
    const [found] = this.#croner().previousRuns(1, new Date(day * DAY + SECOND));
    return found === undefined ? undefined : found.getTime() / DAY;
  }

  #croner(): Croner {
    const known = parsed.get(this.#fields);
    if (known !== undefined) return known;
    const made = new Croner(`0 0 ${this.#fields}`, { mode: "5-part", utcOffset: 0 });
    parsed.set(this.#fields, made);
    return made;
  }
}

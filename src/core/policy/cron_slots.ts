import { LruMap } from "../../lib/lru_map.ts";
import { CronDays } from "./cron_days.ts";
import { CronTimes } from "./cron_times.ts";
import type { Zone } from "./zone.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The slots of days on which clocks change: each takes a while to find, and many schedules have the same. */
const unsteady = new LruMap<string, readonly number[]>(64);

/** The instants at which an expanded expression fires in a zone. */
export class CronSlots {
  readonly #text: string;
  readonly #zone: Zone;
  readonly #times: CronTimes;
  readonly #days: CronDays;

  constructor(expression: string, zone: Zone) {
    const [minute = "", hour = "", ...date] = expression.split(" ");
    this.#text = `${expression} ${zone.name}`;
    this.#zone = zone;
    this.#times = new CronTimes(minute, hour);
    this.#days = new CronDays(date.join(" "));
  }

  /** The first one later than `after`. */
  next(after: number): number | undefined {
    // Clocks that were put back can show the day before once more.
    let day = this.#days.next(dayOf(this.#zone.wallAt(after)) - 1);
    while (day !== undefined) {
      const found = this.#firstOn(day, after);
      const following = this.#days.next(day + 1);
      if (found !== undefined) {
        return Math.min(found, (this.#overlaps(day, following) && this.#firstOn(following, after)) || found);
      }
      day = following;
    }
    return undefined;
  }

  /** The last one earlier than `before`. */
  previous(before: number): number | undefined {
    let day = this.#days.previous(dayOf(this.#zone.wallAt(before)) + 1);
    while (day !== undefined) {
      const found = this.#lastOn(day, before);
      const preceding = this.#days.previous(day - 1);
      if (found !== undefined) {
        return Math.max(found, (this.#overlaps(day, preceding) && this.#lastOn(preceding, before)) || found);
      }
      day = preceding;
    }
    return undefined;
  }

  /** Where clocks are put back around midnight, slots of one day may lie between those of another. */
  #overlaps(day: number, other: number | undefined): other is number {
    return other !== undefined && this.#zone.steadyOffset(day) === undefined;
  }

  #firstOn(day: number, after: number): number | undefined {
    const offset = this.#zone.steadyOffset(day);
    if (offset === undefined) return this.#unsteadySlots(day).find((slot) => slot > after);
    const minute = this.#times.after(Math.floor((after + offset - day * DAY) / MINUTE));
    return minute === undefined ? undefined : day * DAY + minute * MINUTE - offset;
  }

  #lastOn(day: number, before: number): number | undefined {
    const offset = this.#zone.steadyOffset(day);
    if (offset === undefined) return this.#unsteadySlots(day).findLast((slot) => slot < before);
    const minute = this.#times.before(Math.ceil((before + offset - day * DAY) / MINUTE));
    return minute === undefined ? undefined : day * DAY + minute * MINUTE - offset;
  }

  #unsteadySlots(day: number): readonly number[] {
    const key = `${this.#text} ${day}`;
    const known = unsteady.get(key);
    if (known !== undefined) return known;
    const walls = this.#times.all().map((minute) => day * DAY + minute * MINUTE);
    const slots = walls.flatMap((wall) =>
      this.#times.areNamed ? this.#slotOfDay(wall) : this.#zone.instantsAt(wall),
    );
    const sorted = [...new Set(slots)].sort((a, b) => a - b);
    unsteady.set(key, sorted);
    return sorted;
  }

  /** A time of day comes once. A day that the zone left out as a whole has none. */
  #slotOfDay(wall: number): readonly number[] {
    const [first] = this.#zone.instantsAt(wall);
    if (first !== undefined) return [first];
    const change = this.#zone.changeNear(wall);
    if (change === undefined) return [];
    const sameDay = (instant: number) => dayOf(this.#zone.wallAt(instant)) === dayOf(wall);
    return [change, change - MINUTE].filter(sameDay).slice(0, 1);
  }
}

const dayOf = (wall: number) => Math.floor(wall / DAY);

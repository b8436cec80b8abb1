/** The minutes of a day at which an expression fires, by its first two fields; midnight is 0. */
export class CronTimes {
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];
  /** Minute and hour are both named, without a wildcard or a step. */
  readonly areNamed: boolean;

  constructor(minute: string, hour: string) {
    this.#minutes = valuesOf(minute, 59);
    this.#hours = valuesOf(hour, 23);
    this.areNamed = !/[*/]/.test(minute + hour);
  }

  /** The first later than `minute`. */
  after(minute: number): number | undefined {
    for (const hour of this.#hours) {
      if (hour * 60 + 59 <= minute) continue;
      const found = this.#minutes.find((value) => hour * 60 + value > minute);
      if (found !== undefined) return hour * 60 + found;
    }
    return undefined;
  }

  /** The last earlier than `minute`. */
  before(minute: number): number | undefined {
    for (const hour of this.#hours.toReversed()) {
      if (hour * 60 >= minute) continue;
      const found = this.#minutes.findLast((value) => hour * 60 + value < minute);
      if (found !== undefined) return hour * 60 + found;
    }
    return undefined;
  }

  all(): readonly number[] {
    return this.#hours.flatMap((hour) => this.#minutes.map((minute) => hour * 60 + minute));
  }
}

/** What an expanded field means, in order. */
function valuesOf(field: string, high: number): readonly number[] {
  const values = new Set<number>();
  for (const item of field.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [from, to = from] = range === "*" ? [0, high] : range.split("-").map(Number);
    for (let value = from ?? 0; value <= (to ?? high); value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

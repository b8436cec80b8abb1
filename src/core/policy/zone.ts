import { LruMap } from "../../lib/lru_map.ts";
import { err, ok, type Result } from "../../lib/result.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const SECOND = 1000;

/** A formatter is heavy, and a name can be written in many cases: those in use are few. */
const known = new LruMap<string, Zone>(64);

/** The time zone by that name of the IANA database, or what is wrong with the name. */
export function parseZone(name: string): Result<Zone, string> {
  const zone = known.get(name) ?? zoneNamed(name);
  if (zone !== undefined) {
    known.set(name, zone);
    return ok(zone);
  }
  return err(
    `the time zone ${JSON.stringify(name)} is not known: it has to be a name of the IANA database; write one such as "UTC", "Europe/Berlin" or "America/New_York"`,
  );
}

function zoneNamed(name: string): Zone | undefined {
  // Intl also takes plain offsets, which other readers of the same manifest do not know.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Zone(name);
  } catch {
    return undefined;
  }
}

/**
 * A time zone. What its clocks show is a *wall time*: a number whose fields, read as UTC, are the local date and time.
 * Instants and wall times are both milliseconds since 1970.
 */
export class Zone {
  readonly name: string;
  /** None in UTC: formatters take long to make, and every program has that zone. */
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Of days, as they are numbered from 1970-01-01; NaN where clocks change. */
  readonly #offsets = new LruMap<number, number>(32);

  constructor(name: string) {
    this.#format = name === "UTC" ? undefined : formatOf(name);
    this.name = this.#format?.resolvedOptions().timeZone ?? name;
  }

  wallAt(instant: number): number {
    if (!this.#format || this.name === "UTC") return instant;
    const fields: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) fields[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    const fraction = ((instant % SECOND) + SECOND) % SECOND;
    return Date.UTC(year, month - 1, day, hour, minute, second) + fraction;
  }

  offsetAt(instant: number): number {
    return this.wallAt(instant) - instant;
  }

  /** The offset all through a local day, numbered from 1970-01-01; none where clocks change on it or close to it. */
  steadyOffset(day: number): number | undefined {
    let offset = this.#offsets.get(day);
    if (offset === undefined) {
      // Offsets go from 12 hours behind to 14 ahead: the day lies between these two instants.
      offset = this.offsetAt(day * DAY - 15 * HOUR);
      if (this.offsetAt(day * DAY + 37 * HOUR) !== offset) offset = Number.NaN;
      this.#offsets.set(day, offset);
    }
    return Number.isNaN(offset) ? undefined : offset;
  }

  /** When the clocks show this: once, twice (they were put back: the earlier first), or never (they were put forward). */
  instantsAt(wall: number): readonly number[] {
    const instants = [wall - this.offsetAt(wall - DAY), wall - this.offsetAt(wall + DAY)];
    const shown = instants.filter((instant) => this.wallAt(instant) === wall);
    return [...new Set(shown)].sort((a, b) => a - b);
  }

  /** The first instant of the new offset, where the clocks change within a day of what they would show then. */
  changeNear(wall: number): number | undefined {
    let before = wall - DAY;
    let after = wall + DAY;
    const old = this.offsetAt(before);
    if (this.offsetAt(after) === old) return undefined;
    while (after - before > SECOND) {
      const middle = before + Math.floor((after - before) / 2 / SECOND) * SECOND;
      if (this.offsetAt(middle) === old) before = middle;
      else after = middle;
    }
    return after;
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** The zone of those who name none. */
export const UTC: Zone = new Zone("UTC");

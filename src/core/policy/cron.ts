import { sha256 } from "../../lib/hash.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { CronDays } from "./cron_days.ts";
import { CRON_FIELDS, expandField } from "./cron_field.ts";
import { CronSlots } from "./cron_slots.ts";
import { parseZone, UTC, type Zone } from "./zone.ts";

export interface CronRequest {
  /** Five fields, in which `H` stands for a value of this schedule's own, or a name such as `@daily`. */
  readonly expression: string;
  /** A name of the IANA database. Default UTC. */
  readonly zone?: string | undefined;
  /** What `H` is made of: the same seed always gives the same value. */
  readonly seed: string;
}

/** As in every cron; they are exact, whoever wants to be spread writes `H`. */
const NAMED: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** How many answers a schedule remembers: what is due, and the slots beside it. */
const REMEMBERED = 4;

/** The schedule that an expression means, or what is wrong with it. */
export function parseCron(request: CronRequest): Result<Cron, string> {
  const expanded = expand(request.expression, request.seed);
  if (!expanded.ok) {
    return err(`the cron expression ${JSON.stringify(request.expression)} cannot be used: ${expanded.error}`);
  }
  const zone = request.zone === undefined ? ok(UTC) : parseZone(request.zone);
  return zone.ok ? ok(new Cron(expanded.value, zone.value)) : zone;
}

function expand(expression: string, seed: string): Result<string, string> {
  const text = expression.trim();
  if (/^(CRON_)?TZ=/i.test(text)) {
    return err("a zone is not part of it; name the zone in the field for it");
  }
  if (text.startsWith("@")) return named(text);
  const words = text === "" ? [] : text.split(/\s+/);
  if (words.length !== CRON_FIELDS.length) {
    return err(
      `it has ${words.length} fields; write the five fields minute, hour, day of the month, month and day of the week, such as "H 2 * * *"`,
    );
  }
  const fields: string[] = [];
  for (const [i, field] of CRON_FIELDS.entries()) {
    const hash = Number.parseInt(sha256(`${seed}\n${field.name}`).slice(0, 12), 16);
    const expanded = expandField(field, words[i] ?? "", hash);
    if (!expanded.ok) return expanded;
    fields.push(expanded.value);
  }
  const date = fields.slice(2).join(" ");
  if (new CronDays(date).next(0) !== undefined) return ok(fields.join(" "));
  return err("no month has such a day, so that it would never fire; choose a day that the month has");
}

function named(text: string): Result<string, string> {
  const meaning = NAMED[text.toLowerCase()];
  if (meaning !== undefined) return ok(meaning);
  return err(
    `${JSON.stringify(text)} is not tied to the time of day or not known; write ${Object.keys(NAMED).join(", ")}, or five fields, such as "H/30 * * * *" for every 30 minutes`,
  );
}

/**
 * When a schedule fires. Its slots are instants, in whole minutes of the zone's clocks. Where these are changed:
 *
 * - Minutes and hours that are named (`30 2 * * *`, `0 2,14 * * *`, also by `H`) are times of day, and fire once on each
 *   of their days. A time that comes twice fires the first time. A time that is left out fires when the clocks have
 *   changed, or a minute before they do where afterwards it is another day.
 * - With a wildcard or a step in either (`*\/15 * * * *`, `0 H/6 * * *`) every minute that the clocks show counts: twice
 *   when it comes twice, and not at all when it is left out.
 *
 * Days of the month and of the week that are both restricted are alternatives, as in every cron.
 */
export class Cron {
  /** The expression without `H`, and the zone: two schedules with the same text have the same slots. */
  readonly text: string;
  readonly zone: Zone;
  readonly #slots: CronSlots;
  readonly #gaps: { readonly after: number; readonly next: number }[] = [];

  constructor(expression: string, zone: Zone) {
    this.text = `${expression} ${zone.name}`;
    this.zone = zone;
    this.#slots = new CronSlots(expression, zone);
  }

  /** The first slot later than `after`. */
  next(after: number): number | undefined {
    refuseNoTime(after);
    const known = this.#gaps.find((gap) => gap.after <= after && after < gap.next);
    if (known !== undefined) return known.next;
    const next = this.#slots.next(after);
    if (next !== undefined) {
      this.#gaps.unshift({ after, next });
      this.#gaps.length = Math.min(this.#gaps.length, REMEMBERED);
    }
    return next;
  }

  /** The last slot earlier than `before`. */
  previous(before: number): number | undefined {
    refuseNoTime(before);
    return this.#slots.previous(before);
  }

  /** The slots later than `from` and not later than `to`: the earliest of them, `limit` at most. */
  slotsBetween(from: number, to: number, limit: number): readonly number[] {
    const slots: number[] = [];
    let slot = this.next(from);
    while (slot !== undefined && slot <= to && slots.length < limit) {
      slots.push(slot);
      slot = this.next(slot);
    }
    return slots;
  }
}

/** What is no time would be looked for without end. */
function refuseNoTime(at: number): void {
  if (!Number.isFinite(at)) throw new RangeError(`${at} is no time from which a schedule can be followed`);
}

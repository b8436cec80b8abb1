import type { Clock } from "../../lib/clock.ts";
import type { Effort } from "../../lib/process_effort.ts";
import { Standstill } from "../standstill.ts";
import { resticFailure } from "./failure.ts";
import type { MustMove } from "./must_move.ts";

export interface PatienceOptions {
  /**
   * restic repeats failed requests for 15 minutes. `Short` ends it after a few of them: for what someone waits
   * for. What waiting cannot cure ends it in any case. Default `Long`.
   */
  readonly patience?: "Short" | "Long";
  /** Ends it as Unreachable when nothing at all was said for so long: some storage clients retry in silence. */
  readonly silenceMs?: number;
  /** The same when its figures have not changed for too long, whatever else it says. Default: they need not. */
  readonly mustMove?: MustMove;
}

const RETRIES = 3;

/** rclone says that of what is there, too, now and then: restic asks five times, and ends by itself. */
const MISSING = /<\w+\/\w+> does not exist$/;

/**
 * So many times as long as usual is waited for what works where figures need not change soon: a day for a quarter of
 * an hour.
 */
const QUIET_TIMES = 96;

/**
 * What works uses at least this of a processor, or this many bytes a millisecond: to set owners and times on slow
 * storage takes hardly more. What only waits uses half of the one, and a tenth of the other.
 */
const BUSY = { cpu: 0.001, bytes: 20 };

/** How long restic may go on trying. */
export class Patience {
  readonly #clock: Clock;
  readonly #options: PatienceOptions;
  readonly #standstillMs: number | undefined;
  #standstill: Standstill | undefined;
  #effort: () => Effort | undefined = () => undefined;
  /** Figures need not change soon: so many waits have passed since they last did, and this was used by then. */
  #quiet: { readonly waits: number; readonly effort: Effort | undefined } | undefined;
  #retries = 0;
  #lost: string | undefined;
  #end = () => {};
  #cancelSilence = () => {};

  constructor(clock: Clock, options: PatienceOptions, standstillMs?: number) {
    this.#clock = clock;
    this.#options = options;
    this.#standstillMs = options.mustMove ? standstillMs : undefined;
  }

  /** Why it is at an end, to be added to restic's own words; undefined while it is not. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Begins to wait, and says what to do when it is at an end. `effort`: what restic has used so far, where known. */
  onEnd(end: () => void, effort: () => Effort | undefined = () => undefined): void {
    this.#end = end;
    this.#effort = effort;
    if (this.#lost === undefined) this.#wait();
    else end();
  }

  /** Something was said. */
  heard(): void {
    const { silenceMs } = this.#options;
    this.#cancelSilence();
    if (silenceMs === undefined || this.#lost !== undefined) return;
    this.#cancelSilence = this.#clock.after(silenceMs, () =>
      this.#lose(`nothing was heard for ${silenceMs / 1000} s: i/o timeout\n`),
    );
  }

  /** It is as far as its line of status says, apart from the time that it took. */
  seen({ seconds_elapsed: _, seconds_remaining: __, ...figures }: Readonly<Record<string, unknown>>): void {
    if (!this.#standstill?.seen(figures)) return;
    const quiet = this.#options.mustMove?.(figures) === false;
    this.#quiet = quiet ? { waits: 0, effort: this.#effort() } : undefined;
  }

  /** What was read of it is with its reader, who takes as long as he likes. */
  pause(): void {
    this.#standstill?.pause();
  }

  resume(): void {
    this.#standstill?.resume();
  }

  /** A request failed for the reason in this line, and will be repeated. */
  retried(line: string): void {
    if (MISSING.test(line)) return;
    const curable = resticFailure("", { code: 1, signal: null, words: line }).retry === "transient";
    if (curable && this.#options.patience !== "Short") return;
    this.#retries += 1;
    if (this.#retries >= RETRIES) this.#lose("");
  }

  /** It has ended. */
  done(): void {
    this.#cancelSilence();
    this.#standstill?.[Symbol.dispose]();
  }

  #wait(): void {
    this.heard();
    const ms = this.#standstillMs;
    if (ms === undefined) return;
    this.#standstill = new Standstill(this.#clock, ms, () => this.#stood(ms));
    this.seen({});
  }

  /** Nothing has changed for so long. Where nothing need change, what it used tells whether it works. */
  #stood(ms: number): void {
    const waits = (this.#quiet?.waits ?? 0) + 1;
    if (this.#quiet && waits < QUIET_TIMES) {
      const effort = this.#effort();
      if (hasWorked(this.#quiet.effort, effort, ms)) {
        this.#quiet = { waits, effort };
        this.#standstill?.resume();
        return;
      }
    }
    this.#lose(`the storage let nothing pass for ${(waits * ms) / 1000} s: i/o timeout\n`);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    this.done();
    this.#end();
  }
}

/** What cannot be told counts as work: to end what works would begin it anew, only to end it again. */
function hasWorked(before: Effort | undefined, after: Effort | undefined, ms: number): boolean {
  if (!before || !after) return true;
  return after.cpuMs - before.cpuMs >= BUSY.cpu * ms || after.bytes - before.bytes >= BUSY.bytes * ms;
}

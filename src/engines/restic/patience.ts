import type { Clock } from "../../lib/clock.ts";
import type { Effort } from "../../lib/process_effort.ts";
import type { RateLimits } from "../../wire/work.ts";
import { hasWorked, Idleness } from "../idleness.ts";
import type { EngineProgram } from "../running_program.ts";
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
  /**
   * The same when its figures have not changed for too long, whatever else it says. Default: they need not, and it is
   * ended when it does next to nothing for so long.
   */
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

/** What a program is bound by. */
type Bounds = Pick<EngineProgram, "standstillMs" | "limits">;

/** How long restic may go on trying. */
export class Patience {
  readonly #clock: Clock;
  readonly #options: PatienceOptions;
  readonly #standstillMs: number | undefined;
  readonly #limits: RateLimits | undefined;
  #standstill: Standstill | undefined;
  #idleness: Idleness | undefined;
  #effort: () => Effort | undefined = () => undefined;
  /** Figures need not change soon: so many waits have passed since they last did, and this was used by then. */
  #quiet: { readonly waits: number; readonly effort: Effort | undefined } | undefined;
  #retries = 0;
  #lost: string | undefined;
  #end = () => {};
  #cancelSilence = () => {};

  constructor(clock: Clock, options: PatienceOptions, { standstillMs, limits }: Bounds = {}) {
    this.#clock = clock;
    this.#options = options;
    this.#standstillMs = standstillMs;
    this.#limits = limits;
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
    this.#idleness?.pause();
  }

  resume(): void {
    this.#standstill?.resume();
    this.#idleness?.resume();
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
    this.#idleness?.[Symbol.dispose]();
  }

  #wait(): void {
    this.heard();
    const ms = this.#standstillMs;
    if (ms === undefined) return;
    if (this.#options.mustMove === undefined) {
      const end = () => this.#letNothingPass(ms);
      const effort = () => this.#effort();
      this.#idleness = new Idleness({ clock: this.#clock, ms, limits: this.#limits, effort, end });
      return;
    }
    this.#standstill = new Standstill(this.#clock, ms, () => this.#stood(ms));
    this.seen({});
  }

  /** Nothing has changed for so long. Where nothing need change, what it used tells whether it works. */
  #stood(ms: number): void {
    const waits = (this.#quiet?.waits ?? 0) + 1;
    if (this.#quiet && waits < QUIET_TIMES) {
      const effort = this.#effort();
      if (hasWorked(this.#quiet.effort, effort, ms, this.#limits)) {
        this.#quiet = { waits, effort };
        this.#standstill?.resume();
        return;
      }
    }
    this.#letNothingPass(waits * ms);
  }

  #letNothingPass(ms: number): void {
    this.#lose(`the storage let nothing pass for ${ms / 1000} s: i/o timeout\n`);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    this.done();
    this.#end();
  }
}

import type { Clock } from "../../lib/clock.ts";
import type { Progress } from "../../wire/progress.ts";
import { type LogLine, REPORT_VERSION, type ReportLine, type Result, type Step } from "../../wire/report.ts";

/** Between two lines of progress of one step. */
const INTERVAL_MS = 1000;

export interface ReporterOptions {
  readonly clock: Clock;
  /** Takes one line with its end. May be called after the other side is gone. */
  readonly write: (line: string) => void;
  /** Less important lines of the log are left out. Default: none are. */
  readonly level?: LogLine["level"];
  /** How a line of the log is written. Default: as JSON. */
  readonly format?: (line: LogLine, now: number) => string;
}

/** From the least important on. */
const LEVELS: readonly LogLine["level"][] = ["debug", "info", "warn", "error"];

/** What a mover says while it works: one JSON object a line. */
export class Reporter {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #level: LogLine["level"];
  readonly #format: ReporterOptions["format"];
  #about = "";
  #due = 0;
  #latest: ReportLine | undefined;
  #cancel = () => {};

  constructor({ clock, write, level = "debug", format }: ReporterOptions) {
    this.#clock = clock;
    this.#write = write;
    this.#level = level;
    this.#format = format;
  }

  /** Said at once when the step or the source is new, otherwise at most once a second, the latest figures then. */
  progress(step: Step, progress: Progress = {}, source?: string): void {
    const about = `${step}/${source ?? ""}`;
    const line = {
      progress: { version: REPORT_VERSION, step, ...(source === undefined ? {} : { source }), ...progress },
    };
    const now = this.#clock.monotonic();
    if (about !== this.#about || now >= this.#due) return void this.#say(about, line, now);
    if (this.#latest === undefined)
      this.#cancel = this.#clock.after(this.#due - now, () => this.#sayLatest());
    this.#latest = line;
  }

  log(level: LogLine["level"], message: string): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.#level)) return;
    if (this.#format) this.#write(`${this.#format({ level, message }, this.#clock.now())}\n`);
    else this.#line({ log: { level, message } });
  }

  /** The last line, after the latest figures. */
  result(result: Result): void {
    this.#sayLatest();
    this.#line({ result });
  }

  #sayLatest(): void {
    if (this.#latest) this.#say(this.#about, this.#latest, this.#clock.monotonic());
  }

  #say(about: string, line: ReportLine, now: number): void {
    this.#cancel();
    this.#latest = undefined;
    this.#about = about;
    this.#due = now + INTERVAL_MS;
    this.#line(line);
  }

  #line(line: ReportLine): void {
    this.#write(`${JSON.stringify(line)}\n`);
  }
}

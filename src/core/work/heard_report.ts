import type { LogLine, ProgressLine, Result, Step } from "../../wire/report.ts";
import { joinTails, LogTail } from "./log_tail.ts";
import { parseLine } from "./mover_report.ts";

/** What was heard of a run so far. */
export interface HeardReport {
  readonly progress?: ProgressLine;
  readonly result?: Result;
  /** The last lines that were logged, bounded. */
  readonly logTail: readonly string[];
}

export const NOTHING_HEARD: HeardReport = { logTail: [] };

/** Steps before the work itself: where lines come again, a mover that works has not gone back to them. */
const FIRST_STEPS = ["Connecting", "Prepared"] as const satisfies readonly Step[];
const rankOf = (step: Step) => [...FIRST_STEPS, step].indexOf(step);

/** Figures of what is done, which tell old lines from new ones. */
const DONE = ["files", "bytes", "movedBytes"] as const;

/** Collects a mover's report, line by line. The log may be read again from some lines back. */
export class ReportListener {
  readonly #run: string;
  #before: readonly string[] = [];
  #tail = new LogTail();
  #progress: ProgressLine | undefined;
  #result: Result | undefined;

  constructor(run: string) {
    this.#run = run;
  }

  get heard(): HeardReport {
    return {
      ...(this.#progress ? { progress: this.#progress } : {}),
      ...(this.#result ? { result: this.#result } : {}),
      logTail: joinTails(this.#before, this.#tail.lines),
    };
  }

  /** The next lines may be ones that were heard already. */
  rewind(): void {
    this.#before = this.heard.logTail;
    this.#tail = new LogTail();
  }

  add(line: string): void {
    const said = parseLine(line);
    if ("progress" in said) this.#addProgress(said.progress);
    else if ("result" in said) this.#addResult(said.result);
    else if ("log" in said) this.#addLog(said.log);
    // What begins like a report and is none was cut in the middle.
    else if (!said.text.startsWith("{")) this.#tail.add(said.text);
  }

  /** Figures never go back within one operation: lower ones are old. */
  #addProgress(progress: ProgressLine): void {
    const last = this.#progress;
    if (last && rankOf(progress.step) < rankOf(last.step)) return;
    const same = last && last.step === progress.step && last.source === progress.source;
    if (same && DONE.some((figure) => (progress[figure] ?? 0) < (last[figure] ?? 0))) return;
    this.#progress = progress;
  }

  #addResult(result: Result): void {
    if (result.run === this.#run) this.#result = result;
  }

  #addLog({ level, message }: LogLine): void {
    if (level !== "debug") this.#tail.add(level === "info" ? message : `${level}: ${message}`);
  }
}

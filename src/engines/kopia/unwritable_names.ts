import { kopiaFailure } from "./failure.ts";

/**
 * kopia keeps names as UTF-8, with three bytes for each that is not. What is too long for a name then it cannot restore.
 * Where such names are in the record, with their content, kopia goes on after failures, and this listens: whatever else
 * fails aborts the signal, as it would have ended kopia.
 */
export class UnwritableNames {
  readonly #what: string;
  readonly #target: string;
  readonly #failed = new AbortController();

  constructor(what: string, target: string) {
    this.#what = what;
    this.#target = target;
  }

  get signal(): AbortSignal {
    return this.#failed.signal;
  }

  /** Whether a line of kopia's is about such a name. */
  overlook(line: string): boolean {
    const [, error, path] = /^(?:ERROR:? )?ignored error (.*) on (.*)$/s.exec(line) ?? [];
    if (error === undefined || path === undefined) return false;
    if (error.endsWith("file name too long") && path.includes("\uFFFD")) return true;
    const concern = { context: "target", folder: this.#target } as const;
    this.#failed.abort(kopiaFailure(this.#what, { code: 1, signal: null, words: error }, concern));
    return false;
  }
}

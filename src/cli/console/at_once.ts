import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";

/** How much of something each person may have at once, so that nobody takes the server from all others. */
export class AtOnce {
  readonly #most: number;
  readonly #what: string;
  readonly #running = new Map<string, number>();

  /** `what`: several of them, as a message says it. */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** The returned function ends it, once. Throws a CommandProblem where there are too many. */
  begin(user: string): () => void {
    const before = this.#running.get(user) ?? 0;
    if (before >= this.#most)
      throw new CommandProblem(`${before} of your ${this.#what} already`, {
        fix: "Wait for one of them to end.",
        code: EXIT.refused,
      });
    this.#running.set(user, before + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = (this.#running.get(user) ?? 1) - 1;
      if (left > 0) this.#running.set(user, left);
      else this.#running.delete(user);
    };
  }
}

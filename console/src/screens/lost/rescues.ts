import type { LostView } from "../../../../src/core/view/view.ts";
import { runEvents } from "../../api/run.ts";
import { afterEnd, afterEvent, RUNNING } from "../../api/run_state.ts";
import { problemOf } from "../../text/problem.ts";
import { progressFrom } from "../restore/progress_line.ts";
import { lineOf, type Rescue } from "./rescue_list.ts";

/** What the page shows of all of them. */
export interface RescuesState {
  readonly rescues: readonly Rescue[];
  readonly startedAt: number;
  readonly endedAt?: number;
}

const NONE: RescuesState = { rescues: [], startedAt: 0 };

/**
 * Restores of lost PVCs, one after the other or some side by side. They go on while a person looks at other pages; what
 * has begun goes on without the page, too.
 */
class Rescues {
  #state = NONE;
  #stopped = false;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  readonly state = (): RescuesState => this.#state;

  get isRunning(): boolean {
    return this.#state.rescues.some(({ phase }) => phase === "running" || phase === "waiting");
  }

  /** In the order of the list. */
  async start(lost: readonly LostView[], sideBySide: number): Promise<void> {
    if (this.isRunning) return;
    this.#stopped = false;
    const rescues = lost.map((lost): Rescue => ({ lost, phase: "waiting" }));
    this.#set({ rescues, startedAt: Date.now() });
    addEventListener("beforeunload", askBeforeLeaving);
    await Promise.all(Array.from({ length: sideBySide }, () => this.#work()));
    removeEventListener("beforeunload", askBeforeLeaving);
    this.#set({ ...this.#state, endedAt: Date.now() });
  }

  /** What waits does not begin. What runs goes on. */
  stop(): void {
    this.#stopped = true;
    const rescues = this.#state.rescues.map(
      (one): Rescue => (one.phase === "waiting" ? { ...one, phase: "left", says: "It was not begun" } : one),
    );
    this.#set({ ...this.#state, rescues });
  }

  clear(): void {
    if (!this.isRunning) this.#set(NONE);
  }

  async #work(): Promise<void> {
    for (;;) {
      const at = this.#state.rescues.findIndex(({ phase }) => phase === "waiting");
      const next = this.#state.rescues[at];
      if (this.#stopped || !next) return;
      this.#change(at, { phase: "running", says: "Asking for the restore …" });
      await this.#carryOut(at, next.lost);
    }
  }

  async #carryOut(at: number, lost: LostView): Promise<void> {
    const { namespace, words } = lineOf(lost);
    let state = RUNNING;
    try {
      const run = { namespace, words: [...words, "--yes"], detach: true };
      for await (const event of runEvents(run, new AbortController().signal)) {
        state = afterEvent(state, event);
        const { percent, left, rate, amount } = progressFrom(state.progress ?? "");
        const says = [amount, rate, left && `${left} left`].filter(Boolean).join(", ");
        this.#change(at, { percent, says: says || state.lines.at(-1)?.line });
      }
      state = afterEnd(state);
    } catch (error) {
      state = { ...state, phase: "failed", problem: problemOf(error) };
    }
    const { phase, problem, lines } = state;
    const says = lines.findLast(({ from }) => from === "out")?.line ?? lines.at(-1)?.line;
    this.#change(at, { phase: phase === "done" ? "done" : "failed", says, problem });
  }

  #change(at: number, more: Partial<Rescue>): void {
    const rescues = this.#state.rescues.map((one, index) => (index === at ? { ...one, ...more } : one));
    this.#set({ ...this.#state, rescues });
  }

  #set(state: RescuesState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Of this tab of the browser. */
export const rescues = new Rescues();

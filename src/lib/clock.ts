/**
 * Time as a port. Everything outside `lib/` and `main/` that needs the time, or needs to wait, is handed a
 * Clock, so that the same code runs under a virtual one.
 */
export interface Clock {
  /** Wall time in milliseconds since 1970. May jump in either direction: never measure a duration with it. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. The only source for durations and deadlines. */
  monotonic(): number;
  /** Calls back once, after at least `ms`. The returned function cancels; cancelling twice is harmless. */
  after(ms: number, callback: () => void): () => void;
}

/** Node's timers hold a 32-bit delay and fire at once beyond it. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      timer = setTimeout(tick, Math.min(Math.max(0, Math.ceil(left)), LONGEST_TIMER));
    };
    // A timer of Node's may fire a fraction of a millisecond early.
    const tick = () => {
      const left = due - performance.now();
      if (left > 0) arm(left);
      else callback();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/** Waits, or rejects with the signal's reason. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The deadline of an operation passed. */
export class DeadlineExceeded extends Error {
  override name = "DeadlineExceeded";
}

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that aborts with the parent's reason, or with DeadlineExceeded after `ms`. Dispose it when the
 * operation is over, or the timer and the listener on the parent stay behind.
 */
export function deadline(clock: Clock, ms: number, what: string, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParent = () => controller.abort(parent?.reason);
  if (parent?.aborted) onParent();
  else parent?.addEventListener("abort", onParent, { once: true });
  const cancel = clock.after(ms, () =>
    controller.abort(new DeadlineExceeded(`${what} took longer than ${ms / 1000} s`)),
  );
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel();
      parent?.removeEventListener("abort", onParent);
    },
  };
}

import type { Clock } from "../lib/clock.ts";

export interface Lingering extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that aborts with the parent's reason, and so much later: what has to be brought to its end may take that
 * long. Dispose it when that is done, or the timer stays behind.
 */
export function lingering(clock: Pick<Clock, "after">, ms: number, parent?: AbortSignal): Lingering {
  const controller = new AbortController();
  let cancel = () => {};
  const onParent = () => {
    cancel = clock.after(ms, () => controller.abort(parent?.reason));
  };
  if (parent?.aborted) onParent();
  else parent?.addEventListener("abort", onParent, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel();
      parent?.removeEventListener("abort", onParent);
    },
  };
}

import type { Clock } from "../../lib/clock.ts";
import type { Changed } from "./contract.ts";
import { EventQueue } from "./event_queue.ts";
import type { LiveObjects } from "./live_objects.ts";

export interface ChangesOptions {
  readonly live: Pick<LiveObjects, "onChange">;
  readonly clock: Clock;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** Between two of them, in milliseconds. */
const PACE = 500;
/** A page that reads nothing for so many is told no more until it does. */
const MOST_UNREAD = 100;
/** A word now and then, so that whatever is between keeps the connection. */
const QUIET = 20_000;

/** Server-sent events: which kinds changed, at most twice a second. */
export async function* changes({ live, clock, namespace, signal }: ChangesOptions): AsyncIterable<string> {
  const queue = new EventQueue<string>(MOST_UNREAD);
  const kinds = new Set<string>();
  const timers = new Map<"pace" | "quiet", () => void>();
  const say = () => {
    if (kinds.size > 0) {
      const changed: Changed = { kinds: [...kinds].toSorted() };
      kinds.clear();
      queue.push(`event: changed\ndata: ${JSON.stringify(changed)}\n\n`);
      timers.set("pace", clock.after(PACE, say));
    } else timers.delete("pace");
  };
  const silent = () => {
    queue.replace(": still here\n\n", (last) => last.startsWith(":"));
    timers.set("quiet", clock.after(QUIET, silent));
  };
  const off = live.onChange((kind, of) => {
    // What is followed in all namespaces is of this one as well; and a page may look into one while all are followed.
    if (of !== undefined && namespace !== undefined && of !== namespace) return;
    kinds.add(kind);
    // Several changes of one moment are one.
    if (!timers.has("pace")) timers.set("pace", clock.after(20, say));
  });
  const leave = () => queue.end();
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  silent();
  try {
    yield* queue;
  } finally {
    off();
    signal.removeEventListener("abort", leave);
    for (const cancel of timers.values()) cancel();
  }
}

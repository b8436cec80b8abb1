import type { KindView } from "../../core/view/api_view.ts";
import { type ViewOptions, viewOf } from "../../core/view/joined.ts";
import type { ShownObject } from "../../core/view/shown_object.ts";
import type { View } from "../../core/view/view.ts";
import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Call } from "../frame/command.ts";
import { listed } from "../frame/scope.ts";
import { looked } from "../frame/viewed.ts";
import type { LiveObjects } from "./live_objects.ts";

/** What there is, as one person sees it. */
export interface Looked extends ViewOptions {
  readonly view: View;
  /** Objects of the kinds that run once. */
  readonly runs: readonly { readonly object: ShownObject; readonly kind: KindView }[];
  readonly at: number;
}

interface Kept {
  readonly version: number;
  readonly at: number;
  readonly made: Promise<Looked>;
}

/** What depends on the time of day alone is at most so old, in milliseconds. */
const LONGEST = 10_000;

/** Views by scope: made again when something has changed, and once for all who ask meanwhile. */
export class FreshViews {
  readonly #live: Pick<LiveObjects, "version">;
  readonly #clock: Clock;
  readonly #call: (namespace: string | undefined, signal: AbortSignal) => Call;
  readonly #kept = new Map<string, Kept>();

  constructor(
    live: Pick<LiveObjects, "version">,
    clock: Clock,
    call: (namespace: string | undefined, signal: AbortSignal) => Call,
  ) {
    this.#live = live;
    this.#clock = clock;
    this.#call = call;
  }

  async of(namespace: string | undefined, signal: AbortSignal): Promise<Looked> {
    const key = namespace ?? "";
    const now = this.#clock.monotonic();
    const before = this.#kept.get(key);
    if (before && before.version === this.#live.version && now - before.at < LONGEST) return before.made;
    // Others wait for it, too: one who goes away does not end it.
    const made = lookedAt(this.#call(namespace, new AbortController().signal));
    const kept = { version: this.#live.version, at: now, made };
    this.#kept.clear();
    this.#kept.set(key, kept);
    made.catch(() => this.#kept.get(key) === kept && this.#kept.delete(key));
    signal.throwIfAborted();
    return await made;
  }
}

async function lookedAt(call: Call): Promise<Looked> {
  const options = await looked(call);
  const kinds = (await call.views()).flatMap((view) => view.kinds).filter(({ runsOnce }) => runsOnce);
  const runs = await Promise.all(
    kinds.map(async (kind) => {
      const objects = await listed(call, kind.resource).catch((error: unknown) => {
        if (isForbidden(error) || isNotServed(error)) return [];
        throw error;
      });
      return objects.map((object) => ({ object, kind }));
    }),
  );
  return { ...options, view: viewOf(options), runs: runs.flat(), at: call.clock.now() };
}

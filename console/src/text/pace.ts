import type { ProgressView } from "../../../src/core/view/view.ts";

/** What was seen of a run at a time. */
export interface Sample extends ProgressView {
  readonly at: number;
}

export interface Pace {
  readonly bytesPerSecond?: number | undefined;
  readonly leftMs?: number | undefined;
}

/** Older samples say nothing about how fast it is now. */
const WINDOW = 60_000;
/** Over a shorter time, a rate would be noise. */
const SHORTEST = 3_000;

/** Samples with a further one, without those that are too old. The same sample again changes nothing. */
export function withSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && last.at >= next.at) return samples;
  // A new attempt begins from nothing.
  const again = last !== undefined && (next.bytes ?? 0) < (last.bytes ?? 0);
  return again ? [next] : [...samples.filter(({ at }) => next.at - at <= WINDOW), next];
}

/** How fast it goes, and how long it takes, as far as the samples tell. */
export function paceOf(samples: readonly Sample[]): Pace {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < SHORTEST) return {};
  const ms = last.at - first.at;
  const bytes = grown(first.bytes, last.bytes);
  const percent = grown(first.percent, last.percent);
  return {
    bytesPerSecond: bytes === undefined ? undefined : (bytes / ms) * 1000,
    leftMs: percent ? ((100 - (last.percent ?? 0)) / percent) * ms : undefined,
  };
}

function grown(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : Math.max(0, after - before);
}

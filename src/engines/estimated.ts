import type { Clock } from "../lib/clock.ts";
import type { Progress } from "../wire/progress.ts";
import type { Survey } from "./fidelity/survey.ts";

/** Before that, what was done says little of what is to come. */
const TELLING_MS = 1000;

/**
 * Fills in how much there is in all, and so how long it will take: a survey has found it out, and the engine need not
 * walk through the source a second time. Ignored files may be in it.
 */
export function estimated(
  { files, bytes }: Pick<Survey, "files" | "bytes">,
  clock: Pick<Clock, "monotonic">,
  onProgress: ((progress: Progress) => void) | undefined,
): ((progress: Progress) => void) | undefined {
  if (onProgress === undefined) return undefined;
  const begun = clock.monotonic();
  return (progress) => {
    const { bytes: done = 0, estimatedBytes: all = bytes } = progress;
    const ms = clock.monotonic() - begun;
    const left = done > 0 && done <= all && ms >= TELLING_MS ? (ms * (all - done)) / done : undefined;
    onProgress({
      estimatedFiles: files,
      estimatedBytes: bytes,
      ...(left === undefined ? {} : { secondsRemaining: Math.round(left / 1000) }),
      ...progress,
    });
  };
}

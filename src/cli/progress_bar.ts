import type { Progress } from "../wire/progress.ts";
import { bytesText } from "./bytes_text.ts";
import { filesText } from "./files_text.ts";
import { durationText } from "./frame/times_text.ts";

const WIDTH = 30;

/** Bytes that are dealt with, read or taken over unread. */
export function bytesDone({ bytes, hashedBytes = 0, cachedBytes = 0 }: Progress): number {
  return bytes ?? hashedBytes + cachedBytes;
}

/**
 * One line that shows how far work is: a bar where the end is known, else what was done so far. With the bytes a
 * second that it does, it says so, and how long it will take where the engine does not.
 */
export function progressBar(progress: Progress, perSecond?: number): string {
  const { estimatedBytes, files } = progress;
  const done = bytesDone(progress);
  const pace = perSecond ? `, ${bytesText(Math.round(perSecond))}/s` : "";
  const amount = `${bytesText(done)}${files === undefined ? "" : ` in ${filesText(files)}`}`;
  if (!estimatedBytes) return `${amount}${pace}`;
  const share = Math.min(1, done / estimatedBytes);
  const full = Math.round(share * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${amount} of ${bytesText(estimatedBytes)}${pace}${left(progress, perSecond)}`;
}

function left(progress: Progress, perSecond: number | undefined): string {
  const { secondsRemaining, estimatedBytes = 0 } = progress;
  const seconds =
    secondsRemaining ?? (perSecond ? (estimatedBytes - bytesDone(progress)) / perSecond : undefined);
  return seconds !== undefined && seconds > 0 ? `, ${durationText(seconds * 1000)} left` : "";
}

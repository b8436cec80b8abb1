import { durationText } from "../core/view/times_text.ts";
import { bytesText } from "../lib/bytes_text.ts";
import type { Progress } from "../wire/progress.ts";
import { filesText } from "./files_text.ts";

const WIDEST = 30;
/** A bar that is narrower than this shows nothing that the percentage does not. */
const NARROWEST = 5;

export interface BarOptions {
  /** Bytes that are done a second. */
  readonly perSecond?: number | undefined;
  /** As many characters may be used. What is left for the bar decides how wide it is. */
  readonly room?: number;
}

/** Bytes that are dealt with, read or taken over unread. */
export function bytesDone({ bytes, hashedBytes = 0, cachedBytes = 0 }: Progress): number {
  return bytes ?? hashedBytes + cachedBytes;
}

/**
 * One line that shows how far work is: a bar where the end is known, else what was done so far. With the bytes a
 * second that it does, it says so, and how long it will take where the engine does not.
 */
export function progressBar(progress: Progress, options: BarOptions = {}): string {
  const { perSecond, room = Number.POSITIVE_INFINITY } = options;
  const { estimatedBytes, files } = progress;
  const done = bytesDone(progress);
  const pace = perSecond ? `, ${bytesText(Math.round(perSecond))}/s` : "";
  const amount = `${bytesText(done)}${files === undefined ? "" : ` in ${filesText(files)}`}`;
  if (!estimatedBytes) return `${amount}${pace}`;
  const share = Math.min(1, done / estimatedBytes);
  const text = `${String(Math.floor(share * 100)).padStart(3)} % ${amount} of ${bytesText(estimatedBytes)}${pace}${left(progress, perSecond)}`;
  const width = Math.min(WIDEST, room - text.length - 1);
  if (width < NARROWEST) return text.trimStart();
  const full = Math.round(share * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${text}`;
}

function left(progress: Progress, perSecond: number | undefined): string {
  const { secondsRemaining, estimatedBytes = 0 } = progress;
  const seconds =
    secondsRemaining ?? (perSecond ? (estimatedBytes - bytesDone(progress)) / perSecond : undefined);
  return seconds !== undefined && seconds > 0 ? `, ${durationText(seconds * 1000)} left` : "";
}

import type { Progress } from "../wire/progress.ts";
import { bytesText } from "./bytes_text.ts";

const WIDTH = 30;

/** One line that shows how far work is: a bar where the end is known, else what was done so far. */
export function progressBar(progress: Progress): string {
  const { bytes, hashedBytes = 0, cachedBytes = 0, estimatedBytes, files } = progress;
  const done = bytes ?? hashedBytes + cachedBytes;
  const amount = `${bytesText(done)}${files === undefined ? "" : ` in ${files} files`}`;
  if (!estimatedBytes) return amount;
  const share = Math.min(1, done / estimatedBytes);
  const full = Math.round(share * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${amount} of ${bytesText(estimatedBytes)}`;
}

import type { Progress } from "../../wire/progress.ts";

/** The pieces of kopia's console output: it ends a line with a newline, and a line that it will rewrite with a return. */
export async function* consoleLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/[\r\n]/);
    rest = (parts.pop() ?? "").slice(-MAX_LINE);
    yield* parts;
  }
  yield rest;
}

const MAX_LINE = 1 << 20;

const SNAPSHOT =
  /(\d+) hashing, (\d+) hashed \(([\d.]+ \w+)\), (\d+) cached \(([\d.]+ \w+)\), uploaded ([\d.]+ \w+)(?: \((\d+) fatal errors\))?(?: \((\d+) errors ignored\))?(?:, estimating\.\.\.|, estimated [\d.]+ \w+ \([\d.]+%\) \S+ left)?/;
const RESTORE =
  /Processed (\d+) \(([\d.]+ \w+)\) of (\d+) \(([\d.]+ \w+)\)(?:, skipped \d+ \([^)]*\))?(?:, ignored \d+ errors)?(?: [\d.]+ \S+ \([\d.]+%\) remaining (\S+?))?\./;
const VERIFY = /(Processed|Finished processing) (\d+) objects \(([\d.]+ \w+)\)\. Read \d+ files \([^)]*\)\./;

/** A line of kopia's progress, and what it said after that on the same line. */
export interface ProgressLine {
  readonly progress: Progress;
  /** Of a snapshot: files that were taken over from an earlier one. */
  readonly cachedFiles?: number;
  readonly rest: string;
}

/**
 * Reads a line of kopia's progress; undefined when it is none. Sizes are as exact as kopia prints them. What a
 * snapshot's line estimates is left out: kopia was told to guess it.
 */
export function parseProgress(line: string): ProgressLine | undefined {
  const snapshot = SNAPSHOT.exec(line);
  if (snapshot) {
    const cachedFiles = Number(snapshot[4]);
    return { progress: snapshotProgress(snapshot), cachedFiles, rest: after(line, snapshot) };
  }
  const restore = RESTORE.exec(line);
  if (restore) return { progress: restoreProgress(restore), rest: after(line, restore) };
  const verify = VERIFY.exec(line);
  return verify ? verifyLine(line, verify) : undefined;
}

function after(line: string, match: RegExpExecArray): string {
  return line.slice(match.index + match[0].length).trim();
}

function snapshotProgress(match: RegExpExecArray): Progress {
  const [, , hashed, hashedSize, cached, cachedSize, uploaded, fatal, ignored] = match;
  const hashedBytes = parseSize(hashedSize);
  const cachedBytes = parseSize(cachedSize);
  return {
    files: Number(hashed) + Number(cached),
    bytes: hashedBytes + cachedBytes,
    hashedBytes,
    cachedBytes,
    uploadedBytes: parseSize(uploaded),
    errors: Number(fatal ?? 0) + Number(ignored ?? 0),
  };
}

function restoreProgress(match: RegExpExecArray): Progress {
  const [, files, bytes, estimatedFiles, estimatedBytes, left] = match;
  return {
    files: Number(files),
    bytes: parseSize(bytes),
    estimatedFiles: Number(estimatedFiles),
    estimatedBytes: parseSize(estimatedBytes),
    ...remaining(left),
  };
}

/** The last one is the result, too. */
function verifyLine(line: string, match: RegExpExecArray): ProgressLine {
  const [, state, objects, bytes] = match;
  const progress = { files: Number(objects), bytes: parseSize(bytes) };
  return { progress, rest: state === "Processed" ? after(line, match) : line };
}

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  PiB: 2 ** 50,
};

/** A size as kopia prints it, such as `1.5 MB`. Zero when it is none. */
export function parseSize(text: string | undefined): number {
  const [amount, unit] = (text ?? "").split(" ");
  const bytes = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  return Number.isFinite(bytes) ? Math.round(bytes) : 0;
}

/** What kopia prints as this size: the known one where it is that, rounded; else the rounded one. */
export function exactSize(text: string | undefined, known: number): number {
  const [amount = "", unit = ""] = (text ?? "").split(" ");
  const decimals = amount.split(".")[1]?.length ?? 0;
  const step = (UNITS[unit] ?? 0) / 10 ** decimals;
  const rounded = parseSize(text);
  return Math.abs(known - rounded) <= step ? known : rounded;
}

/** A duration as Go prints it, such as `1h2m3.5s`. */
function remaining(text: string | undefined): { readonly secondsRemaining?: number } {
  const parts = [...(text ?? "").matchAll(/([\d.]+)(h|ms|m|s)/g)];
  if (parts.length === 0) return {};
  const seconds = { h: 3600, m: 60, s: 1, ms: 0.001 };
  return {
    secondsRemaining: Math.round(
      parts.reduce(
        (sum, [, amount, unit]) => sum + Number(amount) * seconds[unit as keyof typeof seconds],
        0,
      ),
    ),
  };
}

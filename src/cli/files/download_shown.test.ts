import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Entry } from "../../wire/entry.ts";
import { type Output, Screen } from "../screen.ts";
import { downloadShown } from "./download_shown.ts";

const MIB = 2 ** 20;
const WIPE = "\r\u001b[2K";
const entry = (type: Entry["type"], name: string, size: number): Entry => ({
  name,
  type,
  size,
  mode: 0o644,
  modifiedAt: "2026-01-01T00:00:00Z",
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-shown-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Fetched {
  readonly output: Omit<Output, "write">;
  /** What is fetched; a folder holds the file `a`. */
  readonly of: Entry;
  /** Of the file, each a MiB. */
  readonly parts: number;
  /** Between two of them, in milliseconds. */
  readonly pause: number;
  /** Then it fails. */
  readonly breaksOff?: true;
}

/** What is written while a file comes in. `early` is what was there before it was in its place. */
async function fetched({ output, of, parts, pause, breaksOff }: Fetched) {
  const clock = new VirtualClock();
  const written: string[] = [];
  let early: readonly string[] = [];
  const target = join(folder, "all");
  const file = of.type === "Folder" ? join(target, "a") : target;
  async function* read(): AsyncIterable<Uint8Array> {
    for (let part = 0; part < parts; part++) {
      yield Buffer.alloc(MIB);
      await clock.advance(pause);
      if (!existsSync(file)) early = [...written];
    }
    if (breaksOff) throw new Error("it broke off");
  }
  async function* entries(): AsyncIterable<Entry> {
    yield entry("File", "a", parts * MIB);
  }
  const call = {
    progress: new Screen({ ...output, write: (text) => written.push(String(text)) }, clock),
    clock,
    random: seededRandom(1),
    signal: new AbortController().signal,
  };
  const wanted = { id: "k1", path: of.name, entry: of, target, force: false };
  const outcome = await downloadShown(call, { read, entries }, wanted).catch((error: Error) => error.message);
  return { outcome, written, early };
}

test("on a terminal one file has a bar with rate and time left while it comes in", async () => {
  const { outcome, written, early } = await fetched({
    output: { isTTY: true, columns: 120 },
    of: entry("File", "a", 4 * MIB),
    parts: 4,
    pause: 1_000,
  });
  expect(outcome).toEqual({ files: 1, bytes: 4 * MIB, left: 0 });
  expect(early.filter((text) => text !== WIPE)).toEqual([
    expect.stringMatching(/^ {2}█{8}░{22} {2}25 % 1\.0 MiB of 4\.0 MiB$/),
    expect.stringMatching(/^ {2}█{15}░{15} {2}50 % 2\.0 MiB of 4\.0 MiB, 2\.0 MiB\/s, 1s left$/),
    expect.stringMatching(/^ {2}█{23}░{7} {2}75 % 3\.0 MiB of 4\.0 MiB, 1\.7 MiB\/s, \S+ left$/),
    expect.stringMatching(/^ {2}█{30} 100 % 4\.0 MiB of 4\.0 MiB, 1\.5 MiB\/s$/),
  ]);
  expect(written.at(-1)).toBe(WIPE);
});

test("elsewhere it is a plain line every half a minute", async () => {
  const { written } = await fetched({
    output: {},
    of: entry("File", "a", 70 * MIB),
    parts: 70,
    pause: 1_000,
  });
  expect(written).toEqual([
    expect.stringMatching(/^ {2}44 % 31\.0 MiB of 70\.0 MiB, 1\.0 MiB\/s, \d+s left\n$/),
    expect.stringMatching(/^ {2}87 % 61\.0 MiB of 70\.0 MiB, 1\.0 MiB\/s, \d+s left\n$/),
  ]);
});

test("of a folder the files are counted, and without its size there is no bar", async () => {
  const shown = async (size: number) => {
    const output = { isTTY: true, columns: 120 };
    const { written } = await fetched({ output, of: entry("Folder", "", size), parts: 2, pause: 1_000 });
    rmSync(join(folder, "all"), { recursive: true });
    return written.filter((text) => text !== WIPE);
  };
  expect(await shown(0)).toEqual([
    "  1.0 MiB in 0 files",
    "  2.0 MiB in 0 files, 2.0 MiB/s",
    "  2.0 MiB in 1 file, 1.4 MiB/s",
  ]);
  expect((await shown(4 * MIB))[0]).toMatch(/^ {2}█{8}░{22} {2}25 % 1\.0 MiB in 0 files of 4\.0 MiB$/);
});

test("many small parts write the line over only now and then", async () => {
  const of = entry("File", "a", 100 * MIB);
  const { written } = await fetched({ output: { isTTY: true, columns: 120 }, of, parts: 100, pause: 10 });
  expect(written.filter((text) => text !== WIPE)).toHaveLength(6);
});

test("what goes wrong is not written behind the bar", async () => {
  const output = { isTTY: true, columns: 120 };
  const of = entry("File", "a", MIB);
  const { outcome, written } = await fetched({ output, of, parts: 1, pause: 0, breaksOff: true });
  expect(outcome).toBe("it broke off");
  expect(written.at(-1)).toBe(WIPE);
});

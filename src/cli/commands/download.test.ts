import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Entry } from "../../wire/entry.ts";
import { Given } from "../frame/given.ts";
import { Screen } from "../screen.ts";
import { backupOf } from "../testing/cli_samples.ts";
import { fetched } from "./download.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-download-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (type: Entry["type"], name: string, size: number): Entry => ({
  name,
  type,
  size,
  mode: 0o644,
  modifiedAt: "2026-01-01T00:00:00Z",
});

/** What is shown on the way, and said at the end, when a path of a snapshot of 2 KiB is fetched. */
async function downloaded(path: string) {
  const clock = new VirtualClock();
  const shown: string[] = [];
  const to = join(folder, "got");
  const call = {
    given: new Given(["good", path], { to }),
    progress: new Screen({ isTTY: true, columns: 120, write: (text) => shown.push(String(text)) }, clock),
    clock,
    random: seededRandom(1),
    signal: new AbortController().signal,
  };
  const client = {
    entry: async (_: string, name: string) => entry("File", name, 4096),
    async *entries() {
      yield entry("File", "a", 4096);
      yield entry("Symlink", "link", 1);
    },
    async *read() {
      yield Buffer.alloc(1024, "x");
    },
  };
  const backup = backupOf("data", "good", {});
  const [snapshot] = backup.status?.snapshots ?? [];
  if (!snapshot) throw new Error("there is a snapshot");
  return { lines: await fetched(call, client, { backup, snapshot }), shown, to };
}

test("of a file it shows how far it is, and says what came", async () => {
  const { lines, shown, to } = await downloaded("/a");
  expect(lines).toEqual([`1 file, 1.0 KiB, in ${to}`]);
  expect(shown[0]).toMatch(/ 25 % 1\.0 KiB of 4\.0 KiB$/);
  expect(readFileSync(to, "utf8")).toBe("x".repeat(1024));
});

test("all of a snapshot is as large as the snapshot, and what is left out is told", async () => {
  const { lines, shown, to } = await downloaded("/");
  expect(lines).toEqual([
    `1 file, 1.0 KiB, in ${to}`,
    "1 link or special file was left out: restore brings them back",
  ]);
  expect(shown[0]).toMatch(/ 50 % 1\.0 KiB in 0 files of 2\.0 KiB$/);
});

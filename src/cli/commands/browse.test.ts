import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Call } from "../frame/command.ts";
import { Screen } from "../screen.ts";
import { walk } from "./browse.ts";

/** What is printed for these lines; then the input ends. */
async function walked(lines: readonly string[]) {
  const [out, prompts, shown, left]: [string[], string[], string[], string[]] = [[], [], [], [...lines]];
  const clock = new VirtualClock();
  const client = {
    async *read() {
      yield Buffer.from("ab");
    },
    entry: async (_: string, path: string) => {
      if (path === "gone")
        throw new EngineError("PathMissing", "there is no gone", { remedy: "Look around." });
      return { type: path.endsWith("txt") ? "File" : "Folder", size: 4, modifiedAt: "2026-01-01T00:00:00Z" };
    },
  };
  const call = {
    out: (line: string) => out.push(line),
    signal: new AbortController().signal,
    progress: new Screen({ isTTY: true, columns: 80, write: (text) => shown.push(String(text)) }, clock),
    clock,
    random: seededRandom(1),
  };
  const ask = async (prompt: string) => {
    prompts.push(prompt);
    return left.shift();
  };
  await walk(call as unknown as Call, ask, { client: client as never, id: "k1", name: "monday" });
  return { out: out.slice(1), prompts, shown, left };
}

test("Ctrl-D ends it as exit does", async () => {
  expect(await walked([])).toMatchObject({ out: [], prompts: ["monday:/> "] });
  expect(await walked(["exit", "cd a"])).toMatchObject({ out: [], left: ["cd a"] });
});

test("it goes into folders, and a mistake does not end it", async () => {
  expect(await walked(["cd a/b", "cd x.txt", "cd /gone", "cd .."])).toMatchObject({
    out: ["/a/b/x.txt is no folder", "there is no gone", "  fix: Look around."],
    prompts: ["monday:/> ", "monday:/a/b> ", "monday:/a/b> ", "monday:/a/b> ", "monday:/a> "],
  });
});

test("options and unknown commands are told, and nothing is asked for", async () => {
  const { out } = await walked(["ls -l", "rm x.txt", "help"]);
  expect(out).toEqual([
    "There are no options such as -l here: ls shows all that is known. A name that begins with - is ./-l.",
    expect.stringMatching(/^There is no command rm here\. ls \[path\], /),
    expect.stringMatching(/^ls \[path\], /),
  ]);
});

test("it shows how far a file is that is fetched", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-browse-"));
  try {
    const to = join(folder, "got");
    const { out, shown } = await walked([`get x.txt ${to}`]);
    expect(out).toEqual([`1 file, 2 B, in ${to}`]);
    expect(shown).toEqual([expect.stringMatching(/^ {2}█+░+ {2}50 % 2 B of 4 B$/), "\r\u001b[2K"]);
    expect(readFileSync(to, "utf8")).toBe("ab");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { expect, test } from "vitest";
import { EngineError } from "../../wire/engine_error.ts";
import type { Call } from "../frame/command.ts";
import { walk } from "./browse.ts";

/** What is printed for these lines; then the input ends. */
async function walked(lines: readonly string[]) {
  const [out, prompts, left]: [string[], string[], string[]] = [[], [], [...lines]];
  const client = {
    entry: async (_: string, path: string) => {
      if (path === "gone")
        throw new EngineError("PathMissing", "there is no gone", { remedy: "Look around." });
      return { type: path.endsWith("txt") ? "File" : "Folder" };
    },
  };
  const call = { out: (line: string) => out.push(line), signal: new AbortController().signal };
  const ask = async (prompt: string) => {
    prompts.push(prompt);
    return left.shift();
  };
  await walk(call as unknown as Call, ask, { client: client as never, id: "k1", name: "monday" });
  return { out: out.slice(1), prompts, left };
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

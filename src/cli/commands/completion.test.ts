import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { Given } from "../frame/given.ts";
import { completion, continuations } from "./completion.ts";

async function script(shell: string): Promise<string> {
  const lines: string[] = [];
  await completion({ given: new Given([shell], {}), out: (line) => lines.push(line) }, COMMANDS);
  return lines.join("\n");
}

test("what may follow comes from the table of commands", () => {
  const all = continuations(COMMANDS);
  expect(all.get("")).toEqual([...new Set(COMMANDS.map(({ name }) => name.split(" ")[0]))]);
  expect(all.get("maintenance")).toEqual(["run"]);
  expect(all.get("maintenance run")).toEqual(expect.arrayContaining(["--mode", "--namespace", "-n"]));
  expect(all.get("list")).toEqual(expect.arrayContaining(["schedules", "--config"]));
});

describe("in bash", () => {
  const offered = async (...words: string[]) => {
    const quoted = ["holdfast", ...words].map((word) => `'${word}'`).join(" ");
    const program = `${await script("bash")}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _holdfast; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", program], { encoding: "utf8" }).trim();
  };

  test.each<[words: string[], offer: string]>([
    [["sta"], "status"],
    [["backup", ""], "now"],
    [["maintenance", "run", "repository", "--mo"], "--mode"],
    [["-n", "home", "verify", "--no"], "--no-wait"],
    [["list", "sch"], "schedules"],
    [["completion", "f"], "fish"],
  ])("%j is completed", async (words, offer) => {
    expect(await offered(...words)).toBe(offer);
  });
});

test.each(["zsh", "fish"])("the script for %s names every command", async (shell) => {
  const text = await script(shell);
  for (const { name } of COMMANDS) expect(text).toContain(name.split(" ").at(-1));
  expect(text).toContain("holdfast");
});

import { fencedBlocks, inlineCode } from "./fenced_blocks.ts";
import { type ShellCommand, shellCommands } from "./shell_commands.ts";

/** Programs whose name begins a command also where it stands in a sentence. */
const PROGRAMS = /^(holdfast|kubectl|helm|npm) \S/;

/** Every command that a page tells to run: in blocks of `sh` and `console`, and in its sentences. */
export function pageCommands(page: string): readonly ShellCommand[] {
  const blocks = fencedBlocks(page).flatMap(({ language, text }) => {
    if (language === "sh") return shellCommands(text);
    return language === "console" ? typed(text).flatMap(shellCommands) : [];
  });
  const inSentences = inlineCode(page)
    .filter((code) => PROGRAMS.test(code))
    .map((code) => code.replaceAll(/<(\w+)>/g, "$1").replaceAll(/(?<=\S)(\|\w+)+/g, ""))
    .flatMap(shellCommands);
  return [...blocks, ...inSentences];
}

/** What somebody typed, in a block that also shows what was printed. */
export function typed(block: string): readonly string[] {
  return [...block.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, line = ""]) => line);
}

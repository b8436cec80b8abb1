import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { fencedBlocks } from "../unit/docs/fenced_blocks.ts";

/** A command of a page, what the page says that it prints, and what it printed. */
export interface PageCommand {
  readonly line: string;
  readonly says: string;
  readonly printed: string;
  readonly code: number;
  readonly aside: string;
}

const SAYS_CODE = String.raw`printf '\x1e%s\x1e' $code`;
/** A command, and what follows it until the next. */
const COMMAND = /^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm;

/** What somebody has who follows a page. */
export interface PageGround {
  /** Where `npm start` keeps its state. */
  readonly state: string;
  /** The bundled command line. */
  readonly holdfast: string;
}

/**
 * Runs the `console` blocks of a page in their order, in one shell, as somebody would who follows it: in the project's
 * folder, with kubectl and holdfast on the PATH. Ends at the first failure.
 */
export async function runPage(
  page: string,
  { state, holdfast }: PageGround,
): Promise<readonly PageCommand[]> {
  const blocks = fencedBlocks(readFileSync(page, "utf8")).filter(({ language }) => language === "console");
  const commands = blocks.flatMap(({ text }) =>
    [...text.matchAll(COMMAND)].map(([, line = "", says = ""]) => ({ line, says })),
  );
  const home = mkdtempSync(join(tmpdir(), "holdfast-page-"));
  try {
    mkdirSync(join(home, ".local/share"), { recursive: true });
    symlinkSync(state, join(home, ".local/share/holdfast"));
    const env = { PATH: `${programs(home, holdfast)}:${process.env.PATH}`, HOME: home, NO_COLOR: "1" };
    const done: PageCommand[] = [];
    // Between two commands the shell says how the last one ended, on both outputs: its own, which may be sockets.
    const mark = `code=$?; ${SAYS_CODE}; ${SAYS_CODE} >&2; [ $code = 0 ] || exit`;
    const script = commands.map(({ line }) => `${line}\n${mark}`).join("\n");
    const { stdout, stderr } = await shell(script, env);
    const printed = stdout.split("\x1e");
    const aside = stderr.split("\x1e");
    for (const [at, { line, says }] of commands.entries()) {
      const code = Number(printed[2 * at + 1] ?? -1);
      done.push({ line, says, printed: printed[2 * at] ?? "", code, aside: aside[2 * at] ?? "" });
      if (code !== 0) break;
    }
    return done;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A folder with the programs that a page may name. */
function programs(home: string, bundle: string): string {
  const folder = join(home, "bin");
  mkdirSync(folder);
  symlinkSync(pinnedProgram("kubectl"), join(folder, "kubectl"));
  const holdfast = join(folder, "holdfast");
  writeFileSync(holdfast, `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
  chmodSync(holdfast, 0o755);
  return folder;
}

/** What a script prints, however it ends. */
function shell(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile("bash", ["-c", script], { env, timeout: 240_000 }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

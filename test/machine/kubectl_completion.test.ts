import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { fencedBlocks } from "../unit/docs/fenced_blocks.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-completion-"));
  mkdirSync(join(home, "bin"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

test("the script of the guide lets kubectl complete our commands", () => {
  const bin = join(home, "bin");
  symlinkSync(pinnedProgram("kubectl"), join(bin, "kubectl"));
  const main = join(process.cwd(), "src/main/holdfast.ts");
  for (const name of ["holdfast", "kubectl-holdfast"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const [block] = fencedBlocks(readFileSync("docs/guides/cli.md", "utf8")).filter(({ text }) =>
    text.includes("kubectl_complete-holdfast"),
  );
  const script = `${block?.text}\nkubectl __complete holdfast re`;
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
  const printed = execFileSync("sh", ["-ec", script], { env, encoding: "utf8", stdio: "pipe" });
  expect(printed.split("\n").map((line) => line.split("\t")[0])).toEqual(
    expect.arrayContaining(["restore", "resume"]),
  );
});

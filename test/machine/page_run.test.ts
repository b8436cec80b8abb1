import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runPage } from "./page_run.ts";

test("a page is followed to its first failure, and not beyond", async () => {
  const folder = mkdtempSync(join(tmpdir(), "page-run-"));
  try {
    const beyond = join(folder, "beyond");
    const holdfast = join(folder, "holdfast.mjs");
    writeFileSync(holdfast, 'console.error("aside"); process.exit(3);\n');
    const commands = ["$ echo one; echo other >&2", "one", "$ holdfast", `$ touch ${beyond}`];
    const page = join(folder, "page.md");
    writeFileSync(page, ["```console", ...commands, "```", ""].join("\n"));
    expect(await runPage(page, { state: folder, holdfast })).toEqual([
      { line: "echo one; echo other >&2", says: "one\n", printed: "one\n", code: 0, aside: "other\n" },
      { line: "holdfast", says: "", printed: "", code: 3, aside: "aside\n" },
    ]);
    expect(existsSync(beyond)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

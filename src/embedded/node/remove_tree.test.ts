import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemProcesses } from "../../lib/processes.ts";
import { removeTree } from "./remove_tree.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "remove-tree-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a folder goes with all that is in it, and one that is gone already is no failure", async () => {
  const tree = join(folder, "-odd name");
  mkdirSync(join(tree, "a", "b"), { recursive: true });
  writeFileSync(join(tree, "a", "file"), "");
  await removeTree(systemProcesses, tree);
  expect(existsSync(tree)).toBe(false);
  expect(existsSync(folder)).toBe(true);
  await removeTree(systemProcesses, tree);
});

test("nothing of it is done by this program, which would stand still meanwhile", async () => {
  const asked: unknown[] = [];
  const processes = {
    run: async (...command: unknown[]) => {
      asked.push(command);
      return { code: 0, signal: null, stdout: Buffer.of(), stderr: "" };
    },
  };
  await removeTree(processes, folder);
  expect(asked).toEqual([["rm", ["-rf", "--", folder]]]);
  expect(existsSync(folder)).toBe(true);
});

test("what cannot be removed is a failure with its reason", async () => {
  const processes = {
    run: async () => ({ code: 1, signal: null, stdout: Buffer.of(), stderr: "rm: Permission denied\n" }),
  };
  await expect(removeTree(processes, folder)).rejects.toThrow(
    `${folder} could not be removed: rm: Permission denied`,
  );
});

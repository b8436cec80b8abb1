import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hiddenFrom, makeDoneFile } from "./done_file.ts";

let target: string;
beforeEach(async () => {
  target = await mkdtemp(join(tmpdir(), "done-"));
});
afterEach(() => rm(target, { recursive: true }));

test("makeDoneFile() makes an empty file that everybody may see, and removes older ones", async () => {
  await mkdir(join(target, ".marks"), { mode: 0o700 });
  await writeFile(join(target, ".marks/old"), "");
  await makeDoneFile(target, ".marks/new");
  expect(await readdir(join(target, ".marks"))).toEqual(["new"]);
  expect(await readFile(join(target, ".marks/new"), "utf8")).toBe("");
  expect((await stat(join(target, ".marks"))).mode & 0o777).toBe(0o755);
  expect((await stat(join(target, ".marks/new"))).mode & 0o777).toBe(0o644);
});

test("makeDoneFile() follows no link out of the target", async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), "elsewhere-"));
  await symlink(elsewhere, join(target, ".marks"));
  await makeDoneFile(target, ".marks/new");
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(join(target, ".marks"))).toEqual(["new"]);
  await rm(elsewhere, { recursive: true });
});

test("makeDoneFile() says what it could not make", async () => {
  await writeFile(join(target, "file"), "");
  await expect(makeDoneFile(join(target, "file"), ".marks/new")).rejects.toThrow(
    /^restoring: .* cannot be made: /,
  );
});

test.each([
  [0o755, undefined],
  [0o711, undefined],
  [
    0o700,
    /^the root of the volume has the mode 0700 and belongs to user \d+: an init container of another user/,
  ],
  [0o770, /0770/],
])("hiddenFrom() knows whether others may look into a folder of mode %o", async (mode, expected) => {
  await chmod(target, mode);
  const said = await hiddenFrom(target);
  if (expected === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(expected);
});

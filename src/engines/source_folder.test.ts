import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SourceFolder } from "./source_folder.ts";

let folder: string;
let source: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  source = join(folder, "source");
  await mkdir(source);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a folder is the same whatever happens in it", async () => {
  const looked = await SourceFolder.look(source, "backing up");
  await writeFile(join(source, "new"), "");
  await chmod(source, 0o700);
  expect(await looked.lost()).toBeUndefined();
});

test("a folder that is gone, or that another has taken the place of, is lost", async () => {
  const looked = await SourceFolder.look(source, "backing up");
  await rename(source, join(folder, "elsewhere"));
  const error = { class: "Interrupted", message: expect.stringContaining("removed or unmounted") };
  expect(await looked.lost()).toMatchObject(error);
  await mkdir(source);
  expect(await looked.lost()).toMatchObject(error);
});

test("what is not there, or no folder, is no source", async () => {
  await expect(SourceFolder.look(join(folder, "none"), "backing up")).rejects.toMatchObject({
    class: "SourceMissing",
    message: expect.stringMatching(/^backing up: .*no such file/),
  });
  await writeFile(join(folder, "file"), "");
  await expect(SourceFolder.look(join(folder, "file"), "backing up")).rejects.toMatchObject({
    class: "SourceMissing",
    message: expect.stringContaining("is not a folder"),
  });
});

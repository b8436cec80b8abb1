import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { removeLeftovers } from "./leftovers.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  await mkdir(join(folder, "p01/abc"), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (path: string, text = "some") => writeFile(join(folder, path), text);

test("what was begun and never finished goes; blobs, and what is still being written, stay", async () => {
  for (const path of ["p01/abc/def.f", "p01/abc/old.f.tmp.0a1b", "p01/abc/new.f.tmp.77", "a.tmp.file"])
    await put(path);
  const clock = new VirtualClock();
  const removing = removeLeftovers(folder, clock);
  await expect.poll(() => clock.pendingTimers).toBe(1);
  await put("p01/abc/new.f.tmp.77", "some more");
  await put("p01/abc/late.f.tmp.99");
  await clock.advance(5000);
  expect(await removing).toBe(1);
  expect((await readdir(join(folder, "p01/abc"))).toSorted()).toEqual([
    "def.f",
    "late.f.tmp.99",
    "new.f.tmp.77",
  ]);
  expect(await readdir(folder)).toContain("a.tmp.file");
});

test("a folder without any, or that is not there, is left alone at once", async () => {
  await put("p01/abc/def.f");
  expect(await removeLeftovers(folder, new VirtualClock())).toBe(0);
  expect(await removeLeftovers(join(folder, "none"), new VirtualClock())).toBe(0);
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundle } from "./bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["embedded", "operator", "mover"])(
  "the bundle of %s has no letter that makes Node keep all of it with two bytes for each",
  async (program) => {
    const { path } = await bundle(`src/main/${program}.ts`, folder, program);
    const wide = readFileSync(path, "utf8").match(/.{0,40}[^\0-\u00ff].{0,40}/g) ?? [];
    expect(wide, "write them as \\uXXXX").toEqual([]);
  },
);

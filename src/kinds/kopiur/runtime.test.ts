import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../..");
const importsIn = (file: string) =>
  [...readFileSync(join(src, file), "utf8").matchAll(/^(?:import|export) [^;]*?from "([^"]+)";/gm)].map(
    ([, from = ""]) => from,
  );

/** Files that are read when files are generated, or by tests. */
const isBuildTime = (file: string) =>
  /\/(definitions|testing)\//.test(file) || file.endsWith(".test.ts") || !file.endsWith(".ts");

test("what programs load of the kinds imports no package, and no definition", () => {
  const files = globSync("kinds/kopiur/**/*.ts", { cwd: src }).filter((file) => !isBuildTime(file));
  expect(files.length).toBeGreaterThan(10);
  const wrong = files.flatMap((file) =>
    importsIn(file)
      .filter((from) => !from.startsWith(".") || from.includes("definitions/"))
      .map((from) => `${file}: ${from}`),
  );
  expect(wrong).toEqual([]);
});

test("no file of a program imports the definition of a kind", () => {
  const files = globSync("**/*.ts", { cwd: src }).filter((file) => !isBuildTime(file));
  expect(files.length).toBeGreaterThan(50);
  const wrong = files.filter((file) =>
    importsIn(file).some((from) => /kinds\/\w+\/definitions\//.test(join(file, "..", from))),
  );
  expect(wrong).toEqual([]);
});

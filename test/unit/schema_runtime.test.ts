import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** The modules that a file loads when it runs, its own and all below. */
async function loaded(file: string, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = await readFile(file, "utf8");
  for (const [, types, from = ""] of text.matchAll(/^(?:import|export) (type )?[^;]*?from "([^"]+)";/gm)) {
    if (types) continue;
    if (from.startsWith(".")) await loaded(join(dirname(file), from), seen);
    else seen.add(from);
  }
  return seen;
}

test("a program that validates loads neither zod nor a CEL evaluator", async () => {
  const modules = await loaded(join(import.meta.dirname, "../../src/kube/schema/admit.ts"));
  expect(modules.size).toBeGreaterThan(8);
  expect([...modules].filter((name) => !name.startsWith("/"))).toEqual([]);
});

test("generated files load nothing at all", async () => {
  const file = join(import.meta.dirname, "schema_sample/generated/sample.ts");
  expect([...(await loaded(file))]).toEqual([file]);
});

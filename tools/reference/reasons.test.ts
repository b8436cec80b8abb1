import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APIS } from "../../src/main/apis.ts";
import { ERROR_CLASSES } from "../../src/wire/error_classes.ts";
import { REASONS_EXPLAINED } from "./reasons.ts";

const src = join(import.meta.dirname, "../../src");

/** A reason as a field, or as the first argument of a function that makes a problem of it. */
const WRITTEN = /\breason: "([A-Z]\w+)"|\b(?:refused|blocked|waits|failed)\(\s*"([A-Z]\w+)"/g;
/** Reasons of the API server's own answers to a request: Kubernetes documents them. */
const OF_KUBERNETES = new Set(["FieldValueForbidden", "FieldValueRequired"]);

const sources: string[] = [];
const rooms = ["core", "kube", ...APIS.map(({ name }) => `apis/${name}`)];
for await (const file of glob(`{${rooms.join()}}/**/*.ts`, { cwd: src })) {
  if (file.endsWith(".test.ts") || file.includes("testing/") || file.includes("generated/")) continue;
  sources.push(await readFile(join(src, file), "utf8"));
}

test("every reason that the code writes is explained", () => {
  const written = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(WRITTEN)].map(([, field, argument]) => field ?? argument ?? ""),
    ),
  );
  expect(written.size).toBeGreaterThan(100);
  const known = (reason: string) =>
    reason in REASONS_EXPLAINED || reason in ERROR_CLASSES || OF_KUBERNETES.has(reason);
  expect([...written].filter((reason) => !known(reason))).toEqual([]);
});

test("every explained reason stands in the code, and the list is sorted", () => {
  const all = sources.join("\n");
  const reasons = Object.keys(REASONS_EXPLAINED);
  expect(reasons.filter((reason) => !all.includes(`"${reason}"`))).toEqual([]);
  expect(reasons).toEqual(reasons.toSorted());
});

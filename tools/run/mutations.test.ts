import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../launch/folders.mjs";
import { MUTATIONS, mutated } from "./mutations.ts";

test.each(MUTATIONS)("there is a decision to change, so that $name", (mutation) => {
  const text = readFileSync(join(projectFolder, mutation.file), "utf8");
  expect(mutated(mutation, text)).not.toBe(text);
});

test("each has a name of its own", () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

test("a text that is not there once is refused", () => {
  const mutation = { name: "n", file: "f.ts", replace: "a", by: "b" };
  expect(mutated(mutation, "xay")).toBe("xby");
  expect(() => mutated(mutation, "aa")).toThrow('f.ts has "a" 2 times');
  expect(() => mutated(mutation, "x")).toThrow('f.ts has "a" 0 times');
});

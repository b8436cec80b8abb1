// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources to read are strings here
import { describe, expect, test } from "vitest";
import { importsOf, UnreadableImports } from "./imports.ts";

const found = (source: string) =>
  importsOf(source).map(({ specifier, typeOnly }) => (typeOnly ? `type ${specifier}` : specifier));

describe("importsOf()", () => {
  test.each<[source: string, imports: readonly string[]]>([
    ['import "a";', ["a"]],
    ["import 'a'", ["a"]],
    ['import a from "a";', ["a"]],
    ['import * as a from "a";', ["a"]],
    ['import { a, type b as c } from "a";', ["a"]],
    ['import {\n  a,\n  b,\n} from\n  "a";', ["a"]],
    ['import a, { b } from "a";', ["a"]],
    ['import { "odd name" as a } from "a";', ["a"]],
    ['import type { A } from "a";', ["type a"]],
    ['import type * as A from "a";', ["type a"]],
    ['import type from "a";', ["a"]],
    ['import { from } from "a";', ["a"]],
    ['import a from "a.json" with { type: "json" };', ["a.json"]],
    ['export * from "a";', ["a"]],
    ['export * as a from "a";', ["a"]],
    ['export { a } from "a";', ["a"]],
    ['export type { A } from "a";', ["type a"]],
    ['const a = await import("a");', ["a"]],
    ["const a = await import(`a`);", ["a"]],
    ['import("a", { with: { type: "json" } });', ["a"]],
    ['type A = import("a").A;', ["a"]],
    ['const a = require("a");', ["a"]],
    ['import a from "a"; export { b } from "b"; import("c");', ["a", "b", "c"]],
  ])("reads %s", (source, imports) => {
    expect(found(source)).toEqual(imports);
  });

  test.each([
    '// import a from "a";',
    '/* import a from "a"; */',
    '/**\n * import a from "a";\n */',
    `const text = 'import a from "a"';`,
    "const text = `import a from \"a\"; ${1} import('a')`;",
    String.raw`const text = "\" import a from 'a'";`,
    'const pattern = /import a from "a"/;',
    'import.meta.resolve("a");',
    'export const from = "a";',
    'export const a = 1; Array.from("a");',
    'export function from() {}\n("a");',
    'export default { from: "a" };',
    'object.import("a"); object.require("a");',
  ])("finds none in %s", (source) => {
    expect(found(source)).toEqual([]);
  });

  test.each([
    "const a = /[\"'`]/;",
    "const a = /[/'`]/g;",
    "const a = b / c; // it's",
    "const a = (b) / c / 'd';",
    "const a = `${`${b}'`}'${{ c: `'` }.c}`;",
    "const a = text.replace(/\\/'/g, '');",
    "const url = 'http://x';",
    "#!/usr/bin/env don't",
    "const a = 1 / 2, b = '/';",
    "if (a) return /'/;",
    "/**/",
    "const a = '\\\\';",
    "class A { #b = 1; }",
  ])("goes on after %s", (source) => {
    expect(found(`${source}\nimport "after";`)).toEqual(["after"]);
  });

  test("reads an import inside a template's expression", () => {
    expect(found('const a = `${await import("a")} import("b")`;')).toEqual(["a"]);
  });

  test.each(["import(path);", 'import("./" + name);', "import(`./${name}`);", "require(name);"])(
    "does not pretend to know %s",
    (source) => {
      expect(() => importsOf(source)).toThrow(UnreadableImports);
    },
  );

  test("does not pretend to have read a file that it lost its way in", () => {
    expect(() => importsOf('const a = "never closed\nimport "b";')).toThrow(UnreadableImports);
  });
});

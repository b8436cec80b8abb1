import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "./folders.mjs";
import { chosen, PARTS } from "./matrix.mjs";

test("without arguments all is chosen", () => {
  expect(chosen([])).toEqual({ parts: PARTS, args: [] });
});

test.each([...PARTS])("the part %s is chosen by its name, with what is said of it", (part) => {
  const rest = ["test/cluster/write.test.ts", "-t", "x"];
  expect(chosen([part, ...rest])).toEqual({ parts: [part], args: rest });
});

test.each([
  ["src/lib/lines.test.ts", "unit machine engines"],
  ["tools/launch/matrix.test.ts", "unit"],
  ["test/unit/docs", "unit machine"],
  ["test/machine/cli.test.ts", "machine"],
  ["test/engines/retention.test.ts", "engines"],
  ["test/versions/operator.test.ts", "versions"],
  ["test/cluster/write.test.ts", "cluster"],
])("%s is of %s", (file, parts) => {
  expect(existsSync(join(projectFolder, file))).toBe(true);
  expect(chosen([file, "-t", "some"])).toEqual({ parts: parts.split(" "), args: [file, "-t", "some"] });
});

test("files of several parts are all run, in the matrix's order", () => {
  expect(chosen(["test/cluster/cli.test.ts", "test/machine/cli.test.ts"]).parts).toEqual([
    "machine",
    "cluster",
  ]);
});

test.each([[["cli"]], [["-t", "some"]], [["test"]], [["tools/x", "cli"]]])(
  "%j may be anywhere but with other versions",
  (args: string[]) => {
    expect(chosen(args).parts).toEqual(["unit", "machine", "engines", "cluster"]);
  },
);

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENGINE_PROGRAMS } from "../../src/mover/engine_maker.ts";
import { commands, forTestsAlone } from "../launch/commands.mjs";
import { readPinnedPrograms } from "../launch/pinned_programs.mjs";
import { IMAGES, type ImageName, programsOf } from "./images.ts";
import { INSTEAD } from "./test_engines.ts";

const needed = (command: string, ...args: string[]) => commands[command]?.needs?.(args).programs ?? [];

test("an image that is shipped holds the pinned programs of the names that they have there", () => {
  for (const name of Object.keys(IMAGES) as ImageName[])
    expect(programsOf(name)).toEqual(IMAGES[name].programs.map((program) => [program, program]));
});

test("tests have cheap keys in the place of both engines, and nothing instead of what handles data beside them", () => {
  const mover = Object.keys(ENGINE_PROGRAMS);
  expect(Object.keys(INSTEAD.cheap).toSorted()).toEqual(["kopia", "rclone", "restic"]);
  expect(mover).toEqual(expect.arrayContaining(Object.keys(INSTEAD.cheap)));
  expect(Object.fromEntries(programsOf("mover", INSTEAD.cheap))).toMatchObject({
    kopia: "kopia-cheap-keys",
    restic: "restic-cheap-keys",
    "holdfast-fidelity": "holdfast-fidelity",
  });
  expect(Object.values(INSTEAD.shipped).filter((name) => forTestsAlone.includes(name))).toEqual([]);
});

test.each([
  ["test"],
  ["test:cluster"],
  ...["machine", "versions", "cluster", "helm"].map((part) => ["test:long", part]),
])("%s %s brings the engines of tests", (command, ...args) => {
  expect(needed(command, ...args)).toEqual(expect.arrayContaining(Object.values(INSTEAD.cheap)));
});

test.each(["start", "bench", "images", "build", "cluster", "holdfast"])(
  "%s has no engine with cheap keys",
  (command) => {
    expect(needed(command, "up").filter((name) => forTestsAlone.includes(name))).toEqual([]);
  },
);

test("engines with cheap keys are of the version that is shipped, never downloaded, never taken from PATH", async () => {
  const pinned = await readPinnedPrograms("tools/programs", "linux-x64");
  for (const [name, engine] of [
    ["kopia-cheap-keys", "kopia"],
    ["restic-cheap-keys", "restic"],
  ] as const) {
    const program = pinned.get(name);
    expect(program?.version).toBe(pinned.get(engine)?.version);
    expect(program?.package).toBe(pinned.get(engine)?.package);
    expect(program?.release).toBeUndefined();
    expect(program?.versionArgs).toBeUndefined();
  }
  expect(pinned.get("kopia-cheap-keys")?.tags).toBe("testing");
  expect(pinned.get("kopia")?.tags).toBeUndefined();
});

test("the restic of tests is made of the versions of the one that is shipped, but for what its keys cost", () => {
  const required = (module: string) =>
    readFileSync(`tools/programs/${module}/go.mod`, "utf8").match(/^\t?(?:require )?\S+\.\S+ v\S+.*$/gm);
  expect(required("restic")?.length).toBeGreaterThan(50);
  expect(required("restic-cheap-keys")).toEqual(required("restic"));
});

test("nothing that is shipped or measured names an engine with cheap keys", () => {
  const files = globSync([
    "src/**/*.ts",
    "bench/**/*.ts",
    "images/*",
    "charts/**/*.{yaml,tpl}",
    "tools/run/{start,images,bench,build}.ts",
  ]);
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => /cheap-keys|INSTEAD\.cheap/.test(readFileSync(file, "utf8")))).toEqual([]);
});

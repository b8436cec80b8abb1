import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { IgnoreRules } from "../../wire/work.ts";
import { FidelityProgram, wholeRecordOf } from "./fidelity_program.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  await writeFile(join(folder, "a"), "content");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function textOf(record: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of record) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("a record is whole, however late it is read", async () => {
  const { "holdfast-fidelity": helper = "" } = kopia.programs();
  const program = new FidelityProgram(helper, systemStreamedProcesses);
  const { record, survey } = await program.scan(folder);
  await Promise.race([survey, new Promise((wake) => setTimeout(wake, 500))]);
  expect(await textOf(record)).toMatch(/^\{"holdfast":1\}\n.*\{"end":true\}\n$/s);
  expect(await survey).toMatchObject({ files: 1, folders: 1 });
});

test("a record of which a part was lost is an error, and never taken for the whole", async () => {
  const program = new FidelityProgram("helper", {
    start: async () => ({
      stdout: chunks('{"holdfast":1}\n'),
      stderr: chunks(`${JSON.stringify({ files: 1, digest: "of something longer" })}\n`),
      ended: Promise.resolve({ code: 0, signal: null }),
      kill: () => {},
    }),
  });
  const { record } = await program.scan(folder);
  await expect(textOf(record)).rejects.toThrow("a part of the record was lost");
});

describe("of what the engine leaves out nothing is recorded", () => {
  const pipes = ["a", "b", "sub/a", "sub/deep/a", "sub/deep/ab", "cache/c"];
  let source: string;
  let program: FidelityProgram;

  beforeAll(async () => {
    program = new FidelityProgram(kopia.programs()["holdfast-fidelity"] ?? "", systemStreamedProcesses);
    source = join(folder, "source");
    await mkdir(join(source, "sub/deep"), { recursive: true });
    await mkdir(join(source, "cache"));
    execFileSync(
      "mkfifo",
      pipes.map((path) => join(source, path)),
    );
    await writeFile(join(source, "sub/.rules"), "# all but one\n\n!deep/a\n/deep/ab\n");
    await writeFile(
      join(source, "cache/CACHEDIR.TAG"),
      "Signature: 8a477f597d28d172789f06886806bc55\nby a test\n",
    );
  });

  test.each<[IgnoreRules, readonly string[]]>([
    [{}, pipes],
    [{ paths: ["a"] }, ["b", "sub/deep/ab", "cache/c"]],
    [{ paths: ["/a"] }, pipes.filter((path) => path !== "a")],
    [{ paths: ["sub/*"] }, ["a", "b", "cache/c"]],
    [{ paths: ["/sub/"] }, ["a", "b", "cache/c"]],
    [{ paths: ["a/"] }, pipes],
    [{ paths: ["**/deep/*"] }, ["a", "b", "sub/a", "cache/c"]],
    [{ paths: ["a*", "!a"] }, ["a", "b", "sub/a", "sub/deep/a", "cache/c"]],
    [{ paths: ["[!b-z]"] }, ["b", "sub/deep/ab", "cache/c"]],
    [{ paths: ["?b", "\\b"] }, ["a", "sub/a", "sub/deep/a", "cache/c"]],
    [{ paths: ["a"], files: [".rules"] }, ["b", "sub/deep/a", "cache/c"]],
    [{ cacheDirs: true }, pipes.filter((path) => path !== "cache/c")],
    // Rather too much than too little.
    [{ paths: ["a", "[[:alpha:]]"] }, pipes],
  ])("by %j", async (ignore, left) => {
    const { record, survey } = await program.scan(source, { ignore });
    const entries = (await textOf(record)).split("\n").filter((line) => line.includes('"k":"p"'));
    expect(entries.map((line) => (JSON.parse(line) as { p: string }).p).toSorted()).toEqual(left.toSorted());
    expect((await survey).fifos.count).toBe(left.length);
  });

  test.each<[IgnoreRules, readonly string[]]>([
    [{ files: [".rules"] }, ["sub/deep/ab"]],
    [{ cacheDirs: true }, ["cache"]],
    [{ paths: ["a", "/cache"] }, []],
    // What a pattern excludes anyway is not the data's doing.
    [{ paths: ["a", "ab"], files: [".rules"], cacheDirs: true }, ["cache"]],
  ])("and what the data itself excludes is counted, by %j", async (ignore, excluded) => {
    const { record, survey } = await program.scan(source, { ignore });
    await textOf(record);
    const { examples, count } = (await survey).excluded;
    expect(examples.toSorted()).toEqual(excluded);
    expect(count).toBe(excluded.length);
  });
});

test("names that kopia keeps for itself are recorded, and hidden from it with what it takes them for", async () => {
  const { "holdfast-fidelity": helper = "" } = kopia.programs();
  const program = new FidelityProgram(helper, systemStreamedProcesses);
  const source = join(folder, "reserved");
  await mkdir(join(source, "sub/[a] \u00a0.kopia-entry"), { recursive: true });
  await mkdir(join(source, "left"));
  const names = ["x.kopia-entry", "x", "y", "sub/[a] \u00a0.kopia-entry/in"];
  for (const path of [...names, "left/z.kopia-entry", "left/.kopia-entry"])
    await writeFile(join(source, path), "content");
  const ignore = { paths: ["left", "*.kopia-entry"] };
  const { record, survey } = await program.scan(source, { ignore });
  const entries = (await textOf(record)).split("\n").filter((line) => line.includes('"n":true'));
  expect(entries.map((line) => (JSON.parse(line) as { p: string }).p)).toEqual(["x"]);
  expect(await survey).toMatchObject({
    names: { count: 0 },
    reserved: { count: 1, examples: ["x"] },
    rules: ["/x", "/sub/\\[a][ ][\u00a0]"],
  });
  const whole = await program.scan(source);
  for await (const _ of whole.record);
  expect((await whole.survey).rules).toEqual(["/x", "/left[/]", "/left/z", "/sub/\\[a][ ][\u00a0]"]);
});

test("a file of an odd name stays until the one that replaces it is complete", async () => {
  const { "holdfast-fidelity": helper = "" } = kopia.programs();
  const program = new FidelityProgram(helper, systemStreamedProcesses);
  const name = Buffer.from("caf\xe9", "latin1");
  const place = (of: string) => Buffer.concat([Buffer.from(`${folder}/${of}/`), name]);
  for (const of of ["odd", "target"]) await mkdir(join(folder, of));
  await writeFile(place("odd"), "restored");
  await writeFile(place("target"), "theirs");
  const record = Buffer.from(await textOf((await program.scan(join(folder, "odd"))).record));
  const apply = (bytes: Uint8Array) =>
    program.apply(join(folder, "target"), "", wholeRecordOf(bytes), { skipOwners: true, countOwners: false });
  await expect(apply(record.subarray(0, record.indexOf("restored") + 4))).rejects.toThrow("ends too early");
  expect(await readFile(place("target"), "utf8")).toBe("theirs");
  await apply(record);
  expect(await readFile(place("target"), "utf8")).toBe("restored");
  expect(await readdir(join(folder, "target"))).toHaveLength(1);
});

test.each([
  ["TargetFull", "write /t/a: no space left on device"],
  ["TargetFull", "write /t/a: disk quota exceeded"],
  ["TargetNotWritable", "chmod /t/a: operation not permitted"],
  ["TargetNotWritable", "open /t/a: permission denied"],
  ["TargetNotWritable", "unlink /t/a: read-only file system"],
  ["EngineFailed", "open /t/permission denied: input/output error"],
])("what fails in a target is %s: %s", async (errorClass, words) => {
  const program = new FidelityProgram("helper", {
    start: async () => ({
      stdout: chunks(),
      stderr: chunks(`${words}\n`),
      ended: Promise.resolve({ code: 1, signal: null }),
      kill: () => {},
    }),
  });
  await expect(program.settle(folder)).rejects.toMatchObject({
    class: errorClass,
    message: `handling attributes: ${words}`,
  });
});

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { Repository } from "../engine.ts";
import { failureOf, Ground, snapshotOf } from "../testing/ground.ts";
import { describeTree, treeDifferences } from "../testing/tree.ts";

const MARK = ".holdfast-unfinished";

let ground: Ground;
let repository: Repository;
let first: string;
let source: string;
let second: string;
/** What was run, by its first arguments. */
let commands: string[];
/** The next restore is killed when it has written everything. */
let killed = false;
/** The snapshot went between the look and its restore. */
let gone = false;
let number = 0;
let target: string;

beforeAll(async () => {
  ground = await Ground.make(restic, {
    processes: {
      async start(command, args, options) {
        commands.push(args[0] ?? "");
        const missing = gone && args.includes("restore");
        const asked = missing ? args.map((arg) => arg.replace(second, "7".repeat(64))) : args;
        const started = await systemStreamedProcesses.start(command, asked, options);
        if (!args.includes("restore") || !killed) return started;
        return { ...started, ended: started.ended.then(() => ({ code: null, signal: "SIGKILL" }) as const) };
      },
    },
  });
  commands = [];
  repository = await ground.repository();
  const before = await ground.tree("before", [
    { path: "only/first", file: { text: "gone since" } },
    { path: "linked", file: { text: "same" } },
    { path: "sub/a", hardLink: "linked" },
  ]);
  first = (await repository.snapshot(snapshotOf(before))).snapshot.id;
  source = await ground.tree("src", [
    { path: "linked", file: { text: "same" } },
    { path: "sub/a", file: { text: "same" } },
  ]);
  second = (await repository.snapshot(snapshotOf(source))).snapshot.id;
}, 60_000);
beforeEach(() => {
  commands = [];
  killed = false;
  gone = false;
  number += 1;
  target = ground.path(`target-${number}`);
});
afterAll(() => ground[Symbol.asyncDispose]());

const differences = async (folder = source) =>
  treeDifferences(await describeTree(folder), await describeTree(target));

async function broken(options: Parameters<Repository["restore"]>[0]): Promise<void> {
  killed = true;
  await failureOf(repository.restore(options));
  killed = false;
  expect(await readdir(target)).toContain(MARK);
}

describe("a restore by restic that was killed", { timeout: 60_000 }, () => {
  test("leaves nothing in the next attempt's, of another snapshot, where the target is theirs", async () => {
    await broken({ snapshot: first, target, own: "mine" });
    await repository.restore({ snapshot: second, target, own: "mine", existing: "Overwrite" });
    expect(await differences()).toEqual([]);
  });

  test.each(["sub", "sub/a"])("nor in one of %s alone", async (path) => {
    await broken({ snapshot: first, target, own: "mine" });
    await repository.restore({ snapshot: second, path, target, own: "mine", existing: "Overwrite" });
    expect(await readdir(target, { recursive: true })).toEqual(["sub", "sub/a"]);
  });

  test("leaves what another restore does not remove", async () => {
    await broken({ snapshot: first, target, own: "mine" });
    const another = { snapshot: second, target, own: "another's" };
    expect(await failureOf(repository.restore(another))).toMatchObject({ class: "TargetExists" });
    await repository.restore({ ...another, existing: "Overwrite" });
    expect(await readdir(target)).toEqual(["linked", "only", "sub"]);
  });

  test("over somebody's data does not make it the restore's own", async () => {
    await mkdir(target);
    await writeFile(`${target}/theirs`, "x");
    const options = { snapshot: second, target, own: "mine", existing: "Overwrite" } as const;
    await broken(options);
    await repository.restore(options);
    expect(await readdir(target)).toEqual(["linked", "sub", "theirs"]);
  });

  test("does not make the next one take a file for restored by its size and time", async () => {
    await mkdir(target);
    await writeFile(`${target}/theirs`, "x");
    const options = { snapshot: second, target, existing: "OverwriteChanged" } as const;
    await broken(options);
    await writeFile(`${target}/linked`, "lost");
    const { mtime } = await stat(`${source}/linked`);
    await utimes(`${target}/linked`, mtime, mtime);
    await repository.restore(options);
    expect(await readFile(`${target}/linked`, "utf8")).toBe("same");
  });

  test.each(["mine", undefined])("leaves nothing that is kept for somebody's data (own: %s)", async (own) => {
    await mkdir(target);
    await writeFile(`${target}/theirs`, "x");
    const options = { snapshot: second, target, existing: "Keep", ...(own ? { own } : {}) } as const;
    await broken(options);
    // As restic leaves a file that it has not filled yet.
    await writeFile(`${target}/linked`, "\0\0\0\0");
    expect(await failureOf(repository.restore(options))).toMatchObject({
      class: "TargetExists",
      message: expect.stringContaining("half-written"),
      remedy: expect.stringContaining("existingFiles: Overwrite"),
    });
    expect(await readdir(target)).toContain(MARK);
    await repository.restore({ ...options, existing: "Overwrite" });
    expect(await readFile(`${target}/linked`, "utf8")).toBe("same");
    expect(await readdir(target)).toEqual(["linked", "sub", "theirs"]);
  });
});

describe("a restore by restic", { timeout: 60_000 }, () => {
  test("that has ended is on the disk, without a mark", async () => {
    await repository.restore({ snapshot: second, target, deleteExtra: true, own: "mine" });
    expect(commands.at(-1)).toBe("settle");
    expect(await differences()).toEqual([]);
  });

  test("of what is not there leaves the target as it was", async () => {
    await mkdir(target);
    const missing = "7".repeat(64);
    const work = repository.restore({ snapshot: missing, target });
    expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
    expect(await readdir(target)).toEqual([]);
  });

  test("of what is not there leaves somebody's data without a mark", async () => {
    await mkdir(target);
    await writeFile(`${target}/theirs`, "x");
    const options = { target, existing: "Keep" } as const;
    const work = repository.restore({ ...options, snapshot: "7".repeat(64) });
    expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
    expect(await readdir(target)).toEqual(["theirs"]);
    await repository.restore({ ...options, snapshot: second });
    expect(await readdir(target)).toEqual(["linked", "sub", "theirs"]);
  });

  test("of what went since it was looked up leaves no mark where nothing was written", async () => {
    await mkdir(target);
    gone = true;
    const work = repository.restore({ snapshot: second, target });
    expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
    expect(await readdir(target)).toEqual([]);
  });

  test("of what went since it was looked up leaves the mark of an attempt that had written", async () => {
    killed = true;
    await failureOf(repository.restore({ snapshot: second, target, own: "mine" }));
    killed = false;
    gone = true;
    const work = repository.restore({ snapshot: second, target, own: "mine" });
    expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
    expect(await readdir(target)).toContain(MARK);
  });
});

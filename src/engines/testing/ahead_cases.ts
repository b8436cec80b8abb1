import { readdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { OpenOptions } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { stopped } from "./interference.ts";
import { describeTree, treeDifferences } from "./tree.ts";

/** Repositories that are looked at beside the first operation. */
export function aheadCases(under: EngineUnderTest): void {
  const onDisk = test.skipIf(under.place !== undefined);
  describe("looks at a repository beside the work", { timeout: 120_000 }, () => {
    const withSnapshot = async () => {
      /** What was run of the engine, without its options. */
      const runs: string[] = [];
      const programs = new Set(Object.values(under.programs()).filter((path) => !path.includes("fidelity")));
      const ground = await Ground.make(under, {
        processes: {
          start(command, args, options) {
            const words = args.filter((arg) => COMMANDS.has(arg));
            if (programs.has(command)) runs.push(words.slice(0, 2).join(" "));
            return systemStreamedProcesses.start(command, args, options);
          },
        },
      });
      const repository = await ground.repository();
      const source = await ground.tree("src", [
        { path: "", folder: {}, mode: 0o2750, uid: 7, gid: 8, mtime: 1_400_000_000_000_000_007n },
        { path: "a", file: { text: "content of a" }, mode: 0o640, uid: 5, gid: 6 },
        { path: "sub/b", file: { random: { bytes: 300_000, seed: 1 } } },
        { path: "sub/link", symlink: "b" },
      ]);
      const usual = (more = {}) =>
        snapshotOf(source, { fidelity: "Full", ignore: { paths: ["/lost+found"] }, ...more });
      const { snapshot } = await repository.snapshot(usual());
      const open = async (options: OpenOptions, password?: string) =>
        ground.keep(await ground.engine.open(ground.location("repository", password), options));
      runs.length = 0;
      return {
        ground,
        repository,
        source,
        snapshot,
        usual,
        open,
        runs,
        [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
      };
    };

    onDisk("and makes a snapshot of it with no more runs of the engine than it takes", async () => {
      await using world = await withSnapshot();
      const expectedId = await world.repository.id();
      const opened = await world.open({ ahead: "snapshot", expectedId });
      const { snapshot } = await opened.snapshot(world.usual());
      expect(world.runs.toSorted()).toEqual(
        under.name === "kopia" ? ["policy export", "snapshot create", "snapshot create"] : ["backup"],
      );
      expect(await opened.id()).toBe(expectedId);
      expect(await listed(opened)).toMatchObject([world.snapshot, snapshot]);
    });

    onDisk("and restores it with no more runs of the engine than it takes", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot, source } = world;
      const opened = await world.open({ ahead: "restore", expectedId: await world.repository.id() });
      const target = ground.path("out");
      const reference = { snapshot: snapshot.id, madeAs: snapshot.identity };
      const restored = await opened.restore({ ...reference, target, fence: { run: "r", ended: [] } });
      // restic's restore is under way before anything is looked up.
      expect(under.name === "kopia" ? world.runs.toSorted() : world.runs).toEqual(
        under.name === "kopia" ? ["restore", "show", "snapshot list"] : ["restore", "snapshots"],
      );
      expect(await opened.id()).toBe(await world.repository.id());
      expect(restored).toMatchObject({ snapshot, fidelity: "Full", losses: [] });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
    });

    onDisk.each(["another", "0".repeat(64)])(
      "and writes nothing to one that has taken the place of %s",
      async (expectedId) => {
        await using world = await withSnapshot();
        const stored = () => readdir(world.ground.path("repository"), { recursive: true });
        const before = await stored();
        const opened = await world.open({ ahead: "snapshot", expectedId });
        const work = opened.snapshot(world.usual());
        expect(await failureOf(work)).toMatchObject({ class: "RepositoryReplaced" });
        expect(await failureOf(opened.id())).toMatchObject({ class: "RepositoryReplaced" });
        expect(await failureOf(listed(opened))).toMatchObject({ class: "RepositoryReplaced" });
        expect(await listed(world.repository)).toMatchObject([world.snapshot]);
        expect(await world.repository.unlock({ all: true })).toBe(0);
        expect((await stored()).toSorted()).toEqual(before.toSorted());
      },
    );

    test("and restores nothing of one that has taken its place", async () => {
      await using world = await withSnapshot();
      const opened = await world.open({ ahead: "restore", expectedId: "another" });
      const { identity: madeAs } = world.snapshot;
      for (const part of [{}, { path: "sub" }]) {
        const target = world.ground.path("out");
        const work = opened.restore({ snapshot: "0".repeat(64), madeAs, target, ...part });
        expect(await failureOf(work)).toMatchObject({ class: "RepositoryReplaced" });
      }
    });

    test("and restores nothing of one that has taken its place and holds the snapshot that somebody named", async () => {
      await using world = await withSnapshot();
      const opened = await world.open({ ahead: "restore", expectedId: "another" });
      const target = world.ground.path("out");
      const work = opened.restore({ snapshot: world.snapshot.id, target });
      expect(await failureOf(work)).toMatchObject({ class: "RepositoryReplaced" });
      expect(await readdir(target).catch(() => [])).toEqual([]);
    });

    test("and restores a part of it without asking which repository holds it", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot } = world;
      const expectedId = await world.repository.id();
      const opened = await world.open({ ahead: "restore", expectedId });
      const target = ground.path("out");
      await opened.restore({ snapshot: snapshot.id, madeAs: snapshot.identity, target, path: "sub" });
      expect((await readdir(target)).toSorted()).toEqual(["b", "link"]);
      expect(await opened.id()).toBe(expectedId);
      expect(world.runs).not.toContain("cat config");
    });

    test("that a wrong password does not open", async () => {
      await using world = await withSnapshot();
      const { snapshot } = world;
      const snapshotting = (await world.open({ ahead: "snapshot" }, "not it")).snapshot(world.usual());
      expect(await failureOf(snapshotting)).toMatchObject({ class: "WrongPassword" });
      const restoring = (await world.open({ ahead: "restore" }, "not it")).restore({
        snapshot: snapshot.id,
        madeAs: snapshot.identity,
        target: world.ground.path("out"),
      });
      expect(await failureOf(restoring)).toMatchObject({ class: "WrongPassword" });
    });

    test("that is not there", async () => {
      await using ground = await Ground.make(under);
      const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
      const opened = ground.keep(await ground.engine.open(ground.location(), { ahead: "snapshot" }));
      expect(await failureOf(opened.snapshot(snapshotOf(source)))).toMatchObject({ class: "NotARepository" });
    });

    test("and leaves the target empty when it does not hold the snapshot", async () => {
      await using world = await withSnapshot();
      const opened = await world.open({ ahead: "restore" });
      const target = world.ground.path("out");
      const { identity: madeAs } = world.snapshot;
      const work = opened.restore({ snapshot: "0".repeat(64), madeAs, target });
      expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
      expect(await readdir(target).catch(() => [])).toEqual([]);
    });

    test("and restores all of a snapshot that was made under another path than was thought", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot, source } = world;
      const opened = await world.open({ ahead: "restore" });
      const madeAs = { ...snapshot.identity, path: "/somewhere/else" };
      await opened.restore({ snapshot: snapshot.id, madeAs, target: ground.path("out") });
      expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual([]);
    });

    test("and is cancelled at any moment without leaving a lock", async () => {
      await using world = await withSnapshot();
      await writeFile(`${world.source}/more`, "more");
      for (const ms of [1, 50, 200, 500]) {
        const outcome = await stopped(ms, undefined, async (signal) => {
          const opened = await world.open({ ahead: "snapshot", signal });
          await opened.snapshot(world.usual({ signal }));
        });
        expect(["done", "Cancelled"]).toContain(outcome);
      }
      expect(await world.repository.delete([world.snapshot.id])).toBe(1);
    });
  });
}

/** The words by which the engines' commands are told. */
const COMMANDS: ReadonlySet<string> = new Set(
  "policy export import snapshot create list restore show backup cat config snapshots tag".split(" "),
);

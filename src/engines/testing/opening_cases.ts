import { readdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { OpenOptions } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { stopped } from "./interference.ts";
import { describeTree, treeDifferences } from "./tree.ts";

/** What opening a repository finds out, and by how many runs of the engine. */
export function openingCases(under: EngineUnderTest): void {
  const onDisk = test.skipIf(under.place !== undefined);
  describe("opens a repository and ", { timeout: 120_000 }, () => {
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

    onDisk("makes a snapshot with these runs of the engine, one after the other", async () => {
      await using world = await withSnapshot();
      const opened = await world.open({ expectedId: world.repository.id });
      const { snapshot } = await opened.snapshot(world.usual());
      expect(world.runs).toEqual(
        under.name === "kopia"
          ? ["policy export", "snapshot create", "snapshot create"]
          : ["cat config", "backup"],
      );
      expect(opened.id).toBe(world.repository.id);
      expect(await listed(opened)).toMatchObject([world.snapshot, snapshot]);
    });

    onDisk("restores one of ours with these runs of the engine, one after the other", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot, source } = world;
      const restoring = { snapshot: snapshot.id, ours: true };
      const opened = await world.open({ restoring, expectedId: world.repository.id });
      const target = ground.path("out");
      const restored = await opened.restore({
        snapshot: snapshot.id,
        target,
        fence: { run: "r", ended: [] },
      });
      expect(world.runs).toEqual(
        under.name === "kopia" ? ["snapshot list", "restore", "show"] : ["snapshots", "restore"],
      );
      expect(opened.id).toBe(world.repository.id);
      expect(restored).toMatchObject({ snapshot, fidelity: "Full", losses: [] });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
    });

    onDisk.each(["another", "0".repeat(64)])(
      "writes nothing to one that has taken the place of %s",
      async (expectedId) => {
        await using world = await withSnapshot();
        const stored = () => readdir(world.ground.path("repository"), { recursive: true });
        const before = await stored();
        expect(await failureOf(world.open({ expectedId }))).toMatchObject({ class: "RepositoryReplaced" });
        expect(await listed(world.repository)).toMatchObject([world.snapshot]);
        expect(await world.repository.unlock({ all: true })).toBe(0);
        expect((await stored()).toSorted()).toEqual(before.toSorted());
      },
    );

    test("does not open one that has taken its place and lacks the snapshot, or holds one that somebody named", async () => {
      await using world = await withSnapshot();
      for (const restoring of [
        { snapshot: "0".repeat(64), ours: true },
        { snapshot: world.snapshot.id, ours: false },
      ]) {
        const opening = world.open({ restoring, expectedId: "another" });
        expect(await failureOf(opening)).toMatchObject({ class: "RepositoryReplaced" });
      }
    });

    test("restores a part of one of ours without asking which repository holds it", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot, repository } = world;
      const restoring = { snapshot: snapshot.id, ours: true };
      const opened = await world.open({ restoring, expectedId: repository.id });
      const target = ground.path("out");
      await opened.restore({ snapshot: snapshot.id, target, path: "sub", targetPath: "" });
      expect((await readdir(target)).toSorted()).toEqual(["b", "link"]);
      expect(opened.id).toBe(repository.id);
      expect(world.runs).not.toContain("cat config");
    });

    test("says that a wrong password does not open it, whatever comes next", async () => {
      await using world = await withSnapshot();
      const restoring = { snapshot: world.snapshot.id, ours: true };
      for (const options of [{}, { restoring, expectedId: world.repository.id }]) {
        const opening = world.open(options, "not it");
        expect(await failureOf(opening)).toMatchObject({ class: "WrongPassword" });
      }
    });

    test("says that there is none, whatever comes next", async () => {
      await using ground = await Ground.make(under);
      const restoring = { snapshot: "0".repeat(64), ours: true };
      for (const options of [{}, { restoring, expectedId: "0".repeat(64) }]) {
        const opening = ground.engine.open(ground.location(), options);
        expect(await failureOf(opening)).toMatchObject({ class: "NotARepository" });
      }
    });

    test("leaves the target empty when the right one does not hold the snapshot", async () => {
      await using world = await withSnapshot();
      const snapshot = "0".repeat(64);
      const restoring = { snapshot, ours: true };
      const opened = await world.open({ restoring, expectedId: world.repository.id });
      const target = world.ground.path("out");
      const work = opened.restore({ snapshot, target });
      expect(await failureOf(work)).toMatchObject({ class: "SnapshotMissing" });
      expect(await readdir(target).catch(() => [])).toEqual([]);
    });

    test("is cancelled at any moment without leaving a lock", async () => {
      await using world = await withSnapshot();
      await writeFile(`${world.source}/more`, "more");
      for (const ms of [1, 50, 200, 500, 800]) {
        const outcome = await stopped(ms, undefined, async (signal) => {
          const opened = await world.open({ signal });
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

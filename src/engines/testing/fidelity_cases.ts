import { stat } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RestoreOptions } from "../engine.ts";
import { FIDELITY_ROWS } from "./fidelity_rows.ts";
import { type EngineUnderTest, Ground, snapshotOf } from "./ground.ts";
import {
  buildMany,
  describeTree,
  digestTree,
  type FoundEntry,
  subtree,
  type TreeEntry,
  treeDifferences,
} from "./tree.ts";

const LONG = Boolean(process.env.HOLDFAST_LONG);
/** Small files: a million of them are about the engine, and not about where it keeps them. */
const MANY = 10_000;
const A_MILLION = 1_000_000;

/** What a restored tree has to look like: all rows are backed up and restored once, and compared one by one. */
export function fidelityCases(under: EngineUnderTest): void {
  describe("brings back", { timeout: 300_000 }, () => {
    let ground: Ground;
    let wanted: readonly FoundEntry[] = [];
    let found: readonly FoundEntry[] = [];
    /** After a restore over what was found. */
    let again: readonly FoundEntry[] = [];
    const root: TreeEntry = {
      path: "",
      folder: {},
      mode: 0o2751,
      uid: 3_000_000_001,
      gid: 77,
      mtime: -1_500_000_000_000_000_001n,
      xattrs: { "user.root": "yes" },
    };

    beforeAll(async () => {
      ground = await Ground.make(under);
      const entries = FIDELITY_ROWS.flatMap(({ entries }, i) => [
        { path: folderOf(i), folder: {} },
        ...entries.map((entry) => within(folderOf(i), entry)),
      ]);
      const source = await ground.tree("src", [root, ...entries]);
      const repository = await ground.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      const { atomicRestore: atomic } = ground.engine.capabilities;
      const restore = (more: Partial<RestoreOptions> = {}) =>
        repository.restore({ snapshot: snapshot.id, target: ground.path("out"), atomic, ...more });
      await restore();
      wanted = await describeTree(source);
      found = await describeTree(ground.path("out"));
      await restore({ existing: "Overwrite" });
      again = await describeTree(ground.path("out"));
    }, 300_000);
    afterAll(() => ground[Symbol.asyncDispose]());

    for (const [i, { name }] of FIDELITY_ROWS.entries()) {
      test(name, () => {
        const part = subtree(wanted, folderOf(i));
        expect(part.length).toBeGreaterThan(1);
        expect(treeDifferences(part, subtree(found, folderOf(i)))).toEqual([]);
      });
    }

    test("the root folder's own mode, owner, time and attributes", () => {
      const top = (entries: readonly FoundEntry[]) => entries.filter(({ path }) => path === "");
      expect(treeDifferences(top(wanted), top(found))).toEqual([]);
    });

    test("nothing that was not there", () => {
      const paths = new Set(wanted.map(({ path }) => path));
      expect(found.map(({ path }) => path).filter((path) => !paths.has(path))).toEqual([]);
    });

    test("all of it also over what is there", () => {
      expect(treeDifferences(wanted, again)).toEqual([]);
    });

    test("nothing that was ignored, whatever it is and however it is called", async () => {
      await using other = await Ground.make(under);
      const source = await other.tree("src", [
        { path: Buffer.from("\xff.tmp", "latin1"), file: { text: "ignored" } },
        { path: Buffer.from("\xff.txt", "latin1"), file: { text: "kept" } },
        { path: "x.tmp", fifo: {} },
        { path: "pipe", fifo: {} },
        { path: "sub", folder: {} },
        { path: "sub/y.tmp", fifo: {} },
      ]);
      const repository = await other.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source, { ignore: { paths: ["*.tmp"] } }));
      await repository.restore({ snapshot: snapshot.id, target: other.path("out") });
      const kept = (await describeTree(source)).filter(({ path }) => !path.endsWith(".tmp"));
      expect(kept).toHaveLength(4);
      expect(treeDifferences(kept, await describeTree(other.path("out")))).toEqual([]);
    });

    test("holes as holes", () => {
      for (const entries of [found, again]) {
        const hole = entries.find(({ path }) => path.endsWith("/hole"));
        expect(hole?.size).toBe(8_000_000);
        expect(hole?.allocated).toBeLessThan(1_000_000);
      }
    });

    test("hard links without writing them twice", async () => {
      const links = found.filter(({ path, sameAs }) => sameAs !== undefined && /\/[0-4]$/.test(path));
      expect(links).toHaveLength(5);
      expect(new Set(links.map(({ sameAs }) => sameAs)).size).toBe(1);
    });

    const many = LONG && !under.place ? A_MILLION : MANY;
    test(`${many} small files`, { timeout: LONG ? 7_200_000 : 300_000 }, async () => {
      await using other = await Ground.make(under);
      const source = other.path("src");
      await buildMany(source, many);
      const repository = await other.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      expect(snapshot.files).toBe(many);
      const [wanted] = await Promise.all([
        digestTree(source),
        repository.restore({ snapshot: snapshot.id, target: other.path("out") }),
      ]);
      expect(await digestTree(other.path("out"))).toEqual(wanted);
    });

    test("only what the engine itself keeps with fidelity Engine, and says what else there was", async () => {
      await using other = await Ground.make(under);
      const source = await other.tree("src", [
        { path: "late", file: { text: "l" }, mtime: 13_569_465_600n * 1_000_000_000n },
        { path: "a", symlink: "t" },
        { path: "b", hardLink: "a" },
      ]);
      const repository = await other.repository();
      const { snapshot, losses } = await repository.snapshot(snapshotOf(source, { fidelity: "Engine" }));
      expect(snapshot.fidelity).toBe("Engine");
      expect(losses).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: "HardLink", count: 1, examples: ["b"] }),
          expect.objectContaining({ kind: "Time", reason: expect.stringContaining("fidelity is Engine") }),
        ]),
      );
      const restored = await repository.restore({ snapshot: snapshot.id, target: other.path("out") });
      expect(restored.fidelity).toBe("Engine");
    });

    test("everything but sockets, and says so", async () => {
      await using other = await Ground.make(under);
      const source = await other.tree("src", [
        { path: "listening", socket: {} },
        { path: "a", file: { text: "a" } },
      ]);
      const repository = await other.repository();
      const { snapshot, losses } = await repository.snapshot(snapshotOf(source));
      expect(losses).toMatchObject([{ kind: "Socket", count: 1 }]);
      await repository.restore({ snapshot: snapshot.id, target: other.path("out") });
      await expect(stat(other.path("out", "a"))).resolves.toBeDefined();
    });
  });
}

const folderOf = (i: number) => String(i).padStart(3, "0");

function within(folder: string, entry: TreeEntry): TreeEntry {
  const inside = (path: string | Uint8Array) =>
    Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path as string)]);
  const moved = { ...entry, path: inside(entry.path) };
  return "hardLink" in entry ? { ...moved, hardLink: inside(entry.hardLink) } : moved;
}

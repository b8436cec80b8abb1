import { mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Repository } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, snapshotOf } from "./ground.ts";
import { describeTree, subtree, treeDifferences } from "./tree.ts";

/** Restoring into whatever is there already. */
export function restoreCases(under: EngineUnderTest): void {
  describe("restores", { timeout: 120_000 }, () => {
    let ground: Ground;
    let repository: Repository;
    let source: string;
    let id: string;
    let number = 0;

    beforeAll(async () => {
      ground = await Ground.make(under);
      repository = await ground.repository();
      source = await ground.tree("src", [
        { path: "a", file: { text: "from the backup" }, mtime: 1_500_000_000_000_000_000n },
        { path: "sub/b", file: { text: "b" } },
        { path: "sub/deep/c [1]*", file: { text: "c" } },
        { path: "hole", file: { sparse: { size: 6_000_000, pieces: [] } } },
        { path: "sub", folder: {}, mode: 0o2710, uid: 12, gid: 13, mtime: 1_400_000_000_000_000_007n },
      ]);
      ({
        snapshot: { id },
      } = await repository.snapshot(snapshotOf(source)));
    }, 120_000);
    afterAll(() => ground[Symbol.asyncDispose]());

    /** A target that holds a changed `a`, and an `extra` file and folder. */
    const occupied = async () => {
      number += 1;
      const target = ground.path(`occupied-${number}`);
      await mkdir(`${target}/extra-folder`, { recursive: true });
      await writeFile(`${target}/a`, "from the target");
      await writeFile(`${target}/extra`, "x");
      return target;
    };
    const text = (path: string) => readFile(path, "utf8");

    test("into a folder that it makes", async () => {
      const target = ground.path("deep/down/here");
      const result = await repository.restore({ snapshot: id, target });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
      expect(result).toMatchObject({ fidelity: "Full", losses: [] });
      expect(result.files).toBeGreaterThanOrEqual(4);
      expect(result.bytes).toBeGreaterThanOrEqual(15);
    });

    test.each([false, true])(
      "into what an earlier run held and left, without a trace of either, extra files deleted: %s",
      async (deleteExtra) => {
        const target = await occupied();
        await writeFile(`${target}/.holdfast-restore-earlier`, "");
        await repository.restore({
          snapshot: id,
          target,
          existing: "Overwrite",
          deleteExtra,
          fence: { run: "later", ended: ["earlier"] },
        });
        const found = await describeTree(target);
        const ours = found.filter(({ path }) => deleteExtra || !path.startsWith("extra"));
        expect(treeDifferences(await describeTree(source), ours)).toEqual([]);
      },
    );

    test("one folder to its own place, and its parents as they were", async () => {
      const target = await occupied();
      await mkdir(`${target}/sub/old`, { recursive: true });
      await repository.restore({
        snapshot: id,
        target,
        path: "/sub/deep/",
        existing: "Overwrite",
        deleteExtra: true,
      });
      const found = (await describeTree(target)).map(({ path }) => path);
      expect(found).toEqual([
        "",
        "a",
        "extra",
        "extra-folder",
        "sub",
        "sub/deep",
        "sub/deep/c [1]*",
        "sub/old",
      ]);
      expect(await text(`${target}/a`)).toBe("from the target");
    });

    test.each([
      ["sub/deep", "sub/deep"],
      ["sub/deep/c [1]*", "sub/deep/c [1]*"],
    ])("%s into a volume that has nothing of it, with its parents as they were", async (path, last) => {
      number += 1;
      const target = ground.path(`bare-${number}`);
      await repository.restore({ snapshot: id, target, path });
      const wanted = (await describeTree(source)).filter((one) =>
        ["sub", "sub/deep", last].includes(one.path),
      );
      const found = (await describeTree(target)).filter((one) =>
        ["sub", "sub/deep", last].includes(one.path),
      );
      // kopia itself keeps no setgid: only what is restored gets it back, from the record beside the snapshot.
      expect(treeDifferences(wanted, found, { ignore: ["mode"] })).toEqual([]);
      expect((await stat(`${target}/sub`)).mode & 0o777).toBe(0o710);
    });

    test("one folder, deleting in it alone what the snapshot does not hold", async () => {
      const target = await occupied();
      await mkdir(`${target}/sub/deep`, { recursive: true });
      await writeFile(`${target}/sub/new`, "new");
      await repository.restore({
        snapshot: id,
        target,
        path: "sub",
        existing: "Overwrite",
        deleteExtra: true,
        fence: { run: "this", ended: [] },
      });
      const paths = (await describeTree(target)).map(({ path }) => path);
      expect(paths).toEqual([
        "",
        "a",
        "extra",
        "extra-folder",
        "sub",
        "sub/b",
        "sub/deep",
        "sub/deep/c [1]*",
      ]);
    });

    test("one file to its own place, and nothing else", async () => {
      const target = await occupied();
      await mkdir(`${target}/sub`);
      await writeFile(`${target}/sub/new`, "new");
      const options = {
        snapshot: id,
        target,
        path: "sub/b",
        existing: "Overwrite",
        deleteExtra: true,
      } as const;
      await repository.restore(options);
      const paths = (await describeTree(target)).map(({ path }) => path);
      expect(paths).toEqual(["", "a", "extra", "extra-folder", "sub", "sub/b", "sub/new"]);
    });

    test("a file or a folder to another place", async () => {
      const target = await occupied();
      const options = { snapshot: id, target, targetPath: "rescued/here", existing: "Overwrite" } as const;
      await repository.restore({ ...options, path: "sub/b" });
      await repository.restore({ ...options, path: "sub/deep" });
      expect(await text(`${target}/rescued/here/b`)).toBe("b");
      expect(await text(`${target}/rescued/here/c [1]*`)).toBe("c");
    });

    test("nothing through a symlink on the way to its place", async () => {
      const target = await occupied();
      const outside = ground.path(`outside-${number}`);
      await mkdir(outside);
      await symlink(outside, `${target}/sub`);
      for (const path of ["sub/deep", "sub/b"]) {
        const work = repository.restore({ snapshot: id, target, path, existing: "Overwrite" });
        expect(await failureOf(work)).toMatchObject({
          class: "TargetExists",
          message: expect.stringContaining("sub on the volume is a symbolic link"),
        });
      }
      expect((await describeTree(outside)).map(({ path }) => path)).toEqual([""]);
    });

    test("one folder's content, with the folder's own attributes", async () => {
      const target = ground.path("one-folder");
      await repository.restore({ snapshot: id, target, path: "sub", targetPath: "" });
      const wanted = subtree(await describeTree(source), "sub");
      expect(treeDifferences(wanted, await describeTree(target))).toEqual([]);
    });

    test.skipIf(process.getuid?.() !== 0)("no label that the source's machine gave", async ({ skip }) => {
      const name = "security.selinux";
      const xattrs = { [name]: "system_u:object_r:elsewhere_t:s0", "user.color": "blue" };
      const refusal = await ground
        .tree("labelled", [
          { path: "a", file: { text: "a" }, xattrs },
          { path: "sub/b", file: { text: "b" }, xattrs },
          { path: "sub", folder: {}, xattrs },
          { path: "", folder: {}, xattrs },
        ])
        .then(() => undefined, String);
      skip(refusal !== undefined, `this machine lets nobody set ${name}: ${refusal}`);
      const labelled = ground.path("labelled");
      const { snapshot } = await repository.snapshot(snapshotOf(labelled));
      for (const path of ["", "sub"]) {
        const target = ground.path(`unlabelled-${path}`);
        const { losses } = await repository.restore({ snapshot: snapshot.id, target, path, targetPath: "" });
        expect(losses).toEqual([]);
        const found = await describeTree(target);
        const wanted =
          path === "" ? await describeTree(labelled) : subtree(await describeTree(labelled), path);
        expect(treeDifferences(wanted, found, { ignore: ["xattrs"] })).toEqual([]);
        const color = Buffer.from(xattrs["user.color"]).toString("base64");
        const label = Buffer.from(xattrs[name]).toString("base64");
        expect(found.map((entry) => entry.xattrs?.["user.color"])).toEqual(wanted.map(() => color));
        expect(found.map((entry) => entry.xattrs?.[name])).not.toContain(label);
      }
    });

    test("one file, also with a name like a pattern", async () => {
      const target = ground.path("one-file");
      await repository.restore({ snapshot: id, target, path: "sub/deep/c [1]*", targetPath: "" });
      expect((await describeTree(target)).map(({ path }) => path)).toEqual(["", "c [1]*"]);
    });

    test("nothing over files that are there, unless told to", async () => {
      const target = await occupied();
      expect(await failureOf(repository.restore({ snapshot: id, target }))).toMatchObject({
        class: "TargetExists",
        remedy: expect.stringContaining("empty folder"),
      });
      expect(await text(`${target}/a`)).toBe("from the target");
    });

    test("over what an attempt of the same restore left of an empty volume, and leaves the rest alone", async () => {
      const target = await occupied();
      await writeFile(`${target}/.holdfast-unfinished`, "mine");
      const options = { snapshot: id, target, resume: true } as const;
      expect(await failureOf(repository.restore({ ...options, own: "other" }))).toMatchObject({
        class: "TargetExists",
      });
      await repository.restore({ ...options, own: "mine" });
      const found = await describeTree(target);
      const restored = found.filter(({ path }) => !path.startsWith("extra"));
      expect(treeDifferences(await describeTree(source), restored)).toEqual([]);
      expect(await text(`${target}/extra`)).toBe("x");
    });

    test("over files that are there, and leaves others alone", async () => {
      const target = await occupied();
      await repository.restore({ snapshot: id, target, existing: "Overwrite" });
      expect(await text(`${target}/a`)).toBe("from the backup");
      expect(await text(`${target}/extra`)).toBe("x");
    });

    test("only what is not there, with Keep, or refuses to", async () => {
      const target = await occupied();
      const work = repository.restore({ snapshot: id, target, existing: "Keep" });
      const can = ground.engine.capabilities.existing.includes("Keep");
      if (can) await work;
      else expect(await failureOf(work)).toMatchObject({ class: "Unsupported" });
      expect(await text(`${target}/a`)).toBe("from the target");
      if (can) expect(await text(`${target}/sub/b`)).toBe("b");
    });

    test("what changed, with OverwriteChanged", async () => {
      const target = await occupied();
      await utimes(`${target}/a`, 1_500_000_000, 1_600_000_000);
      await repository.restore({ snapshot: id, target, existing: "OverwriteChanged" });
      expect(await text(`${target}/a`)).toBe("from the backup");
    });

    test("in place and deletes what the snapshot does not hold, when told to", async () => {
      const target = await occupied();
      await repository.restore({ snapshot: id, target, existing: "Overwrite", deleteExtra: true });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
    });

    test("over a folder where a file belongs, and over a file where a folder belongs", async () => {
      const target = ground.path("swapped");
      await mkdir(`${target}/a`, { recursive: true });
      await writeFile(`${target}/sub`, "a file");
      await repository.restore({ snapshot: id, target, existing: "Overwrite", deleteExtra: true });
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
    });

    test("without following a symlink out of the target", async () => {
      const target = ground.path("trap");
      const outside = ground.path("outside");
      await mkdir(target);
      await mkdir(outside);
      await symlink(outside, `${target}/sub`);
      await repository.restore({ snapshot: id, target, existing: "Overwrite" }).catch(() => {});
      expect((await describeTree(outside)).map(({ path }) => path)).toEqual([""]);
    });

    test("zeros as zeros, when told not to make holes", async () => {
      const target = ground.path("dense");
      await repository.restore({ snapshot: id, target, sparse: false });
      expect((await stat(`${target}/hole`)).blocks * 512).toBeGreaterThan(5_000_000);
    });

    test("everything to whoever restores, with ownership Skip", async () => {
      const target = ground.path("skipped");
      const { losses } = await repository.restore({ snapshot: id, target, ownership: "Skip" });
      expect(losses).toEqual([]);
      expect(await stat(`${target}/sub`)).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
    });

    test("atomically, or refuses to", async () => {
      const target = ground.path("atomic");
      const work = repository.restore({ snapshot: id, target, atomic: true });
      if (ground.engine.capabilities.atomicRestore) await expect(work).resolves.toBeDefined();
      else expect(await failureOf(work)).toMatchObject({ class: "Unsupported" });
    });

    test("no snapshot that is not there", async () => {
      const work = repository.restore({
        snapshot: "0123456789abcdef0123456789abcdef",
        target: ground.path("no-id"),
      });
      expect(await failureOf(work)).toMatchObject({
        class: "SnapshotMissing",
        remedy: expect.stringContaining("lists"),
      });
    });

    test("no path that is not there, and writes nothing", async () => {
      const target = ground.path("no-path");
      const work = repository.restore({ snapshot: id, target, path: "sub/nothing" });
      expect(await failureOf(work)).toMatchObject({
        class: "PathMissing",
        message: expect.stringContaining("sub/nothing"),
      });
    });
  });
}

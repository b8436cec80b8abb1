import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../wire/progress.ts";
import type { OperationOptions } from "../engine.ts";
import { all, type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { expectRising } from "./rising.ts";
import { describeTree, treeDifferences } from "./tree.ts";

/** Everything about a repository as a whole. */
export function repositoryCases(under: EngineUnderTest): void {
  const onDisk = test.skipIf(under.place !== undefined);
  describe("keeps a repository", { timeout: 120_000 }, () => {
    const withSnapshot = async () => {
      const ground = await Ground.make(under);
      const repository = await ground.repository();
      const source = await ground.tree("src", [
        { path: "a", file: { text: "content of a" }, mode: 0o640, uid: 5, gid: 6 },
        { path: "sub/b", file: { random: { bytes: 300_000, seed: 1 } } },
        { path: "sub/link", symlink: "b" },
        { path: "sub/pipe", fifo: {} },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      return {
        ground,
        repository,
        source,
        snapshot,
        [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
      };
    };

    test("that it created, and adopts it as it is the next time", async () => {
      await using world = await withSnapshot();
      const again = await world.ground.repository();
      expect(world.repository.created).toBe(true);
      expect(again.created).toBe(false);
      expect(again.id).toBe(world.repository.id);
      expect(await listed(again)).toMatchObject([world.snapshot]);
    });

    test("with an ID of its own", async () => {
      await using ground = await Ground.make(under);
      const first = await ground.repository(ground.location("one"));
      const second = await ground.repository(ground.location("two"));
      expect(first.id).not.toBe("");
      expect(first.id).not.toBe(second.id);
    });

    test("and notices when another lies in its place", async () => {
      await using world = await withSnapshot();
      const { ground, repository } = world;
      const id = repository.id;
      const same = ground.keep(await ground.engine.open(ground.location(), { expectedId: id }));
      expect(same.id).toBe(id);
      const work = ground.engine.open(ground.location(), { expectedId: "another" });
      expect(await failureOf(work)).toMatchObject({
        class: "RepositoryReplaced",
        message: expect.stringContaining(id),
      });
    });

    test("and never creates one where one is expected", async () => {
      await using ground = await Ground.make(under);
      expect(await failureOf(ground.engine.open(ground.location()))).toMatchObject({
        class: "NotARepository",
      });
      const created = ground.engine.create(ground.location(), { expectedId: "known" });
      expect(await failureOf(created)).toMatchObject({ class: "NotARepository" });
    });

    onDisk("and never among someone else's files", async () => {
      await using ground = await Ground.make(under);
      await mkdir(ground.path("repository"));
      await writeFile(ground.path("repository", "thesis.txt"), "years of work");
      expect(await failureOf(ground.repository())).toMatchObject({
        class: "ForeignData",
        message: expect.stringContaining("thesis.txt"),
      });
    });

    test("closed to a wrong password", async () => {
      await using world = await withSnapshot();
      const { ground } = world;
      const wrong = ground.location("repository", "not it");
      for (const attempt of [() => ground.engine.open(wrong), () => ground.engine.create(wrong)]) {
        expect(await failureOf(attempt())).toMatchObject({
          class: "WrongPassword",
          remedy: expect.stringContaining("created with"),
        });
      }
    });

    test("also where there is no room for a cache", async () => {
      await using world = await withSnapshot();
      const { ground, snapshot, source } = world;
      const cache = { contentBytes: 0, metadataBytes: 0 };
      const repository = ground.keep(await ground.engine.open(ground.location(), { cache }));
      await repository.snapshot(snapshotOf(source));
      expect(Buffer.concat(await all(repository.read(snapshot.id, "a"))).toString()).toBe("content of a");
      await repository.restore({ snapshot: snapshot.id, target: ground.path("out") });
      expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual([]);
    });

    test("read-only, when told to", async () => {
      await using world = await withSnapshot();
      const { ground, source, snapshot } = world;
      const repository = ground.keep(await ground.engine.open(ground.location(), { readOnly: true }));
      expect(await listed(repository)).toMatchObject([snapshot]);
      await repository.restore({ snapshot: snapshot.id, target: ground.path("out") });
      expect(await failureOf(repository.snapshot(snapshotOf(source)))).toMatchObject({ class: "ReadOnly" });
      expect(await failureOf(repository.delete([snapshot.id]))).toMatchObject({ class: "ReadOnly" });
      expect(await failureOf(repository.maintain({ mode: "Full" }))).toMatchObject({ class: "ReadOnly" });
    });

    test("and shows its folders", async () => {
      await using world = await withSnapshot();
      const { repository, snapshot } = world;
      expect(await all(repository.browse(snapshot.id, ""))).toMatchObject([
        { name: "a", type: "File", size: 12, mode: 0o640 },
        { name: "sub", type: "Folder" },
      ]);
      const inside = await all(repository.browse(snapshot.id, "sub"));
      expect(inside.filter(({ type }) => type !== "Other")).toMatchObject([
        { name: "b", type: "File", size: 300_000 },
        { name: "link", type: "Symlink" },
      ]);
      expect(await failureOf(all(repository.browse(snapshot.id, "nowhere")))).toMatchObject({
        class: "PathMissing",
      });
      expect(await failureOf(all(repository.browse(snapshot.id, "a")))).toMatchObject({
        class: "PathMissing",
      });
    });

    test("and reads single files from it", async () => {
      await using world = await withSnapshot();
      const { repository, snapshot } = world;
      const text = Buffer.concat(await all(repository.read(snapshot.id, "a"))).toString();
      expect(text).toBe("content of a");
      expect(Buffer.concat(await all(repository.read(snapshot.id, "sub/b")))).toHaveLength(300_000);
      expect(await failureOf(all(repository.read(snapshot.id, "sub")))).toMatchObject({
        class: "PathMissing",
      });
      expect(await failureOf(all(repository.read(snapshot.id, "no")))).toMatchObject({
        class: "PathMissing",
      });
    });

    test("and stops reading when the reader has enough", async () => {
      await using world = await withSnapshot();
      for await (const chunk of world.repository.read(world.snapshot.id, "sub/b")) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
      expect(await listed(world.repository)).toHaveLength(1);
    });

    test("and counts what it takes", async () => {
      await using world = await withSnapshot();
      const { snapshots, storedBytes } = await world.repository.stats();
      expect(snapshots).toBe(1);
      expect(storedBytes).toBeGreaterThan(300_000);
      expect(storedBytes).toBeLessThan(3_000_000);
    });

    test("and deletes snapshots by ID, each once", async () => {
      await using world = await withSnapshot();
      const { repository, source, snapshot } = world;
      const { snapshot: second } = await repository.snapshot(snapshotOf(source));
      expect(await repository.delete([snapshot.id])).toBe(1);
      expect(await listed(repository)).toMatchObject([second]);
      expect(await repository.delete([snapshot.id])).toBe(0);
      expect(await repository.delete([])).toBe(0);
    });

    onDisk("and gives space back by full maintenance alone", async () => {
      await using world = await withSnapshot();
      const { repository, snapshot } = world;
      await repository.delete([snapshot.id]);
      await repository.maintain({ mode: "Quick" });
      await repository.maintain({ mode: "Full", immediate: true });
      const left = await describeTree(world.ground.path("repository"));
      expect(left.reduce((sum, { size = 0 }) => sum + size, 0)).toBeLessThan(200_000);
      expect(await listed(repository)).toEqual([]);
    });

    test("whose snapshots survive maintenance", async () => {
      await using world = await withSnapshot();
      const { repository, source, snapshot, ground } = world;
      await repository.maintain({ mode: "Quick" });
      await repository.maintain({ mode: "Full", immediate: true });
      await repository.restore({ snapshot: snapshot.id, target: ground.path("out") });
      expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual([]);
    });

    test("and finds nothing wrong with a good one", async () => {
      await using world = await withSnapshot();
      expect(await world.repository.check()).toEqual({ problems: [] });
      expect(await world.repository.check({ dataPercent: 100 })).toEqual({ problems: [] });
      expect(await world.repository.verify({ snapshot: world.snapshot.id })).toMatchObject({ problems: [] });
    });

    test("and verifies a part of a snapshot, or refuses to", async () => {
      await using world = await withSnapshot();
      const { repository, snapshot, ground } = world;
      const work = repository.verify({ snapshot: snapshot.id, filesPercent: 50 });
      if (ground.engine.capabilities.partialVerify) expect(await work).toMatchObject({ problems: [] });
      else expect(await failureOf(work)).toMatchObject({ class: "Unsupported" });
    });

    test("under a new password, and no longer under the old one", async () => {
      await using world = await withSnapshot();
      const { ground, repository, snapshot } = world;
      await repository.changePassword("a new one");
      expect(await listed(repository)).toMatchObject([snapshot]);
      expect(await failureOf(ground.engine.open(ground.location()))).toMatchObject({
        class: "WrongPassword",
      });
      const again = ground.keep(await ground.engine.open(ground.location("repository", "a new one")));
      expect(again.id).toBe(repository.id);
      expect(await listed(again)).toMatchObject([snapshot]);
    });

    test("and copies it to a second one, each snapshot once, with all that belongs to it", async () => {
      await using world = await withSnapshot();
      const { ground, repository, source, snapshot } = world;
      const second = await ground.repository(ground.location("second", "its own password"));
      expect(await repository.copyTo(second)).toEqual({ copied: 1, alreadyThere: 0 });
      expect(await repository.copyTo(second)).toEqual({ copied: 0, alreadyThere: 1 });
      const [copy] = await listed(second, { run: snapshot.run ?? "" });
      expect(copy).toMatchObject({
        identity: snapshot.identity,
        startedAt: snapshot.startedAt,
        fidelity: "Full",
      });
      await second.restore({ snapshot: copy?.id ?? "", target: ground.path("out") });
      expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual([]);
    });

    test("and copies only what is asked for", async () => {
      await using world = await withSnapshot();
      const { ground, repository, source } = world;
      const options = snapshotOf(source, { tags: { copy: "yes" } });
      await repository.snapshot(options);
      const second = await ground.repository(ground.location("second"));
      expect(await repository.copyTo(second, { filter: { run: options.run } })).toMatchObject({ copied: 1 });
      expect(await listed(second)).toMatchObject([{ run: options.run, tags: { copy: "yes" } }]);
    });

    test("and tells of all work on it how far it is", async () => {
      await using world = await withSnapshot();
      const { ground, repository, snapshot } = world;
      const second = await ground.repository(ground.location("second"));
      const work: Record<string, (options: OperationOptions) => Promise<unknown>> = {
        copyTo: (options) => repository.copyTo(second, options),
        verify: (options) => repository.verify({ snapshot: snapshot.id, ...options }),
        check: (options) => repository.check({ dataPercent: 100, ...options }),
        stats: (options) => repository.stats(options),
        list: (options) => all(repository.list({}, options)),
        delete: (options) => repository.delete([snapshot.id], options),
        maintain: (options) => repository.maintain({ mode: "Full", immediate: true, ...options }),
        changePassword: (options) => repository.changePassword("another", options),
      };
      const counted = ["copyTo", ...(under.name === "kopia" ? ["check", "verify"] : ["maintain"])];
      for (const [name, run] of Object.entries(work)) {
        const seen: Progress[] = [];
        await run({ onProgress: (progress) => void seen.push(progress) });
        expectRising(seen);
        expect(seen.at(-1)?.movedBytes, name).toBeGreaterThan(0);
        if (counted.includes(name)) expect(seen.at(-1)?.files, name).toBeGreaterThan(0);
      }
    });

    test("and leaves nothing of its own behind once closed", async () => {
      await using world = await withSnapshot();
      await world.repository.close();
      const left = await describeTree(world.ground.path("engine"));
      expect(left.filter(({ kind, path }) => kind === "file" && !path.startsWith("cache"))).toEqual([]);
    });
  });
}

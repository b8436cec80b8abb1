import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EngineUnderTest, Ground, snapshotOf } from "./ground.ts";
import { largestFile } from "./interference.ts";

/** A file of the repository's storage is gone. No backup says so: engines believe their index. */
export function lostPackCases(under: EngineUnderTest): void {
  const onDisk = test.skipIf(under.place !== undefined);
  describe("when the storage loses a pack", { timeout: 180_000 }, () => {
    const filled = async () => {
      const ground = await Ground.make(under);
      const files = (from: number) =>
        Array.from({ length: 20 }, (_, i) => ({
          path: `sub/f${i}`,
          file: { random: { bytes: 100_000, seed: from + i } },
        }));
      const source = await ground.tree("src", files(0));
      const other = await ground.tree("other", files(100));
      const repository = await ground.repository();
      return {
        ground,
        source,
        other,
        repository,
        [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
      };
    };

    onDisk("a quick check finds nothing wrong while every pack is there", async () => {
      await using world = await filled();
      const { repository, source } = world;
      expect(await repository.check({ quick: true })).toEqual({ problems: [] });
      await repository.snapshot(snapshotOf(source));
      expect(await repository.check({ quick: true })).toEqual({ problems: [] });
    });

    onDisk(
      "the next backup succeeds, and a check names every snapshot that is hit, and files of it",
      async () => {
        await using world = await filled();
        const { ground, repository, source, other } = world;
        const first = await repository.snapshot(snapshotOf(source, { tags: { number: "1" } }));
        const pack = await largestFile(ground.path("repository"));
        await rename(pack, ground.path("pack"));
        await writeFile(join(source, "new"), "new");
        const second = await repository.snapshot(snapshotOf(source));
        await repository.snapshot(snapshotOf(other));
        for (const how of [{ quick: true }, {}]) {
          const { problems, missing } = await repository.check(how);
          expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(/^pack \w/)]));
          expect(missing).toEqual({
            packs: 1,
            snapshots: 2,
            hit: [second, first].map(({ snapshot: { id, identity, startedAt, run } }) => ({
              ...{ id, identity, startedAt, run },
              files: expect.any(Number),
              examples: expect.arrayContaining([expect.stringMatching(/^sub\/f\d+$/)]),
            })),
          });
          for (const { files, examples } of missing?.hit ?? []) {
            expect(files).toBeGreaterThanOrEqual(examples.length);
            expect(examples).toHaveLength(3);
          }
        }
        await rename(ground.path("pack"), pack);
        expect(await repository.check({ quick: true })).toEqual({ problems: [] });
        expect(await repository.check()).toEqual({ problems: [] });
      },
    );

    onDisk("a check also tells of a pack that held folders", async () => {
      await using world = await filled();
      const { ground, repository, source } = world;
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      await mkdir(ground.path("away"));
      const packs = await packsOfFolders(ground);
      for (const [i, pack] of packs.entries()) await rename(pack, ground.path("away", `${i}`));
      const { missing, problems } = await repository.check({ quick: true });
      expect(problems).not.toEqual([]);
      expect(missing?.packs).toBe(packs.length);
      // kopia's list of snapshots lies in such packs, too.
      if (under.name === "restic") {
        expect(missing).toMatchObject({ snapshots: 1, hit: [{ id: snapshot.id, examples: ["."] }] });
      }
    });
  });
}

/** Packs that hold folders: kopia calls them so, and restic writes small ones apart from the data. */
async function packsOfFolders(ground: Ground): Promise<readonly string[]> {
  const kept = ground.under.name === "kopia" ? /^q/ : /^data\//;
  const folder = ground.path("repository");
  const names = (await readdir(folder, { recursive: true })).filter((name) => kept.test(name));
  const sized = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), info: await stat(join(folder, name)) })),
  );
  return sized.filter(({ info }) => info.isFile() && info.size < 100_000).map(({ path }) => path);
}

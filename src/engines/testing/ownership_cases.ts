import { execFileSync } from "node:child_process";
import { chmod, readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Repository } from "../engine.ts";
import { asNobody, NOBODY, type Task } from "./as_user.ts";
import { type EngineUnderTest, Ground, listed, snapshotOf } from "./ground.ts";
import { describeTree, treeDifferences } from "./tree.ts";

/** What a mover without rights can and cannot do. These cases need root, which becomes someone else. */
export function ownershipCases(under: EngineUnderTest): void {
  describe.skipIf(process.getuid?.() !== 0)("as a user without rights", { timeout: 120_000 }, () => {
    let ground: Ground;
    let repository: Repository;
    let theirs: string;
    let mixed: string;
    const ids: Record<string, string> = {};

    beforeAll(async () => {
      ground = await Ground.make(under);
      repository = await ground.repository();
      const own = { uid: NOBODY, gid: NOBODY };
      theirs = await ground.tree("theirs", [
        { path: "", folder: {}, ...own },
        { path: "a", file: { text: "a" }, ...own, mode: 0o640 },
        { path: "sub/b", file: { text: "b" }, ...own, xattrs: { "user.x": "1" } },
        { path: "sub", folder: {}, ...own },
      ]);
      mixed = await ground.tree("mixed", [
        { path: "", folder: {}, ...own },
        { path: "mine", file: { text: "m" }, ...own },
        { path: "other", file: { text: "o" }, uid: 1234, gid: 1234 },
        { path: "another", file: { text: "o" }, uid: 1234, gid: 1234 },
      ]);
      const bind = Uint8Array.from([1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      const capable = await ground.tree("capable", [
        { path: "", folder: {}, ...own },
        { path: "bind", file: { text: "b" }, ...own, xattrs: { "security.capability": bind } },
      ]);
      for (const [name, source] of Object.entries({ theirs, mixed, capable })) {
        ids[name] = (await repository.snapshot(snapshotOf(source))).snapshot.id;
      }
    }, 120_000);
    afterAll(() => ground[Symbol.asyncDispose]());

    const run = async (task: Task) => {
      // The user may read the repository, and write what an operation writes there.
      execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, ground.path("repository")]);
      return asNobody(ground, ground.location(), task);
    };
    const target = (name: string) => ground.path("nobody", name);

    test("it restores its own files exactly", async () => {
      const outcome = await run({ restore: { snapshot: ids.theirs ?? "", target: target("own") } });
      expect(outcome).toMatchObject({ result: { losses: [], fidelity: "Full" } });
      expect(treeDifferences(await describeTree(theirs), await describeTree(target("own")))).toEqual([]);
    });

    test("it stops before it writes other users' files, and says whose they are", async () => {
      const outcome = await run({ restore: { snapshot: ids.mixed ?? "", target: target("refused") } });
      expect(outcome).toMatchObject({
        failure: {
          class: "PrivilegesNeeded",
          message: expect.stringContaining("1234"),
          remedy: expect.stringContaining("BestEffort"),
        },
      });
      expect(await readdir(target("refused")).catch(() => [])).toEqual([]);
    });

    test("it restores them as its own with BestEffort, and counts each", async () => {
      const outcome = await run({
        restore: { snapshot: ids.mixed ?? "", target: target("best"), ownership: "BestEffort" },
      });
      expect(outcome).toMatchObject({ result: { losses: [{ kind: "Owner", count: 2 }] } });
      const found = await describeTree(target("best"));
      expect(treeDifferences(await describeTree(mixed), found, { ignore: ["uid", "gid"] })).toEqual([]);
      expect(found.every(({ uid }) => uid === NOBODY)).toBe(true);
    });

    test("it counts nothing of the volume's own folder, and each file in it", async () => {
      const [theirOwn, root] = [
        { uid: 1234, gid: 1234 },
        { path: "", folder: {}, mode: 0o777 },
      ];
      const source = await ground.tree("of-1234", [
        { ...root, ...theirOwn },
        { path: "other", file: { text: "o" }, ...theirOwn },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      await ground.tree("roots-volume", [{ ...root, uid: 0, gid: 0 }]);
      const outcome = await run({
        restore: { snapshot: snapshot.id, target: ground.path("roots-volume"), ownership: "BestEffort" },
      });
      expect(outcome).toMatchObject({ result: { losses: [{ kind: "Owner", count: 1 }] } });
      expect(outcome).toMatchObject({
        result: { losses: [{ examples: [expect.stringContaining("other")] }] },
      });
    });

    test("it counts nothing of the target's own folder that was right before", async () => {
      const own = { uid: NOBODY, gid: NOBODY };
      const root = { path: "", folder: {}, uid: 0, gid: 0, mode: 0o777 };
      const source = await ground.tree("shared", [root, { path: "mine", file: { text: "m" }, ...own }]);
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      await ground.tree("volume", [root]);
      const outcome = await run({
        restore: { snapshot: snapshot.id, target: ground.path("volume"), ownership: "BestEffort" },
      });
      // Only its owner could give it the time that it had, and it says nothing of the data.
      expect(outcome).toMatchObject({ result: { losses: [] } });
    });

    test("it counts nothing of the volume's own folder that a path is restored into", async () => {
      const root = { folder: {}, uid: 0, gid: 0, mode: 0o777 };
      const source = await ground.tree("parts", [
        { path: "part/mine", file: { text: "m" }, uid: NOBODY, gid: NOBODY },
        { path: "part", ...root },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      await ground.tree("part-volume", [{ path: "", ...root }]);
      const outcome = await run({
        restore: {
          snapshot: snapshot.id,
          path: "part",
          targetPath: "",
          target: ground.path("part-volume"),
          ownership: "BestEffort",
        },
      });
      expect(outcome).toMatchObject({ result: { losses: [] } });
    });

    test("it restores them as its own with Skip, and counts nothing", async () => {
      const outcome = await run({
        restore: { snapshot: ids.mixed ?? "", target: target("skip"), ownership: "Skip" },
      });
      expect(outcome).toMatchObject({ result: { losses: [] } });
    });

    test("it restores them with Skip into a volume that is root's", async () => {
      const root = { folder: {}, uid: 0, gid: 0 };
      await ground.tree("skip-volume", [
        { path: "lost+found", ...root, mode: 0o700 },
        { path: "", ...root, mode: 0o777 },
      ]);
      const volume = ground.path("skip-volume");
      const outcome = await run({
        restore: { snapshot: ids.mixed ?? "", target: volume, ownership: "Skip" },
      });
      expect(outcome).toMatchObject({ result: { snapshot: { id: ids.mixed } } });
      const owners = (await describeTree(volume)).map(({ path, uid }) => [path, uid]);
      expect(Object.fromEntries(owners)).toEqual({
        "": 0,
        "lost+found": 0,
        mine: NOBODY,
        other: NOBODY,
        another: NOBODY,
      });
    });

    test("it stops before it loses a file capability, and counts it with BestEffort", async () => {
      const snapshot = ids.capable ?? "";
      const outcome = await run({ restore: { snapshot, target: target("cap") } });
      expect(outcome).toMatchObject({ failure: { class: "PrivilegesNeeded" } });
      const best = await run({ restore: { snapshot, target: target("cap-best"), ownership: "BestEffort" } });
      expect(best).toMatchObject({ result: { losses: [{ kind: "FileCapability", count: 1 }] } });
    });

    test("it says that it may not write the target", async () => {
      const outcome = await run({
        restore: { snapshot: ids.theirs ?? "", target: ground.path("roots-own", "x") },
      });
      expect(outcome).toMatchObject({
        failure: { class: "TargetNotWritable", remedy: expect.stringContaining("owner") },
      });
    });

    test("it says which files of a repository are another user's", async () => {
      const closed = ground.location("closed");
      await ground.repository(closed);
      const outcome = await asNobody(ground, closed, { restore: { snapshot: "0", target: target("none") } });
      expect(outcome).toMatchObject({
        failure: { class: "Forbidden", detail: expect.stringContaining(ground.path("closed")) },
      });
    });

    test("it fails on a file that it may not read, and says which", async () => {
      const source = await ground.tree("unreadable", [
        { path: "open", file: { text: "o" }, mode: 0o644 },
        { path: "closed", file: { text: "c" }, mode: 0o600 },
      ]);
      const options = snapshotOf(source);
      expect(await run({ snapshot: options })).toMatchObject({
        failure: {
          class: "SourceUnreadable",
          message: expect.stringContaining("closed"),
          remedy: expect.stringContaining("security context"),
        },
      });
      const kept = await listed(repository, { run: options.run });
      // Of a snapshot of restic's nothing would say that it lacks something.
      const left = under.name === "restic" ? [] : ["string"];
      expect(kept.map(({ incomplete }) => typeof incomplete)).toEqual(left);
    });

    test("it leaves such a file out, when told to, and says that it did", async () => {
      const source = ground.path("unreadable");
      await chmod(source, 0o755);
      const options = snapshotOf(source, { unreadable: "Skip", skipIdentical: true });
      const outcome = await run({ snapshot: options });
      expect(outcome).toMatchObject({ result: { snapshot: { failedFiles: 1 }, unchanged: false } });
      // It was allowed to be so: it is what a restore takes by itself.
      const [kept] = await listed(repository, { run: options.run });
      expect(kept).toMatchObject({ failedFiles: 1 });
      expect(kept).not.toHaveProperty("incomplete");
      const again = await run({
        snapshot: snapshotOf(source, { unreadable: "Skip", skipIdentical: true }),
      });
      expect(again).toMatchObject({ result: { snapshot: { failedFiles: 1 }, unchanged: true } });
      const strict = await run({ snapshot: snapshotOf(source, { skipIdentical: true }) });
      expect(strict).toMatchObject({ failure: { class: "SourceUnreadable" } });
    });

    test("it fails on a source that it may not read at all, and says whose it is", async () => {
      const owner = { uid: 1234, gid: 4321 };
      const source = await ground.tree("locked", [
        { path: "in", file: { text: "c" } },
        { path: "", folder: {}, mode: 0o700, ...owner },
      ]);
      expect(await run({ snapshot: snapshotOf(source) })).toMatchObject({
        failure: {
          class: "SourceUnreadable",
          message: expect.stringContaining(source),
          remedy: expect.stringContaining("security context"),
          owner,
        },
      });
    });

    test("it fails on a folder that it may not read, and says whose all is, root's aside", async () => {
      const owner = { uid: 1234, gid: 4321 };
      const source = await ground.tree("shut", [
        { path: "open", file: { text: "o" }, mode: 0o644 },
        { path: "dir/in", file: { text: "c" } },
        { path: "dir", folder: {}, mode: 0o700, ...owner },
      ]);
      const outcome = await run({ snapshot: snapshotOf(source) });
      expect(outcome).toMatchObject({
        failure: { class: "SourceUnreadable", message: expect.stringContaining("dir"), owner },
      });
    });

    test("it names nobody where several users own what it may not read", async () => {
      const source = await ground.tree("several", [
        { path: "one", file: { text: "1" }, mode: 0o600, uid: 1234, gid: 1234 },
        { path: "two", file: { text: "2" }, mode: 0o600, uid: 1235, gid: 1235 },
      ]);
      const outcome = await run({ snapshot: snapshotOf(source) });
      expect(outcome).toMatchObject({ failure: { class: "SourceUnreadable" } });
      expect(outcome).not.toHaveProperty("failure.owner");
    });
  });
}

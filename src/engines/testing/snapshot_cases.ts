import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Repository } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { expectRising } from "./rising.ts";
import { describeTree } from "./tree.ts";

/** Taking snapshots and finding them again. */
export function snapshotCases(under: EngineUnderTest): void {
  describe("takes snapshots", { timeout: 120_000 }, () => {
    let ground: Ground;
    let repository: Repository;
    let source: string;

    beforeAll(async () => {
      ground = await Ground.make(under);
      repository = await ground.repository();
      source = await ground.tree("src", [
        { path: "a.txt", file: { text: "hello" } },
        { path: "keep/b.log", file: { text: "12345" } },
        { path: "cache/c", file: { text: "c" } },
        { path: "cache/keep.me", file: { text: "k" } },
      ]);
    }, 120_000);
    afterAll(() => ground[Symbol.asyncDispose]());

    const pathsIn = async (snapshot: string, name: string) => {
      const target = ground.path(name);
      await repository.restore({ snapshot, target });
      return (await describeTree(target)).map(({ path }) => path).filter((path) => path !== "");
    };

    test("that say what they hold", async () => {
      const { snapshot, unchanged, unreadable } = await repository.snapshot(snapshotOf(source));
      expect(snapshot).toMatchObject({
        identity: { username: "app", hostname: "shop", path: source },
        files: 4,
        bytes: 12,
        fidelity: "Full",
      });
      expect(Date.parse(snapshot.startedAt)).toBeGreaterThan(Date.parse("2020-01-01"));
      expect(snapshot.incomplete).toBeUndefined();
      expect({ unchanged, unreadable }).toEqual({ unchanged: false, unreadable: [] });
    });

    test("that are found by their run, and by no other", async () => {
      const options = snapshotOf(source);
      const { snapshot } = await repository.snapshot(options);
      expect(await listed(repository, { run: options.run })).toMatchObject([snapshot]);
      expect(await listed(repository, { run: `${options.run}0` })).toEqual([]);
    });

    test("with tags, without showing our own among them", async () => {
      const tags = { team: "blue", "app.kubernetes.io-name": "a=b c" };
      const { snapshot } = await repository.snapshot(snapshotOf(source, { tags }));
      expect(snapshot.tags).toEqual(tags);
      expect(await listed(repository, { tags: { team: "blue" } })).toMatchObject([snapshot]);
      expect(await listed(repository, { tags: { team: "blue", other: "x" } })).toEqual([]);
      expect(await listed(repository, { tags: { team: "blu" } })).toEqual([]);
    });

    test("of several identities, and tells them apart", async () => {
      const other = (username: string, hostname: string) =>
        snapshotOf(source, { identity: { username, hostname, path: source } });
      await repository.snapshot(other("one", "north"));
      await repository.snapshot(other("two", "north"));
      await repository.snapshot(other("one", "south"));
      const count = async (filter: object) => (await listed(repository, filter)).length;
      expect(await count({ username: "one" })).toBe(2);
      expect(await count({ hostname: "north" })).toBe(2);
      expect(await count({ username: "one", hostname: "north" })).toBe(1);
      expect(await count({ username: "one", hostname: "north", path: source })).toBe(1);
      expect(await count({ username: "one", path: `${source}x` })).toBe(0);
      expect(await count({ hostname: "nort" })).toBe(0);
    });

    test("in the order in which they were taken", async () => {
      const identity = { username: "ordered", hostname: "h", path: source };
      const ids: string[] = [];
      for (let i = 0; i < 3; i++)
        ids.push((await repository.snapshot(snapshotOf(source, { identity }))).snapshot.id);
      expect((await listed(repository, { username: "ordered" })).map(({ id }) => id)).toEqual(ids);
    });

    test("and keeps more of them than any default retention would", async () => {
      const identity = { username: "kept", hostname: "h", path: source };
      for (let i = 0; i < 13; i++) await repository.snapshot(snapshotOf(source, { identity }));
      expect(await listed(repository, { username: "kept" })).toHaveLength(13);
    });

    test("with equal roots for equal content, and others for other content", async () => {
      const identity = { username: "roots", hostname: "h", path: source };
      const first = await repository.snapshot(snapshotOf(source, { identity }));
      const second = await repository.snapshot(snapshotOf(source, { identity }));
      await appendFile(`${source}/a.txt`, "!");
      const third = await repository.snapshot(snapshotOf(source, { identity }));
      await writeFile(`${source}/a.txt`, "hello");
      const [one, two, three] = await listed(repository, { username: "roots" });
      expect([one?.id, two?.id, three?.id]).toEqual([first, second, third].map((made) => made.snapshot.id));
      expect(two?.root).toBe(one?.root);
      expect(three?.root).not.toBe(one?.root);
    });

    test("of what a file holds that was rewritten with its size and time, where all is read", async () => {
      const at = 1_700_000_000;
      const rewritten = await ground.tree("rewritten", [
        { path: "container", file: { text: "before" }, mtime: BigInt(at) * 1_000_000_000n },
      ]);
      await repository.snapshot(snapshotOf(rewritten));
      await writeFile(`${rewritten}/container`, "behind");
      await utimes(`${rewritten}/container`, at, at);
      // restic sees by another time that the file was touched.
      const extraArgs = under.name === "kopia" ? ["--force-hash=100"] : [];
      const { snapshot } = await repository.snapshot(snapshotOf(rewritten, { extraArgs }));
      const target = ground.path("out-rewritten");
      await repository.restore({ snapshot: snapshot.id, target });
      expect(await readFile(`${target}/container`, "utf8")).toBe("behind");
    });

    test("only of what changed, when asked", async () => {
      const identity = { username: "lazy", hostname: "h", path: source };
      const first = await repository.snapshot(snapshotOf(source, { identity, skipIdentical: true }));
      const seen: Progress[] = [];
      const onProgress = (progress: Progress) => void seen.push(progress);
      const again = await repository.snapshot(
        snapshotOf(source, { identity, skipIdentical: true, onProgress }),
      );
      expectRising(seen);
      expect(first.unchanged).toBe(false);
      expect(again).toMatchObject({ unchanged: true, snapshot: { id: first.snapshot.id } });
      await appendFile(`${source}/a.txt`, "?");
      const changed = await repository.snapshot(snapshotOf(source, { identity, skipIdentical: true }));
      await writeFile(`${source}/a.txt`, "hello");
      expect(changed.unchanged).toBe(false);
      expect(await listed(repository, { username: "lazy" })).toHaveLength(2);
    });

    test("although nothing changed, when the last one is of a run that is not to be referred to", async () => {
      const identity = { username: "wary", hostname: "h", path: source };
      const take = (run: string, ...identicalTo: string[]) =>
        repository.snapshot(snapshotOf(source, { identity, run, skipIdentical: true, identicalTo }));
      const first = await take("wary-1");
      const second = await take("wary-2", "wary-0");
      expect(second.unchanged).toBe(false);
      expect(second.snapshot.id).not.toBe(first.snapshot.id);
      // The last one counts, not one before it that would do.
      expect(await take("wary-3", "wary-1")).toMatchObject({ unchanged: false });
      const last = await take("wary-4", "wary-3");
      expect(last).toMatchObject({ unchanged: true, snapshot: { run: "wary-3" } });
    });

    test("of an identity's first source although another identity's is the same", async () => {
      await repository.snapshot(snapshotOf(source));
      const identity = { username: "newcomer", hostname: "shop", path: source };
      const { unchanged, snapshot } = await repository.snapshot(
        snapshotOf(source, { identity, skipIdentical: true }),
      );
      expect(unchanged).toBe(false);
      expect(snapshot.identity.username).toBe("newcomer");
    });

    test("that cost next to nothing when nothing changed", async () => {
      const big = await ground.tree("big", [
        { path: "data", file: { random: { bytes: 3_000_000, seed: 3 } } },
      ]);
      const first = await repository.snapshot(snapshotOf(big));
      const second = await repository.snapshot(snapshotOf(big));
      expect(first.addedBytes ?? 3_000_000).toBeGreaterThan(2_900_000);
      expect(second.addedBytes ?? 0).toBeLessThan(50_000);
      expect([first.changes?.unchanged, second.changes?.unchanged]).toEqual([0, 1]);
    });

    test("without what a pattern names", async () => {
      const { snapshot } = await repository.snapshot(snapshotOf(source, { ignore: { paths: ["*.log"] } }));
      expect(await pathsIn(snapshot.id, "out-pattern")).not.toContain("keep/b.log");
      expect(await pathsIn(snapshot.id, "out-pattern-2")).toContain("a.txt");
    });

    test("without what an anchored path names, and only there", async () => {
      const tree = await ground.tree("anchored", [
        { path: "x", file: { text: "1" } },
        { path: "sub/x", file: { text: "2" } },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(tree, { ignore: { paths: ["/x"] } }));
      expect(await pathsIn(snapshot.id, "out-anchored")).toEqual(["sub", "sub/x"]);
    });

    test("without a folder's content, but with what a later rule takes back", async () => {
      const { snapshot } = await repository.snapshot(
        snapshotOf(source, { ignore: { paths: ["cache/*", "!cache/keep.me"] } }),
      );
      const paths = await pathsIn(snapshot.id, "out-negated");
      expect(paths).toContain("cache/keep.me");
      expect(paths).not.toContain("cache/c");
    });

    test("without folders that call themselves caches, when asked", async () => {
      const tree = await ground.tree("tagged", [
        { path: "c/CACHEDIR.TAG", file: { text: "Signature: 8a477f597d28d172789f06886806bc55\n" } },
        { path: "c/in", file: { text: "x" } },
        { path: "d", file: { text: "x" } },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(tree, { ignore: { cacheDirs: true } }));
      const paths = await pathsIn(snapshot.id, "out-tagged");
      expect(paths).toContain("d");
      expect(paths).not.toContain("c/in");
    });

    test("and reports progress that never goes back, towards what there is in all", async () => {
      const tree = await ground.tree("progress", [
        { path: "data", file: { random: { bytes: 40_000_000, seed: 4 } } },
        { path: "left-out", file: { text: "ignored" } },
      ]);
      const seen: Progress[] = [];
      const ignore = { paths: ["/left-out"] };
      const onProgress = (progress: Progress) => void seen.push(progress);
      await repository.snapshot(snapshotOf(tree, { ignore, onProgress }));
      expectRising(seen);
      expect(seen.every(({ estimatedBytes = 0 }) => estimatedBytes >= 40_000_000)).toBe(true);
      const all = { files: 1, bytes: 40_000_000 };
      expect(seen.at(-1)).toMatchObject({ ...all, estimatedFiles: 1, estimatedBytes: 40_000_000 });
    });

    test("and reports the progress of a restore, which does not go back either", async () => {
      const tree = await ground.tree("progress-back", [
        { path: "data", file: { random: { bytes: 40_000_000, seed: 7 } } },
      ]);
      const { snapshot } = await repository.snapshot(snapshotOf(tree));
      const seen: Progress[] = [];
      const onProgress = (progress: Progress) => void seen.push(progress);
      await repository.restore({ snapshot: snapshot.id, target: ground.path("out-progress"), onProgress });
      expectRising(seen);
      expect(seen.at(-1)).toMatchObject({ bytes: 40_000_000 });
    });

    test("of files that grow meanwhile", async () => {
      const tree = await ground.tree("growing", [
        { path: "log", file: { random: { bytes: 20_000_000, seed: 5 } } },
      ]);
      const writer = spawn("sh", ["-c", `while :; do printf x >> "${tree}/log"; done`]);
      try {
        const { snapshot } = await repository.snapshot(snapshotOf(tree));
        expect(snapshot.bytes).toBeGreaterThanOrEqual(20_000_000);
        expect(await pathsIn(snapshot.id, "out-growing")).toEqual(["log"]);
      } finally {
        writer.kill("SIGKILL");
      }
    });

    test("of folders whose files come and go meanwhile", async () => {
      const tree = await ground.tree("busy", [
        { path: "stays", file: { text: "here" } },
        { path: "data", file: { random: { bytes: 10_000_000, seed: 6 } } },
      ]);
      const names = Array.from({ length: 40 }, (_, i) => i).join(" ");
      const loop = `while :; do for i in ${names}; do : > "${tree}/t$i"; done; rm -f "${tree}"/t*; done`;
      const writer = spawn("sh", ["-c", loop]);
      try {
        for (let i = 0; i < 3; i++) {
          const { snapshot } = await repository.snapshot(snapshotOf(tree));
          expect(snapshot.incomplete).toBeUndefined();
          expect(await pathsIn(snapshot.id, `out-busy-${i}`)).toEqual(
            expect.arrayContaining(["data", "stays"]),
          );
        }
      } finally {
        writer.kill("SIGKILL");
      }
    });

    test("never of a source that is not there", async () => {
      const missing = ground.path("nowhere");
      expect(await failureOf(repository.snapshot(snapshotOf(missing)))).toMatchObject({
        class: "SourceMissing",
        message: expect.stringContaining(missing),
        remedy: expect.stringContaining("mounted"),
      });
    });

    test("never with a tag that is ours", async () => {
      const work = repository.snapshot(snapshotOf(source, { tags: { "holdfast-run": "forged" } }));
      expect(await failureOf(work)).toMatchObject({ class: "InvalidOption" });
    });

    test("never with a tag that the engine would change", async () => {
      const work = repository.snapshot(snapshotOf(source, { tags: { list: "a,b" } }));
      expect(await failureOf(work)).toMatchObject({ class: "InvalidOption" });
    });

    test("without telling a secret on a command line", async () => {
      const seen: string[] = [];
      await using other = await Ground.make(under, {
        processes: {
          start(command, args, options) {
            seen.push([command, ...args].join("\n"));
            return systemStreamedProcesses.start(command, args, options);
          },
        },
      });
      const tree = await other.tree("src", [{ path: "a", file: { text: "a" } }]);
      const places = [other.location(), other.location("second")] as const;
      const [first, second] = [await other.repository(places[0]), await other.repository(places[1])];
      const { snapshot } = await first.snapshot(snapshotOf(tree));
      await first.restore({ snapshot: snapshot.id, target: other.path("out") });
      expect(await first.copyTo(second)).toMatchObject({ copied: 1 });
      const next = randomUUID();
      await first.changePassword(next);
      expect(await listed(first)).toHaveLength(1);
      expect(seen.length).toBeGreaterThan(4);
      const credentials = places.flatMap((place) => Object.values(place.credentials));
      for (const secret of [other.password, next, ...credentials])
        expect(seen.filter((command) => command.includes(secret))).toEqual([]);
      await rm(tree, { recursive: true });
    });
  });
}

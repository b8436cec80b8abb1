import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTree, describeTree, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";
import { type Ended, MoverPod } from "./mover_pod.ts";

const TREE: readonly TreeEntry[] = [
  { path: "", folder: {}, mode: 0o750 },
  { path: "empty", folder: {} },
  { path: "notes.txt", file: { text: "kept\n" }, mode: 0o640, mtime: 1_700_000_000_123_456_789n },
  { path: "deep/er/data", file: { random: { bytes: 300_000, seed: 1 } } },
  { path: "deep/twin", hardLink: "notes.txt" },
  { path: "link", symlink: "notes.txt" },
];

/** A file of zeros, so long that there is time to interfere. */
const LONG = 200 * 2 ** 30;

/** The bundled mover as a process, on a real engine. */
export function moverCases(engine: EngineName): void {
  describe(`the mover on ${engine}`, () => {
    let pod: MoverPod;
    let made: Snapshot;
    beforeAll(async () => {
      pod = await MoverPod.make(engine);
      for (const name of ["data", "other", "slow"]) await mkdir(pod.path("volumes", name));
      await writeFile(pod.path("volumes/slow/zeros"), "");
      await truncate(pod.path("volumes/slow/zeros"), LONG);
      await buildTree(pod.path("volumes/data"), TREE);
    });
    afterAll(() => pod[Symbol.asyncDispose]());

    test("creates a repository, and adopts it the next time", async () => {
      expect((await pod.run({ init: {} })).code).toBe(11);
      const first = await pod.run({ init: { create: true } });
      expect(first).toMatchObject({ code: 0, result: { repository: { created: true } } });
      const second = await pod.run({ init: { create: true } });
      expect(second.result.repository).toEqual({ ...first.result.repository, created: false });
    });

    test("makes a snapshot of each source, and says the same three times", async () => {
      const sources = [pod.source("data"), pod.source("other")];
      const { code, result, words, lines } = await pod.run({ snapshot: { sources } }, { run: "the-run" });
      expect(code).toBe(0);
      expect(result).toMatchObject({
        run: "the-run",
        answer: { snapshot: { snapshots: [{ source: "data" }, { source: "other" }] } },
      });
      expect(words).toEqual(result);
      expect(lines[0]).toEqual({ progress: { version: 1, step: "Connecting" } });
      const { catalog } = await pod.done({ catalog: { filter: { run: "the-run" } } });
      expect(catalog.found).toBe(2);
      made = catalog.snapshots.find(({ identity }) => identity.path.endsWith("/data")) as Snapshot;
      const { root: _, ...said } = made;
      expect(result).toMatchObject({ answer: { snapshot: { snapshots: [{ snapshot: said }, {}] } } });
    });

    test("restores what it saved, found by run and root, with nothing changed", async () => {
      const { run = "", root } = made;
      const snapshot = { id: "0123456789abcdef", run, root };
      const { restore } = await pod.done({ restore: { snapshot, target: "/holdfast/volumes/restored" } });
      expect(restore).toMatchObject({ snapshot: { id: made.id }, fidelity: "Full", losses: [] });
      const [before, after] = await Promise.all(
        ["data", "restored"].map((name) => describeTree(pod.path("volumes", name))),
      );
      expect(before?.length).toBe(TREE.length + 2);
      expect(treeDifferences(before ?? [], after ?? [])).toEqual([]);
    });

    test("restores what it saved by its ID, which is known to be of a run", async () => {
      const { id, run = "", identity } = made;
      const work = { restore: { snapshot: { id, run, identity }, target: "/holdfast/volumes/by-id" } };
      const { result } = await pod.run(work);
      expect(result).toMatchObject({
        repository: { created: false },
        answer: { restore: { snapshot: made, fidelity: "Full", losses: [] } },
      });
      const [before, after] = await Promise.all(
        ["data", "by-id"].map((name) => describeTree(pod.path("volumes", name))),
      );
      expect(treeDifferences(before ?? [], after ?? [])).toEqual([]);
    });

    test("checks and verifies", async () => {
      expect(await pod.done({ check: { dataPercent: 100 } })).toEqual({ check: { problems: [] } });
      expect(await pod.done({ verify: { snapshot: { id: made.id } } })).toMatchObject({
        verify: { problems: [] },
      });
    });

    test("copies to a second repository with a password of its own", async () => {
      const destination = { backend: { filesystem: { path: "/holdfast/second" } } };
      const copy = { destination, filter: { run: "the-run" } };
      expect((await pod.run({ copy })).code).toBe(11);
      await writeFile(pod.path("password/password"), "second secret");
      await pod.done({ init: { create: true } }, { repository: destination });
      await writeFile(pod.path("password/password"), "first secret");
      expect(await pod.done({ copy })).toEqual({ copy: { copied: 2, alreadyThere: 0 } });
      expect(await pod.done({ copy })).toEqual({ copy: { copied: 0, alreadyThere: 2 } });
    });

    test("deletes by reference and by run, and maintains", async () => {
      const snapshots = [{ id: made.id }, { id: "0123456789abcdef" }];
      expect(await pod.done({ delete: { snapshots } })).toEqual({ delete: { deleted: 1 } });
      const again = { delete: { snapshots, runs: ["the-run"] } };
      expect(await pod.done(again)).toEqual({ delete: { deleted: 1 } });
      expect((await pod.done({ catalog: {} })).catalog).toMatchObject({ found: 0, snapshots: [] });
      const mover = await pod.start({ maintain: { mode: "Quick" } });
      expect((await mover.ended).result.answer).toHaveProperty("maintain");
      expect(mover.progress.at(-1)).toMatchObject({ step: "maintain", movedBytes: expect.any(Number) });
      const { code, result } = await pod.run({
        restore: { snapshot: { id: made.id }, target: "/holdfast/x" },
      });
      expect([code, result.failure?.class]).toEqual([25, "SnapshotMissing"]);
    });

    test("says that the password is wrong, and leaves none of its files", async () => {
      await writeFile(pod.path("password/password"), "wrong");
      const { code, result } = await pod.run({ catalog: {} });
      await writeFile(pod.path("password/password"), "first secret");
      expect([code, result.failure?.class]).toEqual([10, "WrongPassword"]);
      expect(readdirSync(pod.path("scratch"))).toEqual([]);
    });

    test("told to end twice in the middle of a snapshot, cleans up and says Cancelled", async () => {
      const mover = await slowSnapshot();
      mover.child.kill("SIGTERM");
      mover.child.kill("SIGINT");
      await pause(20);
      mover.child.kill("SIGTERM");
      await expectStopped(await mover.ended, 35, "Cancelled");
    });

    test("stops at its deadline", async () => {
      const mover = await slowSnapshot({ deadlineSeconds: 8 });
      await expectStopped(await mover.ended, 36, "Deadline");
    });

    test("goes on when nobody reads its report", async () => {
      const mover = await pod.start({ snapshot: { sources: [pod.source("data")] } }, { run: "unread" });
      mover.child.stdout?.destroy();
      const { code, words } = await mover.ended;
      expect(code).toBe(0);
      expect(words).toMatchObject({
        run: "unread",
        answer: { snapshot: { snapshots: [{ source: "data" }] } },
      });
    });

    test("is prepared, and makes its snapshot once a second process tells it to start", async () => {
      const work = { snapshot: { sources: [pod.source("data")] } };
      const mover = await pod.start(work, { startsBySignal: true });
      await mover.until(({ step }) => step === "Prepared");
      const told = spawn(process.execPath, [pod.path("mover.mjs"), "start"], { env: pod.env });
      expect(await once(told, "close")).toEqual([0, null]);
      const { code, result } = await mover.ended;
      expect([code, result.failure]).toEqual([0, undefined]);
      await rm(pod.path("scratch/start"));
      expect(await pod.done({ delete: { snapshots: [], runs: [result.run] } })).toEqual({
        delete: { deleted: 1 },
      });
    });

    test("that nobody tells to start gives up, and has touched nothing", async () => {
      const work = { snapshot: { sources: [pod.source("data")] } };
      const ended = await pod.run(work, { startsBySignal: true, prepareTimeoutSeconds: 1 });
      expect(ended.result.failure?.message).toBe("the prepared mover was not told to start within 1 s");
      expect(ended.result).not.toHaveProperty("repository");
      await expectStopped(ended, 36, "Deadline");
    });

    test("killed in the middle of a snapshot, leaves a repository that the next one uses", async () => {
      const mover = await slowSnapshot();
      await mover.kill();
      if (engine === "restic") expect(readdirSync(pod.path("repository/locks"))).toHaveLength(1);
      const { snapshots } = (await pod.done({ catalog: {} })).catalog;
      expect(snapshots.map(({ run }) => run)).toEqual(["unread"]);
      // A lock of the dead keeps nobody out: not who writes, not who deletes, not who must be alone.
      await pod.done({ snapshot: { sources: [pod.source("data")] } }, { run: "after" });
      const gone = { delete: { snapshots: [], runs: ["after"] } };
      expect(await pod.done(gone)).toEqual({ delete: { deleted: 1 } });
      await pod.done({ maintain: { mode: "Full" } });
      expect(await pod.done({ check: {} })).toEqual({ check: { problems: [] } });
      if (engine === "restic") expect(readdirSync(pod.path("repository/locks"))).toEqual([]);
    });

    test("logs what the engine says at the level debug alone", async () => {
      const nowhere = { repository: { backend: { filesystem: { path: "/holdfast/nowhere" } } } } as const;
      const said = async (env: Readonly<Record<string, string>>) => {
        const { code, lines } = await pod.run({ init: {} }, nowhere, env);
        expect(code).toBe(11);
        return lines.flatMap((line) =>
          "log" in line && line.log.level === "debug" ? [line.log.message] : [],
        );
      };
      expect(await said({})).toEqual([]);
      const debug = await said({ HOLDFAST_LOG_LEVEL: "debug" });
      // Which commands it was given, and its own words on that there is no repository.
      expect(debug).toContainEqual(expect.stringMatching(new RegExp(`^${engine}\\S* [-\\w]`)));
      expect(debug).toContainEqual(expect.stringMatching(new RegExp(`^${engine}\\S*: .*no such file`)));
      expect(debug.join("\n")).not.toContain("first secret");
    });

    test.each([
      ["of another version", { version: 2 }, /version 1/],
      ["without a repository", { repository: undefined }, "spec lacks the field repository"],
      ["of another engine", { engine: "borg" }, /one of kopia, restic/],
    ])("refuses a work spec %s", async (_, more, message) => {
      const { code, result, words } = await pod.run({ check: {} }, more as object);
      expect(code).toBe(2);
      expect(result.failure?.message).toMatch(message);
      expect(words).toEqual(result);
    });

    /** A snapshot that has begun to read, and has long to go. */
    async function slowSnapshot(more = {}) {
      const mover = await pod.start({ snapshot: { sources: [pod.source("slow")] } }, more);
      const reads = ({ bytes = 0, hashedBytes = 0 }) => bytes + hashedBytes > 0;
      await mover.until((progress) => progress.step === "snapshot" && reads(progress));
      return mover;
    }

    async function expectStopped({ code, result, words }: Ended, exit: number, errorClass: string) {
      expect([code, result.failure?.class]).toEqual([exit, errorClass]);
      expect(words).toEqual(result);
      expect(result.answer).toBeUndefined();
      expect(readdirSync(pod.path("scratch"))).toEqual([]);
      if (engine === "restic") expect(readdirSync(pod.path("repository/locks"))).toEqual([]);
      expect((await pod.done({ catalog: { filter: { run: result.run } } })).catalog.found).toBe(0);
    }
  });
}

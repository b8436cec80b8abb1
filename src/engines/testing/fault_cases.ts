import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { DeadlineExceeded } from "../../lib/clock.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { Repository, RepositoryLocation } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { damage, largestFile, mounted, stopped, withLock } from "./interference.ts";
import { describeTree, treeDifferences } from "./tree.ts";

interface Stoppable {
  readonly second: Repository;
  readonly snapshot: string;
  readonly signal: AbortSignal;
}

/** What else may be told to stop, beside backups and restores. */
const STOPPABLE: readonly [string, (repository: Repository, on: Stoppable) => Promise<unknown>][] = [
  ["maintenance", (repository, { signal }) => repository.maintain({ mode: "Full", signal })],
  ["a check", (repository, { signal }) => repository.check({ dataPercent: 100, signal })],
  ["a verification", (repository, { snapshot, signal }) => repository.verify({ snapshot, signal })],
  ["a copy", (repository, { second, signal }) => repository.copyTo(second, { signal })],
  ["a deletion", (repository, { snapshot, signal }) => repository.delete([snapshot], { signal })],
  ["a change of password", (repository, { signal }) => repository.changePassword("a new one", { signal })],
];

/** Of a password nobody knows whether it was changed by the time that this was stopped. */
async function openedWithEither(ground: Ground, another: string): Promise<Repository> {
  const opened = async (location: RepositoryLocation) => {
    const repository = ground.keep(await ground.engine.open(location));
    repository.id;
    return repository;
  };
  return opened(ground.location()).catch((error) => {
    expect(error).toMatchObject({ class: "WrongPassword" });
    return opened(ground.location("repository", another));
  });
}

/** When things go wrong: the class of the error, its remedy, and what is left. */
export function faultCases(under: EngineUnderTest): void {
  const asRoot = test.skipIf(process.getuid?.() !== 0);
  const onDisk = test.skipIf(under.place !== undefined);
  const asRootOnDisk = test.skipIf(process.getuid?.() !== 0 || under.place !== undefined);
  describe("when things go wrong", { timeout: 180_000 }, () => {
    const withData = async (bytes = 2_000_000) => {
      const ground = await Ground.make(under);
      const source = await ground.tree("src", [
        ...Array.from({ length: 20 }, (_, i) => ({
          path: `f${i}`,
          file: { random: { bytes: Math.floor(bytes / 20), seed: i } },
        })),
      ]);
      return { ground, source, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() };
    };

    test("a server that does not answer is Unreachable", async () => {
      await using ground = await Ground.make(under);
      const s3 = { bucket: "somewhere", endpoint: "http://127.0.0.1:1" };
      const credentials = { AWS_ACCESS_KEY_ID: "some", AWS_SECRET_ACCESS_KEY: "thing" };
      for (const attempt of ["open", "create"] as const) {
        const work = ground.engine[attempt]({ backend: { s3 }, credentials, password: "x" });
        expect(await failureOf(work)).toMatchObject({
          class: "Unreachable",
          remedy: expect.stringContaining("storage server"),
        });
      }
    });

    test("credentials that are not there are CredentialsMissing, by name", async () => {
      await using ground = await Ground.make(under);
      const work = ground.engine.open({ backend: { s3: { bucket: "b" } }, credentials: {}, password: "x" });
      expect(await failureOf(work)).toMatchObject({
        class: "CredentialsMissing",
        message: expect.stringContaining("AWS_ACCESS_KEY_ID"),
      });
    });

    asRootOnDisk("a full repository is Full, and takes snapshots again with more space", async () => {
      await using world = await withData(30_000_000);
      const { ground, source } = world;
      await mkdir(ground.path("small"));
      using small = mounted(ground.path("small"), "8m");
      const repository = await ground.repository(ground.location("small/repository"));
      const failure = await failureOf(repository.snapshot(snapshotOf(source)));
      expect(failure).toMatchObject({ class: "Full", remedy: expect.stringContaining("space") });
      expect(await listed(repository)).toEqual([]);
      const names = await readdir(ground.path("small/repository"), { recursive: true });
      expect(names.filter((name) => /\.tmp\.|-tmp-/.test(name))).toEqual([]);
      small.grow("200m");
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      expect(await listed(repository)).toMatchObject([snapshot]);
    });

    asRoot("a source that is unmounted meanwhile is SourceMissing, and leaves no snapshot", async () => {
      let unmount = () => {};
      await using ground = await Ground.make(under, {
        processes: {
          start(command, args, options) {
            if (args.includes(ground.path("src"))) unmount();
            return systemStreamedProcesses.start(command, args, options);
          },
        },
      });
      const repository = await ground.repository();
      await mkdir(ground.path("src"));
      {
        using disk = mounted(ground.path("src"), "8m");
        await writeFile(ground.path("src/a"), "content");
        unmount = () => {
          unmount = () => {};
          disk[Symbol.dispose]();
        };
        const failure = await failureOf(repository.snapshot(snapshotOf(ground.path("src"))));
        expect(failure).toMatchObject({
          class: "SourceMissing",
          message: expect.stringContaining("unmounted"),
        });
      }
      expect(await listed(repository)).toEqual([]);
    });

    test("a password that is changed meanwhile ends the work or lets it end, and is needed from then on", async () => {
      await using world = await withData(40_000_000);
      const { ground, source } = world;
      const repository = await ground.repository();
      const old = ground.keep(await ground.engine.open(ground.location()));
      const work = old.snapshot(snapshotOf(source)).then(
        ({ snapshot }) => snapshot.id,
        (error) => error.class,
      );
      const change = () => repository.changePassword("a new one");
      // Of an engine with locks, one has to wait for the other.
      const refused = await change().catch((error) => error.class);
      const outcome = await work;
      if (refused !== undefined) {
        expect(refused).toBe("Locked");
        await change();
      }
      const there = (await listed(repository)).map(({ id }) => id);
      expect(there).toEqual(["WrongPassword", "Locked"].includes(outcome) ? [] : [outcome]);
      expect(await failureOf(old.snapshot(snapshotOf(source)))).toMatchObject({ class: "WrongPassword" });
      await repository.snapshot(snapshotOf(source));
      expect(await listed(repository)).toHaveLength(there.length + 1);
    });

    asRoot("a full target is TargetFull", async () => {
      await using world = await withData(30_000_000);
      const { ground, source } = world;
      const repository = await ground.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      await mkdir(ground.path("tiny"));
      using _ = mounted(ground.path("tiny"), "8m");
      const work = repository.restore({ snapshot: snapshot.id, target: ground.path("tiny") });
      expect(await failureOf(work)).toMatchObject({
        class: "TargetFull",
        remedy: expect.stringContaining("larger"),
      });
    });

    asRootOnDisk(
      "a repository on a read-only file system is ReadOnly to write, and can be read",
      async () => {
        await using world = await withData();
        const { ground, source } = world;
        await mkdir(ground.path("disk"));
        using disk = mounted(ground.path("disk"), "100m");
        const writable = await ground.repository(ground.location("disk/repository"));
        const { snapshot } = await writable.snapshot(snapshotOf(source));
        disk.readOnly();
        expect(await failureOf(writable.snapshot(snapshotOf(source)))).toMatchObject({ class: "ReadOnly" });
        const reading = ground.keep(
          await ground.engine.open(ground.location("disk/repository"), { readOnly: true }),
        );
        expect(await listed(reading)).toMatchObject([snapshot]);
        await reading.restore({ snapshot: snapshot.id, target: ground.path("out") });
        expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual(
          [],
        );
      },
    );

    onDisk(
      "damaged content is found by a check and by verifying, and is Corrupt, by name, to a restore",
      async () => {
        await using world = await withData();
        const { ground, source } = world;
        const repository = await ground.repository();
        const { snapshot } = await repository.snapshot(snapshotOf(source));
        await damage(ground.path("repository"));
        expect((await repository.check({ dataPercent: 100 })).problems).not.toEqual([]);
        expect((await repository.verify({ snapshot: snapshot.id })).problems).not.toEqual([]);
        const work = repository.restore({ snapshot: snapshot.id, target: ground.path("out") });
        expect(await failureOf(work)).toMatchObject({
          class: "Corrupt",
          remedy: expect.stringContaining("keep the storage"),
          detail: expect.stringMatching(/\/f\d+\b/),
        });
      },
    );

    onDisk("missing content is found by a check of the structure alone", async () => {
      await using world = await withData();
      const { ground, source } = world;
      const repository = await ground.repository();
      await repository.snapshot(snapshotOf(source));
      await rm(await largestFile(ground.path("repository")));
      expect((await repository.check()).problems).not.toEqual([]);
    });

    onDisk("a repository that is gone is NotARepository, and not an empty one", async () => {
      await using world = await withData();
      const { ground, source } = world;
      const repository = await ground.repository();
      await repository.snapshot(snapshotOf(source));
      await rm(ground.path("repository"), { recursive: true });
      expect(await failureOf(listed(repository))).toMatchObject({ class: "NotARepository" });
      expect(await failureOf(repository.snapshot(snapshotOf(source)))).toMatchObject({
        class: "NotARepository",
      });
    });

    test("a program that is not there is EngineMissing", async () => {
      await using ground = await Ground.make(under, {
        processes: { start: () => Promise.reject(new Error("it could not be started: ENOENT")) },
      });
      expect(await failureOf(ground.repository())).toMatchObject({ class: "EngineMissing" });
    });

    test("what is cancelled before it begins does nothing", async () => {
      await using world = await withData();
      const repository = await world.ground.repository();
      const work = repository.snapshot(snapshotOf(world.source, { signal: AbortSignal.abort() }));
      expect(await failureOf(work)).toMatchObject({ class: "Cancelled" });
      expect(await listed(repository)).toEqual([]);
    });

    for (const [reason, errorClass] of [
      [undefined, "Cancelled"],
      [new DeadlineExceeded("it took longer than 1 s"), "Deadline"],
    ] as const) {
      test(`a backup that is stopped anywhere is ${errorClass}, leaves no lock, and the next one succeeds`, async () => {
        await using world = await withData(40_000_000);
        const repository = await world.ground.repository();
        for (const ms of [50, 400, 700, 1000]) {
          const options = snapshotOf(world.source);
          const outcome = await stopped(ms, reason, (signal) => repository.snapshot({ ...options, signal }));
          expect(["done", errorClass]).toContain(outcome);
          const made = await listed(repository, { run: options.run });
          expect(made, `${outcome} after ${ms} ms`).toHaveLength(outcome === "done" ? 1 : 0);
        }
        const { snapshot } = await repository.snapshot(snapshotOf(world.source));
        expect((await listed(repository)).map(({ id }) => id)).toContain(snapshot.id);
        expect(await repository.delete([snapshot.id])).toBe(1);
      });
    }

    test("a restore that is stopped anywhere can be done again", async () => {
      await using world = await withData(40_000_000);
      const { ground, source } = world;
      const repository = await ground.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      const target = ground.path("out");
      const restore = (signal?: AbortSignal) =>
        repository.restore({
          snapshot: snapshot.id,
          target,
          existing: "Overwrite",
          ...(signal ? { signal } : {}),
        });
      for (const ms of [100, 900, 1400])
        expect(["done", "Cancelled"]).toContain(await stopped(ms, undefined, restore));
      await restore();
      expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
      expect(await repository.delete([snapshot.id])).toBe(1);
    });

    test.each(STOPPABLE)("%s that is stopped anywhere leaves no lock, and nothing wrong", async (_, work) => {
      await using world = await withData();
      const { ground, source } = world;
      const first = await ground.repository();
      const second = await ground.repository(ground.location("second"));
      const made: string[] = [];
      for (let i = 0; i < 4; i++) made.push((await first.snapshot(snapshotOf(source))).snapshot.id);
      const outcomes: string[] = [];
      for (const ms of [10, 400, 800]) {
        const repository = await openedWithEither(ground, "a new one");
        const snapshot = made.pop() ?? "";
        outcomes.push(
          await stopped(ms, undefined, (signal) => work(repository, { second, snapshot, signal })),
        );
      }
      expect(outcomes[0]).toBe("Cancelled");
      expect(outcomes.filter((outcome) => outcome !== "done" && outcome !== "Cancelled")).toEqual([]);
      const again = await openedWithEither(ground, "a new one");
      expect(await again.delete(made)).toBe(1);
      expect(await again.check({ dataPercent: 100 })).toEqual({ problems: [] });
      expect(await second.check()).toEqual({ problems: [] });
      const copied = (await listed(second)).map(({ id }) => id);
      expect(await second.delete(copied)).toBe(copied.length);
      expect(await listed(second)).toEqual([]);
    });

    onDisk("a lock that a killed process left is removed by unlock, and only that one", async () => {
      await using world = await withData();
      const { ground, source } = world;
      const repository = await ground.repository();
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      if (!ground.engine.capabilities.locks) return expect(await repository.unlock({ all: true })).toBe(0);
      await withLock(ground, repository, source, async (kill) => {
        expect(await failureOf(repository.delete([snapshot.id]))).toMatchObject({
          class: "Locked",
          message: expect.stringMatching(/locked by PID \d+ on \S+ since \d{4}-/),
          remedy: expect.stringContaining("owner is dead"),
        });
        expect(await repository.unlock()).toBe(0);
        await kill();
        expect(await repository.unlock()).toBe(1);
      });
      expect(await repository.delete([snapshot.id])).toBe(1);
    });
  });
}

import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DeadlineExceeded } from "../../lib/clock.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { Repository } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { describeTree, treeDifferences } from "./tree.ts";

/** When things go wrong: the class of the error, its remedy, and what is left. */
export function faultCases(under: EngineUnderTest): void {
  const asRoot = test.skipIf(process.getuid?.() !== 0);
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

    asRoot("a full repository is Full, and takes snapshots again with more space", async () => {
      await using world = await withData(30_000_000);
      const { ground, source } = world;
      await mkdir(ground.path("small"));
      using small = mounted(ground.path("small"), "8m");
      const repository = await ground.repository(ground.location("small/repository"));
      const failure = await failureOf(repository.snapshot(snapshotOf(source)));
      expect(failure).toMatchObject({ class: "Full", remedy: expect.stringContaining("space") });
      expect(await listed(repository)).toEqual([]);
      small.grow("200m");
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      expect(await listed(repository)).toEqual([snapshot]);
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

    asRoot("a repository on a read-only file system is ReadOnly to write, and can be read", async () => {
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
      expect(await listed(reading)).toEqual([snapshot]);
      await reading.restore({ snapshot: snapshot.id, target: ground.path("out") });
      expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual([]);
    });

    test("damaged content is found by a check and by verifying, and is Corrupt to a restore", async () => {
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
      });
    });

    test("missing content is found by a check of the structure alone", async () => {
      await using world = await withData();
      const { ground, source } = world;
      const repository = await ground.repository();
      await repository.snapshot(snapshotOf(source));
      await rm(await largestFile(ground.path("repository")));
      expect((await repository.check()).problems).not.toEqual([]);
    });

    test("a repository that is gone is NotARepository, and not an empty one", async () => {
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
          const outcome = await stopped(ms, reason, (signal) =>
            repository.snapshot(snapshotOf(world.source, { signal })),
          );
          expect(["done", errorClass]).toContain(outcome);
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

    test("a lock that a killed process left is removed by unlock, and only that one", async () => {
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

async function stopped(
  ms: number,
  reason: unknown,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<string> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason), ms);
  try {
    await work(controller.signal);
    return "done";
  } catch (error) {
    return (error as { readonly class?: ErrorClass }).class ?? String(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs something while another process of the engine holds its lock on the repository, frozen in the middle of a backup. */
async function withLock(
  ground: Ground,
  repository: Repository,
  source: string,
  use: (kill: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const locks = ground.path("repository", "locks");
  const seen: number[] = [];
  const other = ground.under.makeEngine({
    folder: ground.path("other-engine"),
    processes: {
      async start(command, args, options) {
        if (!args.includes("backup")) return systemStreamedProcesses.start(command, args, options);
        const child = spawn(command, args, { cwd: options.cwd, env: options.env });
        seen.push(child.pid ?? 0);
        const ended = new Promise<{ code: number | null; signal: string | null }>((end) => {
          child.once("close", (code, signal) => end({ code, signal }));
        });
        return {
          stdout: child.stdout,
          stderr: child.stderr,
          ended,
          kill: (signal) => void child.kill(signal),
        };
      },
    },
  });
  const opened = await other.open(ground.location());
  // There is so much that is new, and it is so slow, that it is still at it when it is frozen.
  await writeFile(join(source, "more"), randomBytes(200_000));
  const work = opened
    .snapshot(snapshotOf(source, { extraArgs: ["--limit-upload", "1"] }))
    .catch(() => undefined);
  while ((await readdir(locks)).length === 0) await new Promise((wake) => setTimeout(wake, 20));
  const [pid = 0] = seen;
  process.kill(pid, "SIGSTOP");
  try {
    await use(async () => {
      process.kill(pid, "SIGKILL");
      await work;
    });
  } finally {
    await work;
    await opened.close();
    await repository.stats();
  }
}

async function largestFile(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const sized = await Promise.all(
    names.map(async (name) => ({ name, info: await stat(join(folder, name)) })),
  );
  const [largest] = sized.filter(({ info }) => info.isFile()).toSorted((a, b) => b.info.size - a.info.size);
  return join(folder, largest?.name ?? "");
}

/** Overwrites a piece in the middle of the repository's largest file. */
async function damage(folder: string): Promise<void> {
  const path = await largestFile(folder);
  execFileSync("chmod", ["u+w", path]);
  const { size } = await stat(path);
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(1000, 0x5a), 0, 1000, Math.floor(size / 2));
  await file.close();
}

/** A small file system in memory, for as long as it is used. */
function mounted(path: string, size: string) {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return {
    grow: (larger: string) => execFileSync("mount", ["-o", `remount,size=${larger}`, path]),
    readOnly: () => execFileSync("mount", ["-o", "remount,ro", path]),
    [Symbol.dispose]: () => void execFileSync("umount", ["-l", path]),
  };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BackendKind } from "../../wire/backend.ts";
import type { EngineName } from "../../wire/capabilities.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { RepositoryLocation } from "../engine.ts";
import { type EngineUnderTest, failureOf, Ground, listed, snapshotOf } from "./ground.ts";
import { describeTree, treeDifferences } from "./tree.ts";

export type Place = Omit<RepositoryLocation, "password">;

/** A storage server of one kind. */
export interface StorageUnderTest {
  readonly name: string;
  readonly kind: BackendKind;
  /** `folder` is empty, and the server's own. */
  start(folder: string): Promise<RunningStorage>;
}

export interface RunningStorage {
  /** What engines need in their environment to reach it. Default: nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** A place for a repository by this name. */
  at(name: string): Place;
  readonly bucketMissing?: Place;
  readonly forbidden?: Place;
  /** The server is not the one that the place says. */
  readonly untrusted?: Place;
  stop(): Promise<void>;
}

/** A storage server cannot be had on this machine: its cases are skipped, for this reason. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

/** What has to work on every storage that the engine knows. */
export function backendCases(under: EngineUnderTest, storages: readonly StorageUnderTest[]): void {
  for (const storage of storages) {
    describe(`${under.name} on ${storage.name}`, { timeout: 300_000 }, () => {
      let folder: string;
      let ground: Ground;
      let running: RunningStorage;
      let source: string;
      let supported: boolean;
      let unavailable: string | undefined;

      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "hf-server-"));
        try {
          running = await storage.start(folder);
        } catch (error) {
          if (!(error instanceof StorageUnavailable)) throw error;
          unavailable = error.message;
          return;
        }
        ground = await Ground.make(under, { env: running.env ?? {} });
        supported = ground.engine.capabilities.backends.includes(storage.kind);
        source = await ground.tree("src", [
          { path: "a", file: { text: "content" }, mode: 0o600, uid: 1000, gid: 1000 },
          { path: "sub/b", file: { random: { bytes: 3_000_000, seed: 9 } } },
          { path: "sub/c", hardLink: "a" },
        ]);
      }, 300_000);
      beforeEach(({ skip }) => skip(unavailable !== undefined, unavailable));
      afterAll(async () => {
        if (unavailable === undefined) {
          await running.stop();
          await ground[Symbol.asyncDispose]();
        }
        await rm(folder, { recursive: true, force: true });
      });

      const at = (name: string, password = ground.password) => ({ ...running.at(name), password });

      test("keeps and brings back a snapshot, and deletes it", async () => {
        if (!supported) {
          expect(await failureOf(ground.engine.create(at("repo")))).toMatchObject({ class: "Unsupported" });
          return;
        }
        const repository = ground.keep(await ground.engine.create(at("repo")));
        const { snapshot } = await repository.snapshot(snapshotOf(source));
        const again = ground.keep(await ground.engine.create(at("repo")));
        expect(again.created).toBe(false);
        expect(again.id).toBe(repository.id);
        expect(await listed(again)).toMatchObject([snapshot]);
        await again.restore({ snapshot: snapshot.id, target: ground.path("out") });
        expect(treeDifferences(await describeTree(source), await describeTree(ground.path("out")))).toEqual(
          [],
        );
        expect(await again.delete([snapshot.id])).toBe(1);
        await again.maintain({ mode: "Full", immediate: true });
        expect(await again.check()).toEqual({ problems: [] });
        expect(await listed(again)).toEqual([]);
      });

      test("tells a wrong password from an empty place", async () => {
        if (!supported) return;
        expect(await failureOf(ground.engine.open(at("empty")))).toMatchObject({ class: "NotARepository" });
        ground.keep(await ground.engine.create(at("mine")));
        expect(await failureOf(ground.engine.create(at("mine", "another")))).toMatchObject({
          class: "WrongPassword",
        });
      });

      test("says why it cannot be reached", async () => {
        if (!supported) return;
        const wanted = [
          ["BucketMissing", running.bucketMissing],
          ["Forbidden", running.forbidden],
          ["UntrustedServer", running.untrusted],
        ] as const;
        for (const [errorClass, place] of wanted) {
          for (const attempt of ["open", "create"] as const) {
            if (place === undefined || !tells(under.name, storage.kind, errorClass)) continue;
            const work = ground.engine[attempt]({ ...place, password: "x" });
            expect(await failureOf(work), `${attempt} ${errorClass}`).toMatchObject({ class: errorClass });
          }
        }
      });

      // Some clients repeat their requests in silence, for which they are given two minutes.
      test("is Unreachable once the server is gone, and not empty", { timeout: 600_000 }, async () => {
        if (!supported || storage.kind === "rclone") return;
        const repository = ground.keep(await ground.engine.create(at("gone")));
        await running.stop();
        expect(await failureOf(listed(repository))).toMatchObject({ class: "Unreachable" });
        expect(await failureOf(ground.engine.create(at("gone")))).toMatchObject({ class: "Unreachable" });
      });
    });
  }
}

/** restic mostly looks for one object, whose absence says nothing of the bucket; on S3 it can be made to tell. */
function tells(engine: EngineName, kind: BackendKind, errorClass: ErrorClass): boolean {
  if (engine !== "restic" || errorClass !== "BucketMissing") return true;
  return kind === "azure" || kind === "b2" || kind === "s3";
}

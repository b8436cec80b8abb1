import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import type { EngineName } from "../../wire/capabilities.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type { Engine, Repository, RepositoryLocation, SnapshotOptions } from "../engine.ts";
import { buildTree, type TreeEntry } from "./tree.ts";

export interface MakeEngineOptions {
  /** For everything that the engine keeps on disk. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly processes?: StreamedProcesses;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly standstillMs?: number;
}

export type MakeEngine = (options: MakeEngineOptions) => Engine;

/** An engine that the suite is about. */
export interface EngineUnderTest {
  readonly name: EngineName;
  readonly makeEngine: MakeEngine;
  /**
   * Path of a module that exports the same `makeEngine`, for cases that need a process of another user; the program
   * of that process, `user_program.ts`, lies beside it.
   */
  readonly module: string;
  /** Where repositories by these names are, on a server. Default: in folders of this machine. */
  readonly place?: (name: string) => Omit<RepositoryLocation, "password">;
  /** The programs that it runs, by the names under which `makeEngine` finds them. */
  readonly programs: () => Readonly<Record<string, string>>;
}

/** A place for one group of cases: folders, an engine, repositories. */
export class Ground implements AsyncDisposable {
  readonly under: EngineUnderTest;
  readonly folder: string;
  readonly engine: Engine;
  readonly password: string = randomUUID();
  readonly #open: Repository[] = [];

  static async make(
    under: EngineUnderTest,
    options: Omit<MakeEngineOptions, "folder"> = {},
  ): Promise<Ground> {
    return new Ground(under, await mkdtemp(join(tmpdir(), "hf-")), options);
  }

  constructor(under: EngineUnderTest, folder: string, options: Omit<MakeEngineOptions, "folder">) {
    this.under = under;
    this.folder = folder;
    this.engine = under.makeEngine({ folder: this.path("engine"), ...options });
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  /** A repository's place, that exists or not. */
  location(name = "repository", password = this.password): RepositoryLocation {
    const { place } = this.under;
    // A server is shared by many of these.
    if (place) return { ...place(`${basename(this.folder)}-${name}`), password };
    return { backend: { filesystem: { path: this.path(name) } }, credentials: {}, password };
  }

  async repository(location: RepositoryLocation = this.location()): Promise<Repository> {
    return this.keep(await this.engine.create(location));
  }

  /** Closes it at the end. */
  keep(repository: Repository): Repository {
    this.#open.push(repository);
    return repository;
  }

  async tree(name: string, entries: readonly TreeEntry[]): Promise<string> {
    await mkdir(this.path(name), { recursive: true });
    await buildTree(this.path(name), entries);
    return this.path(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const repository of this.#open) await repository.close();
    // At once: a million files would otherwise take longer to remove than to restore.
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let runs = 0;

/** Options of a snapshot of `source` by a run of its own. */
export function snapshotOf(source: string, more: Partial<SnapshotOptions> = {}): SnapshotOptions {
  runs += 1;
  const identity = { username: "app", hostname: "shop", path: source };
  return { source, identity, run: `run-${process.pid}-${runs}`, ...more };
}

export async function listed(
  repository: Repository,
  filter: SnapshotFilter = {},
): Promise<readonly Snapshot[]> {
  return all(repository.list(filter));
}

/** Everything that an iteration yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The EngineError's class, message and remedy that a promise rejects with; throws when it does not reject. */
export async function failureOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (error) {
    const { class: errorClass, message, remedy, detail } = error as Record<string, unknown>;
    return { class: errorClass ?? String(error), message, remedy, detail };
  }
  throw new Error("it was expected to fail, and did not");
}

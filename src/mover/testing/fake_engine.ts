import { throwIfAborted } from "../../engines/aborted.ts";
import type {
  CopyOptions,
  Engine,
  MaintainOptions,
  OpenOptions,
  OperationOptions,
  Repository,
  RestoreOptions,
  SnapshotOptions,
} from "../../engines/engine.ts";
import { CAPABILITIES, type EngineName } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Entry } from "../../wire/entry.ts";
import type { MissingData } from "../../wire/missing.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../wire/work.ts";

/** An engine in memory: its repositories are there for the life of the object, by the path of their folder. */
export class FakeEngine implements Engine {
  readonly name: EngineName;
  readonly repositories = new Map<string, FakeRepository>();
  /** What each repository was opened with. */
  readonly opened: OpenOptions[] = [];

  constructor(name: EngineName = "restic") {
    this.name = name;
  }

  get capabilities() {
    return CAPABILITIES[this.name];
  }

  async open({ backend }: Parameters<Engine["open"]>[0], options: OpenOptions = {}) {
    this.opened.push(options);
    throwIfAborted("opening the repository", options.signal);
    const found = this.repositories.get(JSON.stringify(backend));
    if (!found) throw new EngineError("NotARepository", "opening the repository: there is none");
    return found;
  }

  async create(location: Parameters<Engine["create"]>[0]) {
    const key = JSON.stringify(location.backend);
    const repository = this.repositories.get(key) ?? new FakeRepository();
    this.repositories.set(key, repository);
    return repository;
  }
}

/** What a test can change: `snapshots`, `folders`, `files`, `locks`, `maintainer`, `problems`, `missing`, `fail`, and what it was asked. */
export class FakeRepository implements Repository {
  readonly created: boolean = false;
  snapshots: Snapshot[] = [];
  /** Of every restore. */
  warnings: readonly string[] = [];
  /** What a folder holds, by `snapshot/path`. */
  readonly folders = new Map<string, readonly Entry[]>();
  readonly files = new Map<string, readonly Uint8Array[]>();
  /** Locks of dead owners, which keep exclusive work out. */
  locks = 0;
  /** Somebody else, who maintains the repository. */
  maintainer: string | undefined;
  problems: readonly string[] = [];
  missing: MissingData | undefined;
  /** Called before everything; what it throws is the operation's failure. */
  fail: (operation: string, count: number) => void | Promise<void> = () => {};
  readonly asked: string[] = [];
  closed = false;

  get id(): string {
    return "fake";
  }

  async #begin(operation: string, options: OperationOptions = {}): Promise<void> {
    this.asked.push(operation);
    await this.fail(operation, this.asked.filter((name) => name === operation).length);
    throwIfAborted(operation, options.signal);
    options.onProgress?.({ files: 1 });
  }

  #alone(): void {
    if (this.locks > 0) throw new EngineError("Locked", "the repository is locked");
  }

  async snapshot(options: SnapshotOptions) {
    await this.#begin("snapshot", options);
    const { identity, run, tags = {} } = options;
    const snapshot = snapshotOf(this.snapshots.length + 1, { identity, run, tags });
    this.snapshots.push(snapshot);
    return { snapshot, unchanged: false, losses: [], unreadable: [] };
  }

  async *list(filter: SnapshotFilter = {}, options: OperationOptions = {}): AsyncIterable<Snapshot> {
    await this.#begin("list", options);
    yield* this.snapshots.filter(({ run }) => filter.run === undefined || filter.run === run);
  }

  async restore(options: RestoreOptions) {
    await this.#begin(`restore ${options.snapshot} to ${options.target}`, options);
    const snapshot = this.snapshots.find(({ id }) => id === options.snapshot);
    if (!snapshot) throw new EngineError("SnapshotMissing", `there is no ${options.snapshot}`);
    const { warnings } = this;
    return { snapshot, files: 1, bytes: 2, fidelity: "Full" as const, losses: [], warnings };
  }

  async delete(ids: readonly string[], options: OperationOptions = {}) {
    await this.#begin(`delete ${ids.join(" ")}`, options);
    this.#alone();
    const before = this.snapshots.length;
    this.snapshots = this.snapshots.filter(({ id }) => !ids.includes(id));
    return before - this.snapshots.length;
  }

  async deleteCompanions(runs: readonly string[], options: OperationOptions = {}) {
    await this.#begin(`delete companions of ${runs.join(" ")}`, options);
    return runs.length;
  }

  async maintain(options: MaintainOptions) {
    await this.#begin("maintain", options);
    this.#alone();
    if (this.maintainer !== undefined) {
      options.onOwner?.(this.maintainer);
      throw new EngineError("OwnedByAnother", `${this.maintainer} is its maintainer`);
    }
    return { freedBytes: 7 };
  }

  async check(options: OperationOptions = {}) {
    await this.#begin("check", options);
    this.#alone();
    return { problems: this.problems, ...(this.missing ? { missing: this.missing } : {}) };
  }

  async verify(options: OperationOptions & { readonly snapshot: string }) {
    await this.#begin(`verify ${options.snapshot}`, options);
    return { files: 3, problems: this.problems };
  }

  async unlock(options: OperationOptions = {}) {
    await this.#begin("unlock", options);
    const removed = this.locks;
    this.locks = 0;
    return removed;
  }

  async stats(options: OperationOptions = {}) {
    await this.#begin("stats", options);
    return { snapshots: this.snapshots.length, storedBytes: 11 };
  }

  async *browse(snapshot: string, path: string, options: OperationOptions = {}): AsyncIterable<Entry> {
    await this.#begin(`browse ${path}`, options);
    const entries = this.folders.get(`${snapshot}/${path}`);
    if (!entries) throw new EngineError("PathMissing", `there is no ${path}`);
    yield* entries;
  }

  async *read(snapshot: string, path: string, options: OperationOptions = {}): AsyncIterable<Uint8Array> {
    await this.#begin(`read ${path}`, options);
    const chunks = this.files.get(`${snapshot}/${path}`);
    if (!chunks) throw new EngineError("PathMissing", `there is no ${path}`);
    yield* chunks;
  }

  async changePassword() {}

  async copyTo(destination: Repository, options: CopyOptions = {}) {
    await this.#begin("copy", options);
    if (destination instanceof FakeRepository) destination.snapshots.push(...this.snapshots);
    return { copied: this.snapshots.length, alreadyThere: 0 };
  }

  async close() {
    this.closed = true;
  }
}

/** The nth snapshot; each an hour after the one before. */
export function snapshotOf(n: number, more: Partial<Snapshot> = {}): Snapshot {
  return {
    id: `s${n}`,
    identity: { username: "app", hostname: "shop", path: "/data" },
    tags: {},
    startedAt: new Date(Date.UTC(2026, 0, 1, n)).toISOString(),
    root: `root${n}`,
    fidelity: "Full",
    ...more,
  };
}

export function entryOf(name: string, type: Entry["type"] = "File"): Entry {
  return { name, type, size: 1, mode: 0o644, modifiedAt: "2026-01-01T00:00:00Z" };
}

import { rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { lines } from "../../lib/lines.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Entry } from "../../wire/entry.ts";
import type { RepositoryStats } from "../../wire/report.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type {
  CheckOptions,
  CheckResult,
  CopyOptions,
  CopyResult,
  MaintainOptions,
  MaintainResult,
  OperationOptions,
  Repository,
  RestoreOptions,
  RestoreResult,
  SnapshotOptions,
  SnapshotResult,
  UnlockOptions,
  VerifyOptions,
  VerifyResult,
} from "../engine.ts";
import { folderSize } from "../folder_size.ts";
import { type Call, callFor } from "../meter.ts";
import { parsedLine } from "../parsed_line.ts";
import { Recent } from "../recent.ts";
import { backup } from "./backup.ts";
import { checkRepository } from "./checking.ts";
import { type ResticProgram, runRestic, streamRestic } from "./command.ts";
import { copySnapshots } from "./copy.ts";
import { Counters } from "./counters.ts";
import { unlock } from "./locks.ts";
import { entryOf, parseNode } from "./node.ts";
import { requirePassword } from "./password.ts";
import {
  findSnapshot,
  listSnapshots,
  nodeAt,
  type RepositoryContext,
  rootFolder,
  textOf,
  WITHOUT_LOCK,
} from "./repository_context.ts";
import { restore } from "./restore.ts";

export interface ResticRepositoryOptions {
  readonly created: boolean;
  /** Of all repositories, each by its ID. */
  readonly cacheFolder: string;
  readonly cacheLimit: number;
  readonly context: RepositoryContext;
}

const IDS_AT_ONCE = 500;

/** An open restic repository. */
export class ResticRepository implements Repository {
  readonly created: boolean;
  readonly #options: ResticRepositoryOptions;
  #context: RepositoryContext;
  /** The snapshots that were read from. */
  readonly #located: Recent<{ readonly id: string; readonly root: string }>;

  constructor(options: ResticRepositoryOptions) {
    this.created = options.created;
    this.#options = options;
    this.#context = options.context;
    this.#located = new Recent(options.context.restic.clock);
  }

  get id(): string {
    return this.#context.id;
  }

  snapshot(options: SnapshotOptions): Promise<SnapshotResult> {
    return backup(this.#context, options);
  }

  async *list(filter: SnapshotFilter = {}, options: OperationOptions = {}): AsyncIterable<Snapshot> {
    const call = this.#call("listing snapshots", options);
    for await (const { snapshot } of listSnapshots(this.#context, filter, call)) yield snapshot;
  }

  restore(options: RestoreOptions): Promise<RestoreResult> {
    return restore(this.#context, options);
  }

  async delete(ids: readonly string[], options: OperationOptions = {}): Promise<number> {
    const call = this.#call("deleting snapshots", options);
    this.#requireWritable(call.what);
    const wanted = new Set(ids);
    const there: string[] = [];
    for await (const { snapshot } of listSnapshots(this.#context, {}, call))
      if (wanted.has(snapshot.id)) there.push(snapshot.id);
    this.#located.forget();
    for (let i = 0; i < there.length; i += IDS_AT_ONCE)
      await runRestic(this.#restic, ["forget", "--json", ...there.slice(i, i + IDS_AT_ONCE)], call);
    return there.length;
  }

  /** restic keeps everything in the snapshot itself. */
  async deleteCompanions(): Promise<number> {
    return 0;
  }

  async maintain({ mode, ...options }: MaintainOptions): Promise<MaintainResult> {
    const call = this.#call(`${mode.toLowerCase()} maintenance`, options);
    this.#requireWritable(call.what);
    // Without repacking, only what holds nothing of use is removed, which needs no download.
    const args = ["prune", ...(mode === "Quick" ? ["--max-repack-size", "0"] : [])];
    const counters = new Counters(call.meter);
    let freed: number | undefined;
    const onLine = (line: unknown) => {
      counters.read(line);
      freed ??= freedBytes(line);
    };
    await runRestic(this.#restic, args, { ...call, onLine });
    return freed === undefined ? {} : { freedBytes: freed };
  }

  check(options: CheckOptions = {}): Promise<CheckResult> {
    return checkRepository(this.#context, options, this.#call("checking the repository", options));
  }

  async verify({ snapshot, filesPercent = 100, ...options }: VerifyOptions): Promise<VerifyResult> {
    const call = this.#call(`verifying snapshot ${snapshot}`, options);
    if (filesPercent < 100) {
      throw new EngineError("Unsupported", `${call.what}: restic reads all files of a snapshot, or none`, {
        remedy: "Verify all of it, or check a part of the whole repository's data.",
      });
    }
    const { snapshot: found } = await findSnapshot(this.#context, snapshot, call);
    const problems: string[] = [];
    try {
      const args = ["dump", found.id, "/", "--target", "/dev/null", ...WITHOUT_LOCK];
      await runRestic(this.#restic, args, call);
    } catch (error) {
      if (!(error instanceof EngineError) || error.class !== "Corrupt") throw error;
      problems.push(error.detail ?? error.message);
    }
    return { ...(found.files === undefined ? {} : { files: found.files }), problems };
  }

  async unlock(options: UnlockOptions = {}): Promise<number> {
    this.#requireWritable("unlocking the repository");
    return unlock(this.#restic, options);
  }

  async stats(options: OperationOptions = {}): Promise<RepositoryStats> {
    const call = this.#call("reading statistics", options);
    let found: Record<string, unknown> = {};
    const onLine = (line: unknown) => {
      if (isRecord(line)) found = line;
    };
    const args = ["stats", "--json", "--mode", "raw-data", ...WITHOUT_LOCK];
    await runRestic(this.#restic, args, { ...call, patience: "Short", onLine });
    const content = found.total_uncompressed_size;
    return {
      snapshots: Number(found.snapshots_count ?? 0),
      storedBytes: Number(found.total_size ?? 0),
      ...(typeof content === "number" ? { contentBytes: content } : {}),
    };
  }

  async *browse(snapshot: string, path: string, { signal }: OperationOptions = {}): AsyncIterable<Entry> {
    const call = { what: `browsing ${path || "/"}`, signal, patience: "Short" } as const;
    const { id, place } = await this.#locate(snapshot, path, call);
    const args = ["ls", "--json", id, place, ...WITHOUT_LOCK];
    let isFolder = place === "/";
    for await (const line of lines(streamRestic(this.#restic, args, call))) {
      const value = parsedLine(line);
      const node = parseNode(value);
      if (node === undefined) continue;
      if (isRecord(value) && value.path === place) isFolder = node.type === "dir";
      else yield entryOf(node);
    }
    if (!isFolder) throw new EngineError("PathMissing", `${call.what}: the snapshot has no such folder`);
  }

  async *read(snapshot: string, path: string, { signal }: OperationOptions = {}): AsyncIterable<Uint8Array> {
    const call = { what: `reading ${path}`, signal, patience: "Short" } as const;
    const { id, place } = await this.#locate(snapshot, path, call);
    const node = await nodeAt(this.#restic, id, place, call);
    if (node?.type !== "file")
      throw new EngineError("PathMissing", `${call.what}: the snapshot has no such file`);
    yield* streamRestic(this.#restic, ["dump", id, place, ...WITHOUT_LOCK], { ...call, patience: "Long" });
  }

  async changePassword(password: string, options: OperationOptions = {}): Promise<void> {
    const call = this.#call("changing the password", options);
    this.#requireWritable(call.what);
    requirePassword(password);
    const file = join(this.#context.folder, "new-password");
    await writeFile(file, password, { mode: 0o600 });
    try {
      await textOf(this.#restic, ["key", "passwd", "--new-password-file", file], call);
    } finally {
      await rm(file, { force: true });
    }
    const { restic } = this.#context;
    const env = { ...restic.env, RESTIC_PASSWORD: password };
    this.#context = { ...this.#context, restic: { ...restic, env } };
  }

  copyTo(destination: Repository, options: CopyOptions = {}): Promise<CopyResult> {
    if (!(destination instanceof ResticRepository)) {
      throw new EngineError("Unsupported", "snapshots can be copied between repositories of one engine only");
    }
    destination.#requireWritable("copying snapshots");
    return copySnapshots(this.#context, destination.#context, options);
  }

  async close(): Promise<void> {
    const { cacheFolder, cacheLimit } = this.#options;
    const { id, folder } = this.#context;
    // At once: a few small files, for which trips through the event loop take longer.
    rmSync(folder, { recursive: true, force: true });
    const cache = join(cacheFolder, id);
    // restic has no limit of its own: one that grew too large starts anew.
    if ((await folderSize(cache)) > cacheLimit) await rm(cache, { recursive: true, force: true });
  }

  get #restic(): ResticProgram {
    return this.#context.restic;
  }

  /** For commands of one operation on the repository itself. */
  #call(what: string, options: OperationOptions): Call {
    return callFor(what, options, this.#restic.clock);
  }

  #requireWritable(what: string): void {
    if (this.#context.readOnly)
      throw new EngineError("ReadOnly", `${what}: the repository was opened read-only`);
  }

  async #locate(
    snapshot: string,
    path: string,
    call: { readonly what: string; readonly signal: AbortSignal | undefined },
  ) {
    const { id, root } = this.#located.get(snapshot) ?? (await this.#look(snapshot, call));
    return { id, place: posix.join("/", root, path).replace(/(.)\/$/, "$1") };
  }

  async #look(snapshot: string, call: { readonly what: string; readonly signal: AbortSignal | undefined }) {
    const found = await findSnapshot(this.#context, snapshot, call);
    const located = { id: found.snapshot.id, root: await rootFolder(this.#context, found, call) };
    this.#located.add([[snapshot, located]]);
    return located;
  }
}

const UNITS: readonly string[] = ["B", "KiB", "MiB", "GiB", "TiB"];

/** From prune's own words, such as `total prune: 12 blobs / 3.250 MiB`. */
export function freedBytes(line: unknown): number | undefined {
  const [, figure = "", unit = ""] = /^total prune:.*\/ ([\d.]+) (\w+)/.exec(String(line)) ?? [];
  const power = UNITS.indexOf(unit);
  return power < 0 ? undefined : Math.round(Number(figure) * 1024 ** power);
}

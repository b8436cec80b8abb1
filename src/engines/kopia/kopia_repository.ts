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
  VerifyOptions,
  VerifyResult,
} from "../engine.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { type Call, callFor } from "../meter.ts";
import { Recent } from "../recent.ts";
import { checkRepository } from "./checking.ts";
import { type CommandOptions, runKopia, streamKopia } from "./command.ts";
import { isCompanion } from "./companion.ts";
import type { KopiaConnection } from "./connection.ts";
import { copySnapshots } from "./copying.ts";
import { byName, readFolder } from "./entry.ts";
import type { KnownPolicies } from "./known_policies.ts";
import { removeLeftovers } from "./leftovers.ts";
import { listManifests } from "./listing.ts";
import { checkSnapshots, maintain } from "./maintaining.ts";
import { keyOf, type Manifest, matches, objectPath, sortOut, toSnapshot } from "./manifest.ts";
import { orphans } from "./orphans.ts";
import { restore } from "./restoring.ts";
import { takeSnapshot } from "./snapshotting.ts";
import { SpaceWatch } from "./space_watch.ts";

/** What a KopiaRepository is made of. */
export interface KopiaRepositoryParts {
  readonly created: boolean;
  readonly connection: KopiaConnection;
  readonly fidelity: FidelityProgram;
  /** What was found out while opening it. */
  readonly look: Look;
  readonly readOnly: boolean;
}

/** Where a snapshot's content begins. */
type Rooted = Pick<Manifest, "root">;

/** What a first look at a repository finds. */
export interface Look {
  readonly id: string;
  readonly policies: KnownPolicies;
  /** The snapshots that are there, where these were looked for. */
  readonly manifests?: readonly Manifest[];
}

/** A repository of kopia's. */
export class KopiaRepository implements Repository {
  readonly created: boolean;
  readonly connection: KopiaConnection;
  readonly fidelity: FidelityProgram;
  readonly policies: KnownPolicies;
  readonly id: string;
  readonly #readOnly: boolean;
  /** Those that opening it listed, until somebody has used them. */
  #listed: readonly Manifest[] | undefined;
  /** The snapshots that were read from. */
  readonly #roots: Recent<Rooted>;

  constructor({ created, connection, fidelity, look, readOnly }: KopiaRepositoryParts) {
    this.created = created;
    this.connection = connection;
    this.fidelity = fidelity;
    this.id = look.id;
    this.policies = look.policies;
    this.#listed = look.manifests;
    this.#roots = new Recent(connection.program.clock);
    this.#readOnly = readOnly;
  }

  async snapshot(options: SnapshotOptions): Promise<SnapshotResult> {
    const what = "taking a snapshot";
    this.#mayWrite(what);
    const { location, program } = this.connection;
    if (!("filesystem" in location.backend)) return takeSnapshot(this, options);
    const { path } = location.backend.filesystem;
    using space = new SpaceWatch(path, { what, clock: program.clock });
    const signals = options.signal ? [options.signal, space.signal] : [space.signal];
    try {
      return await takeSnapshot(this, { ...options, signal: AbortSignal.any(signals) });
    } catch (error) {
      if (error instanceof EngineError && error.class === "Full") await removeLeftovers(path, program.clock);
      throw error;
    }
  }

  async *list(filter: SnapshotFilter = {}, options: OperationOptions = {}): AsyncIterable<Snapshot> {
    const { data, companions } = sortOut(await this.manifests(this.#call("listing snapshots", options)));
    const keys = new Set(companions.keys());
    for (const manifest of data) {
      if (matches(manifest, filter)) yield toSnapshot(manifest, keys);
    }
  }

  async restore(options: RestoreOptions): Promise<RestoreResult> {
    return restore(this, options);
  }

  async delete(ids: readonly string[], options: OperationOptions = {}): Promise<number> {
    const call = this.#call("deleting snapshots", options);
    this.#mayWrite(call.what);
    const manifests = await this.manifests(call);
    const wanted = new Set(ids);
    const { data } = sortOut(manifests);
    const found = data.filter(({ id }) => wanted.has(id));
    if (found.length === 0) return 0;
    const keep = new Set(data.filter(({ id }) => !wanted.has(id)).map(keyOf));
    const gone = new Set(found.map(keyOf).filter((key) => !keep.has(key)));
    const companions = manifests.filter((one) => isCompanion(one.identity) && gone.has(keyOf(one)));
    // Companions go after their data: the other way round, a failure would leave data without one.
    const args = ["snapshot", "delete", "--delete", ...[...found, ...companions].map(({ id }) => id)];
    this.#roots.forget();
    await this.run(args, { ...call, patienceMs: this.connection.patienceMs });
    return found.length;
  }

  async deleteCompanions(runs: readonly string[], options: OperationOptions = {}): Promise<number> {
    const call = this.#call("deleting what was kept beside deleted snapshots", options);
    this.#mayWrite(call.what);
    const { patienceMs, program } = this.connection;
    const gone = orphans(await this.manifests(call), program.clock.now(), new Set(runs));
    if (gone.length > 0) await this.run(["snapshot", "delete", "--delete", ...gone], { ...call, patienceMs });
    return gone.length;
  }

  async maintain(options: MaintainOptions): Promise<MaintainResult> {
    this.#mayWrite("maintaining the repository");
    return maintain(this, options);
  }

  async check(options: CheckOptions = {}): Promise<CheckResult> {
    return checkRepository(this, options, this.#call("checking the repository", options));
  }

  async verify(options: VerifyOptions): Promise<VerifyResult> {
    const { snapshot, filesPercent = 100 } = options;
    const call = this.#call("verifying a snapshot", options);
    const { manifest, companion } = await this.find(snapshot, call.what, call);
    const ids = [manifest.id, ...(companion ? [companion.id] : [])];
    return checkSnapshots(this, [...ids, `--verify-files-percent=${filesPercent}`], call);
  }

  /** kopia holds no locks. */
  async unlock(): Promise<number> {
    return 0;
  }

  async stats(options: OperationOptions = {}): Promise<RepositoryStats> {
    const call = this.#call("measuring the repository", options);
    const manifests = await this.manifests(call);
    const blobs = await this.run(["blob", "stats", "--raw"], call);
    const contents = await this.run(["content", "stats", "--raw"], call);
    const contentBytes = /Total Bytes: (\d+)/.exec(contents.stdout)?.[1];
    return {
      snapshots: sortOut(manifests).data.length,
      storedBytes: Number(/Total: (\d+)/.exec(blobs.stdout)?.[1] ?? 0),
      ...(contentBytes === undefined ? {} : { contentBytes: Number(contentBytes) }),
    };
  }

  async *browse(snapshot: string, path: string, options: OperationOptions = {}): AsyncIterable<Entry> {
    const what = "browsing a snapshot";
    const manifest = await this.#rooted(snapshot, what, options);
    // kopia has folders first.
    const entries: Entry[] = [];
    for await (const entry of this.folder(manifest, path, { what, signal: options.signal }))
      entries.push(entry);
    yield* entries.sort(byName);
  }

  async *read(snapshot: string, path: string, options: OperationOptions = {}): AsyncIterable<Uint8Array> {
    const what = "reading a file";
    const manifest = await this.#rooted(snapshot, what, options);
    const entry = await this.entry(manifest, path, { what, signal: options.signal });
    if (entry?.type !== "File") throw new EngineError("PathMissing", `${what}: ${path} is not a file`);
    yield* this.stream(["show", objectPath(manifest, path)], {
      what,
      signal: options.signal,
    });
  }

  async changePassword(password: string, options: OperationOptions = {}): Promise<void> {
    const call = this.#call("changing the password", options);
    const { what, meter } = call;
    this.#mayWrite(what);
    if (password.trim() === "") throw new EngineError("InvalidOption", `${what}: the new one is empty`);
    const { patienceMs } = this.connection;
    await this.run(["blob", "stats", "--prefix=kopia."], { ...call, patienceMs });
    // kopia writes two objects with the new key, one after the other: what stops it in between leaves a repository that
    // neither password opens. So this is not cancelled, and not begun with a storage that does not answer.
    const env = { KOPIA_NEW_PASSWORD: password.trim() };
    await this.run(["repository", "change-password"], { what, meter, env, mustMove: true });
    this.connection.setPassword(password);
  }

  async copyTo(destination: Repository, options: CopyOptions = {}): Promise<CopyResult> {
    if (!(destination instanceof KopiaRepository)) {
      throw new EngineError("Unsupported", "copying snapshots: the destination belongs to another engine");
    }
    return copySnapshots(this, destination, options);
  }

  async close(): Promise<void> {
    await this.connection.remove();
  }

  /** Runs kopia on this repository. */
  run(args: readonly string[], options: CommandOptions): ReturnType<typeof runKopia> {
    return runKopia(this.connection.program, args, options);
  }

  /** The same for what reads the content of files, each once. */
  async runReading(args: readonly string[], options: CommandOptions): ReturnType<typeof runKopia> {
    return runKopia(await this.connection.readingProgram(), args, options);
  }

  /** The same for what is read while it runs. */
  stream(args: readonly string[], options: CommandOptions): AsyncIterable<Uint8Array> {
    return streamKopia(this.connection.program, args, options);
  }

  /** Everything that is complete, companions included. */
  async manifests({ signal, meter }: Pick<CommandOptions, "signal" | "meter">): Promise<readonly Manifest[]> {
    const listed = this.#listed;
    this.#listed = undefined;
    return listed ?? listManifests(this.connection, { what: "listing snapshots", signal, meter });
  }

  /** One snapshot with its companion; rejects when it is not there. */
  async find(
    id: string,
    what: string,
    options: Pick<CommandOptions, "signal" | "meter">,
  ): Promise<{ readonly manifest: Manifest; readonly companion: Manifest | undefined }> {
    const { data, companions } = sortOut(await this.manifests(options));
    const manifest = data.find((one) => one.id === id);
    if (!manifest) throw missing(id, what);
    return { manifest, companion: companions.get(keyOf(manifest)) };
  }

  /** The same for reading from it. */
  async #rooted(id: string, what: string, options: OperationOptions): Promise<Rooted> {
    const known = this.#roots.get(id);
    if (known) return known;
    const { data } = sortOut(await this.manifests(options));
    this.#roots.add(data.map(({ id, root }) => [id, { root }]));
    const rooted = this.#roots.get(id);
    if (!rooted) throw missing(id, what);
    return rooted;
  }

  /** What a folder of a snapshot holds, as it comes: there may be a million files in it. */
  folder(manifest: Rooted, path: string, options: CommandOptions): AsyncIterable<Entry> {
    const { patienceMs } = this.connection;
    const output = this.stream(["show", objectPath(manifest, path)], { ...options, patienceMs });
    return readFolder(
      output,
      () => new EngineError("PathMissing", `${options.what}: ${path} is not a folder`),
    );
  }

  /** One entry of a snapshot; undefined when it is the root itself. */
  async entry(manifest: Rooted, path: string, options: CommandOptions): Promise<Entry | undefined> {
    if (path === "") return undefined;
    const at = path.lastIndexOf("/");
    const wanted = path.slice(at + 1);
    let found: Entry | undefined;
    for await (const entry of this.folder(manifest, at < 0 ? "" : path.slice(0, at), options)) {
      if (entry.name === wanted) found = entry;
    }
    if (found) return found;
    throw new EngineError("PathMissing", `${options.what}: the snapshot does not hold ${path}`);
  }

  /** For commands of one operation on the repository itself. */
  #call(what: string, options: OperationOptions): Call {
    return callFor(what, options, this.connection.program.clock);
  }

  #mayWrite(what: string): void {
    if (this.#readOnly) throw new EngineError("ReadOnly", `${what}: the repository was opened read-only`);
  }
}

function missing(id: string, what: string): EngineError {
  return new EngineError("SnapshotMissing", `${what}: the repository has no snapshot ${id}`);
}

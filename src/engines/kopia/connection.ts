import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { fingerprint } from "../../lib/hash.ts";
import { isRecord } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import type { OpenOptions, RepositoryLocation } from "../engine.ts";
import { folderSize } from "../folder_size.ts";
import type { EngineProgram } from "../running_program.ts";
import { standstillAt } from "../standstill.ts";
import { type KopiaStorage, kopiaStorage } from "./storage.ts";

/** What a KopiaEngine needs. */
export interface KopiaEngineOptions {
  /** Path of the kopia executable. */
  readonly program: string;
  /** Path of the holdfast-fidelity executable. */
  readonly fidelityProgram: string;
  /** A folder of the driver's own. What is put there is readable by its owner alone, and removed by close(). */
  readonly folder: string;
  /** Where kopia's cache stays between runs. Default: in `folder`, removed by close(). */
  readonly cacheFolder?: string;
  /** More of the environment, such as PATH (where rclone is found) and GOMEMLIMIT. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files at once where an operation does not say. Default: as many as the node has processors, whatever the pod's limit. */
  readonly parallel?: number;
  /** How long a backup, restore or copy may stand still, in milliseconds. Default: a quarter of an hour. */
  readonly standstillMs?: number;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  readonly random: Random;
}

/** kopia names a maintainer by user and host: all movers are one. */
export const CLIENT = { username: "holdfast", hostname: "holdfast" } as const;

const MIB = 2 ** 20;
const MOST_INDEXES_IN_MEMORY = 64 * MIB;

/**
 * Makes a repository known to kopia by writing its configuration file, which saves a run of `kopia connect`.
 * Credentials are in that file, the password is in the environment, and neither is in an argument.
 */
export class KopiaConnection {
  readonly location: RepositoryLocation;
  readonly storage: KopiaStorage;
  readonly folder: string;
  readonly #engine: KopiaEngineOptions;
  readonly #options: OpenOptions;
  #password: string;

  constructor(engine: KopiaEngineOptions, location: RepositoryLocation, options: OpenOptions) {
    this.location = location;
    this.storage = kopiaStorage(location.backend, location.credentials);
    this.folder = join(engine.folder, engine.random.hex(8));
    this.#engine = engine;
    this.#options = options;
    // kopia itself takes spaces and newlines around a password away.
    this.#password = location.password.trim();
  }

  /** How long a command may take that moves no data. Google's client repeats what fails without end, and says nothing. */
  get patienceMs(): number | undefined {
    return "gcs" in this.location.backend ? 60_000 : undefined;
  }

  /** How many files an operation works on at once. */
  parallelArguments(wanted: number | undefined): readonly string[] {
    const parallel = wanted ?? this.#engine.parallel;
    return parallel === undefined ? [] : [`--parallel=${parallel}`];
  }

  get configFile(): string {
    return join(this.folder, "repository.config");
  }

  /** Repositories must not share a cache. */
  get #cacheFolder(): string {
    const { cacheFolder } = this.#engine;
    if (cacheFolder === undefined) return this.#path("cache");
    return join(cacheFolder, fingerprint(JSON.stringify(this.location.backend)));
  }

  /** The repository's ID as kopia found it the last time it ran; undefined when it left no word of it. */
  async repositoryId(): Promise<string | undefined> {
    const text = await readFile(join(this.#cacheFolder, "kopia.repository"), "utf8").catch(() => "{}");
    const format: unknown = JSON.parse(text);
    const id = isRecord(format) ? format.uniqueID : undefined;
    return typeof id === "string" ? Buffer.from(id, "base64").toString("hex") : undefined;
  }

  get program(): EngineProgram {
    const { program, processes, clock, env, standstillMs } = this.#engine;
    const { limits } = this.#options;
    return {
      program,
      processes,
      clock,
      standstillMs: standstillAt(limits, standstillMs),
      ...(limits ? { limits } : {}),
      env: {
        ...env,
        ...this.storage.env,
        ...(this.storage.caFile ? { SSL_CERT_FILE: this.#path("ca.pem") } : {}),
        HOME: this.folder,
        TMPDIR: this.folder,
        KOPIA_CONFIG_PATH: this.configFile,
        KOPIA_PASSWORD: this.#password,
        KOPIA_CHECK_FOR_UPDATES: "false",
        KOPIA_PERSIST_CREDENTIALS_ON_CONNECT: "false",
        KOPIA_DISABLE_REPOSITORY_LOG: "true",
      },
    };
  }

  /**
   * kopia for what reads each content once. In a cache it would write all of it a second time, which only a storage
   * over a network is slow enough for. Without one it keeps the indexes in memory: large ones stay where they are.
   */
  async readingProgram(): Promise<EngineProgram> {
    if (!("filesystem" in this.location.backend)) return this.program;
    if ((await folderSize(join(this.#cacheFolder, "indexes"))) > MOST_INDEXES_IN_MEMORY) return this.program;
    const config = await this.#private("reading.config", JSON.stringify({ ...this.#config(), caching: {} }));
    return { ...this.program, env: { ...this.program.env, KOPIA_CONFIG_PATH: config } };
  }

  setPassword(password: string): void {
    this.#password = password.trim();
  }

  async write(): Promise<void> {
    await mkdir(this.#engine.folder, { recursive: true });
    await mkdir(this.folder, { mode: 0o700 });
    if (this.storage.caFile) await this.#private("ca.pem", this.storage.caFile);
    await this.#private("repository.config", JSON.stringify(this.#config()));
  }

  /** The storage in the form that `repository create from-config` reads, as a private file. */
  async writeToken(): Promise<string> {
    const { type, config } = this.storage;
    const token = JSON.stringify({ version: "1", storage: { type, config } });
    return this.#private("token", Buffer.from(token).toString("base64url"));
  }

  /** Where kopia looks for the password of a second repository. */
  async writePassword(): Promise<void> {
    const encoded = Buffer.from(this.#password).toString("base64");
    await this.#private("repository.config.kopia-password", encoded);
  }

  async removePassword(): Promise<void> {
    await rm(this.#path("repository.config.kopia-password"), { force: true });
  }

  /** A private file that goes with the connection. */
  async writeFile(name: string, text: string): Promise<string> {
    return this.#private(name, text);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.folder, name);
  }

  async #private(name: string, text: string): Promise<string> {
    const path = this.#path(name);
    await rm(path, { force: true });
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    return path;
  }

  #config(): object {
    const { cache = {}, limits, readOnly } = this.#options;
    const contentBytes = cacheSize(cache.contentBytes ?? 256 * MIB);
    const metadataBytes = cacheSize(cache.metadataBytes ?? 512 * MIB);
    const { type, config } = this.storage;
    return {
      storage: { type, config },
      caching: {
        cacheDirectory: this.#cacheFolder,
        maxCacheSize: contentBytes,
        contentCacheSizeLimitBytes: contentBytes,
        maxMetadataCacheSize: metadataBytes,
        metadataCacheSizeLimitBytes: metadataBytes,
      },
      ...CLIENT,
      readonly: readOnly,
      enableActions: false,
      // Each process reads it anew, and leaves a copy: kept for a while, a changed password would go unnoticed.
      formatBlobCacheDuration: -1,
      throttlingLimits: limits && {
        maxUploadSpeedBytesPerSecond: limits.upload,
        maxDownloadSpeedBytesPerSecond: limits.download,
      },
    };
  }
}

/** kopia breaks down on a cache of no size at all. */
function cacheSize(bytes: number): number {
  return Math.max(1, bytes);
}

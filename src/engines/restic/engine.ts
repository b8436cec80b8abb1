import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import type { Backend } from "../../wire/backend.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { CreateOptions, Engine, OpenOptions, Repository, RepositoryLocation } from "../engine.ts";
import { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { jsonObjects } from "../json_objects.ts";
import { foreignData, unlessOther } from "../other_engine.ts";
import { standstillAt } from "../standstill.ts";
import { requireBucket } from "./bucket_probe.ts";
import { type ResticProgram, runRestic, streamRestic } from "./command.ts";
import { type Location, resticLocation } from "./location.ts";
import { requirePassword } from "./password.ts";
import { ResticRepository } from "./repository.ts";
import { findSnapshot, type RepositoryContext, WITHOUT_LOCK } from "./repository_context.ts";

export interface ResticEngineOptions {
  /** Path of restic. */
  readonly program: string;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  /** A folder for private files while a repository is open, and for restic's cache. */
  readonly folder: string;
  /** Passed on to restic: PATH, proxies, GOMEMLIMIT. Default: nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long a backup or restore may stand still, in milliseconds. Default: a quarter of an hour. */
  readonly standstillMs?: number;
  /** Path of rclone, for that backend. Default: from PATH. */
  readonly rclone?: string;
  /** Path of holdfast-sftp, for that backend. */
  readonly sftpProgram: string;
  /** Path of the helper for what Node and restic cannot do. */
  readonly fidelityProgram: string;
}

const OPENING = "opening the repository";
const OPEN_SILENCE_MS = 30_000;
const MIB = 2 ** 20;
const DEFAULT_CACHE = 512 * MIB;

/** The driver of restic. */
export class ResticEngine implements Engine {
  readonly name = "restic";
  readonly capabilities = CAPABILITIES.restic;
  readonly #options: ResticEngineOptions;
  readonly #fidelity: FidelityProgram;

  constructor(options: ResticEngineOptions) {
    this.#options = options;
    this.#fidelity = new FidelityProgram(options.fidelityProgram, options.processes);
  }

  async open(location: RepositoryLocation, options: OpenOptions = {}): Promise<Repository> {
    try {
      return await this.#within(location, options, async (prepared) => {
        const look = (await findProof(prepared, options)) ?? { id: await identify(prepared, options) };
        return this.#opened(prepared, options, { ...look, created: false });
      });
    } catch (error) {
      throw await unlessOther(error, location.backend, "restic");
    }
  }

  async create(location: RepositoryLocation, options: CreateOptions = {}): Promise<Repository> {
    for (const name of ["encryption", "hash", "splitter"] as const) {
      if (options[name] !== undefined)
        throw new EngineError("Unsupported", `restic has no choice of ${name}`);
    }
    return this.#within(location, options, async (prepared) => {
      try {
        return await this.#adopted(prepared, options);
      } catch (error) {
        if (!isNone(error) || options.expectedId !== undefined) throw error;
      }
      await requireEmpty(location.backend);
      const id = await this.#init(prepared, options);
      if (id === undefined) return this.#adopted(prepared, options);
      return this.#opened(prepared, options, { id, created: true });
    });
  }

  async #within<T>(
    location: RepositoryLocation,
    options: OpenOptions,
    use: (prepared: Prepared) => Promise<T>,
  ): Promise<T> {
    const prepared = await this.#prepare(location, options);
    try {
      return await use(prepared);
    } catch (error) {
      await rm(prepared.folder, { recursive: true, force: true });
      throw error;
    }
  }

  async #prepare(
    { backend, credentials, password }: RepositoryLocation,
    options: OpenOptions,
  ): Promise<Prepared> {
    requirePassword(password);
    await mkdir(this.#options.folder, { recursive: true });
    const folder = await mkdtemp(join(this.#options.folder, "restic-"));
    try {
      const { sftpProgram } = this.#options;
      const place = resticLocation(backend, credentials, { folder, sftpProgram });
      for (const { name, text } of place.files) await writeFile(join(folder, name), text, { mode: 0o600 });
      const { program, processes, clock, env = {}, rclone, standstillMs } = this.#options;
      const restic: ResticProgram = {
        program,
        processes,
        clock,
        standstillMs: standstillAt(options.limits, standstillMs),
        ...(options.limits ? { limits: options.limits } : {}),
        args: [
          ...place.args,
          ...this.#cacheArguments(backend, options),
          ...limitArguments(options),
          ...(rclone ? ["-o", `rclone.program=${rclone}`] : []),
        ],
        env: {
          ...env,
          ...place.env,
          HOME: folder,
          TMPDIR: folder,
          RESTIC_REPOSITORY: place.repository,
          RESTIC_PASSWORD: password,
          RESTIC_PROGRESS_FPS: "2",
        },
      };
      const reach = resticLocation(backend, credentials, { folder: "", sftpProgram: "" });
      return { folder, backend, restic, reach };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async #adopted(prepared: Prepared, options: OpenOptions): Promise<Repository> {
    const id = await identify(prepared, options);
    return this.#opened(prepared, options, { id, created: false });
  }

  #opened(
    { folder, restic, reach }: Prepared,
    { readOnly = false, cache = {} }: OpenOptions,
    { created, ...look }: Look & { readonly created: boolean },
  ): Repository {
    return new ResticRepository({
      created,
      cacheFolder: join(this.#options.folder, "cache"),
      cacheLimit: cache.metadataBytes ?? DEFAULT_CACHE,
      context: { ...look, restic, folder, reach, readOnly, fidelity: this.#fidelity },
    });
  }

  /** The new repository's ID; undefined when someone else was faster, whose repository is then adopted. */
  async #init({ restic }: Prepared, { signal }: CreateOptions): Promise<string | undefined> {
    const what = "creating the repository";
    let id: string | undefined;
    const onLine = (line: unknown) => {
      if (isRecord(line) && line.message_type === "initialized") id = String(line.id);
    };
    try {
      await runRestic(restic, ["init", "--json"], { what, signal, patience: "Short", onLine });
    } catch (error) {
      const there = error instanceof EngineError && /config file already exists/.test(error.detail ?? "");
      if (!there) throw error;
    }
    return id;
  }

  #cacheArguments(backend: Backend, { cache = {} }: OpenOptions): readonly string[] {
    if ("filesystem" in backend || cache.metadataBytes === 0) return ["--no-cache"];
    return ["--cache-dir", join(this.#options.folder, "cache"), "--cleanup-cache"];
  }
}

/** What opening a repository found. */
type Look = Pick<RepositoryContext, "id" | "found">;

interface Prepared {
  /** Of this opening alone, removed when the repository is closed. */
  readonly folder: string;
  readonly backend: Backend;
  readonly restic: ResticProgram;
  /** How it is reached, but for where private files and programs are. */
  readonly reach: Location;
}

function limitArguments({ limits = {} }: OpenOptions): readonly string[] {
  const rate = (name: string, bytes?: number) =>
    bytes === undefined ? [] : [`--limit-${name}`, String(Math.max(1, Math.floor(bytes / 1024)))];
  return [...rate("upload", limits.upload), ...rate("download", limits.download)];
}

function isNone(error: unknown): boolean {
  return error instanceof EngineError && error.class === "NotARepository";
}

/** Of a snapshot. */
const WHOLE_ID = /^[0-9a-f]{64}$/;

/**
 * The snapshot that will be restored, if it proves which repository it is: its ID is the digest of itself, encrypted, and
 * no other repository has it. An ID that somebody wrote down may be of the one that took the right one's place.
 */
async function findProof({ restic }: Prepared, options: OpenOptions): Promise<Look | undefined> {
  const { restoring, expectedId, signal } = options;
  if (!restoring?.ours || expectedId === undefined || !WHOLE_ID.test(restoring.snapshot)) return undefined;
  try {
    const call = { what: OPENING, signal, silenceMs: OPEN_SILENCE_MS };
    return { id: expectedId, found: await findSnapshot({ restic }, restoring.snapshot, call) };
  } catch (error) {
    if (error instanceof EngineError && error.class === "SnapshotMissing") return undefined;
    throw error;
  }
}

/** Which repository it is. Rejects when it is not the expected one. */
async function identify({ restic, backend }: Prepared, options: OpenOptions): Promise<string> {
  const id = await readId(restic, options).catch(async (error: unknown) => {
    if (isNone(error) && "s3" in backend) await requireBucket(restic, OPENING, options.signal);
    throw error;
  });
  const { expectedId } = options;
  if (expectedId === undefined || id === expectedId) return id;
  throw new EngineError("RepositoryReplaced", `the repository is ${id}, and should be ${expectedId}`);
}

async function readId(restic: ResticProgram, { signal }: OpenOptions): Promise<string> {
  const output = streamRestic(restic, ["cat", "config", ...WITHOUT_LOCK], {
    what: OPENING,
    signal,
    patience: "Short",
    silenceMs: OPEN_SILENCE_MS,
  });
  let id: string | undefined;
  for await (const config of jsonObjects(output)) {
    if (isRecord(config) && typeof config.id === "string") id = config.id;
  }
  if (id !== undefined) return id;
  throw new EngineError("Corrupt", `${OPENING}: its configuration has no ID`);
}

/** A folder that holds anything is not for a new repository. What other storage holds restic cannot say. */
async function requireEmpty(backend: Backend): Promise<void> {
  if (!("filesystem" in backend)) return;
  const { path } = backend.filesystem;
  const there = await readdir(path).catch(() => []);
  const foreign = there.filter((name) => name !== "lost+found");
  if (foreign.length === 0) return;
  throw foreignData(path, foreign, "restic");
}

import { mkdir, readdir } from "node:fs/promises";
import { isRecord } from "../../lib/json.ts";
import { backendKind } from "../../wire/backend.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { missingCredentials } from "../../wire/credentials.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { CreateOptions, Engine, OpenOptions, Repository, RepositoryLocation } from "../engine.ts";
import { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { foreignData, unlessOther } from "../other_engine.ts";
import { runKopia } from "./command.ts";
import { KopiaConnection, type KopiaEngineOptions } from "./connection.ts";
import { KnownPolicies, parsePolicies } from "./known_policies.ts";
import { KopiaRepository, type Look } from "./kopia_repository.ts";
import { listManifests } from "./listing.ts";
import { GLOBAL, USUAL_POLICY } from "./policy.ts";

/** What may lie in an empty folder: the file system's own, and what kopia leaves after a mere look. */
const NOBODYS: ReadonlySet<string> = new Set(["lost+found", ".shards"]);

/** Of new repositories: as strong as kopia's own choice, for four fifths of a backup's processor time. */
const HASH = "BLAKE3-256-128";

/** The driver of kopia. */
export class KopiaEngine implements Engine {
  readonly name = "kopia";
  readonly capabilities = CAPABILITIES.kopia;
  readonly #options: KopiaEngineOptions;
  readonly #fidelity: FidelityProgram;

  constructor(options: KopiaEngineOptions) {
    this.#options = options;
    this.#fidelity = new FidelityProgram(options.fidelityProgram, options.processes);
  }

  async open(location: RepositoryLocation, options: OpenOptions = {}): Promise<Repository> {
    try {
      return await this.#connected(location, options, (connection) => this.#opened(connection, options));
    } catch (error) {
      throw await unlessOther(error, location.backend, "kopia");
    }
  }

  async create(location: RepositoryLocation, options: CreateOptions = {}): Promise<Repository> {
    return this.#connected(location, options, async (connection) => {
      try {
        return await this.#opened(connection, options);
      } catch (error) {
        if (!isClass(error, "NotARepository")) throw error;
        return this.#create(connection, options);
      }
    });
  }

  async #opened(connection: KopiaConnection, options: OpenOptions, created = false): Promise<Repository> {
    const look = await this.#look(connection, options);
    const { readOnly = false } = options;
    return new KopiaRepository({ created, connection, fidelity: this.#fidelity, look, readOnly });
  }

  async #connected(
    location: RepositoryLocation,
    options: OpenOptions,
    use: (connection: KopiaConnection) => Promise<Repository>,
  ): Promise<Repository> {
    const kind = backendKind(location.backend);
    const missing = missingCredentials(kind, location.credentials);
    if (missing) {
      throw new EngineError(
        "CredentialsMissing",
        `opening the repository: ${kind} needs ${missing.join(" and ")}`,
      );
    }
    if (location.password.trim() === "") {
      throw new EngineError("CredentialsMissing", "opening the repository: its password is empty");
    }
    const connection = new KopiaConnection(this.#options, location, options);
    await connection.write();
    try {
      return await use(connection);
    } catch (error) {
      await connection.remove();
      throw error;
    }
  }

  async #look(connection: KopiaConnection, options: OpenOptions): Promise<Look> {
    try {
      return await this.#lookOnce(connection, options);
    } catch (error) {
      if (isClass(error, "NotARepository")) await this.#confirmNone(connection, options);
      throw error;
    }
  }

  /**
   * kopia says that there is no repository also when the bucket is missing, or the key is not known. Only its attempt
   * to create one tells them apart: without a password it ends after it has looked around.
   */
  async #confirmNone(connection: KopiaConnection, { signal }: OpenOptions): Promise<void> {
    if ("filesystem" in connection.location.backend) return;
    const token = await connection.writeToken();
    await runKopia(connection.program, ["repository", "create", "from-config", `--token-file=${token}`], {
      what: "opening the repository",
      signal,
      env: { KOPIA_PASSWORD: "" },
      patienceMs: connection.patienceMs,
      accept: ({ words }) => /getting password|found existing data/.test(words),
    });
  }

  /** Reads what will be needed first, and finds out which repository it is on the way. */
  async #lookOnce(connection: KopiaConnection, options: OpenOptions): Promise<Look> {
    const what = "opening the repository";
    const { expectedId } = options;
    const found = await this.#read(connection, options, what);
    const id = (await connection.repositoryId()) ?? (await this.#askId(connection, options));
    if (expectedId !== undefined && expectedId !== id) {
      throw new EngineError("RepositoryReplaced", `${what}: it has the ID ${id}, and not ${expectedId}`);
    }
    return { id, ...found };
  }

  /** A restore needs the snapshots, everything else may need the policies. */
  async #read(
    connection: KopiaConnection,
    { signal, restoring }: OpenOptions,
    what: string,
  ): Promise<Omit<Look, "id">> {
    if (restoring) {
      const manifests = await listManifests(connection, { what, signal });
      return { manifests, policies: KnownPolicies.unread() };
    }
    const { patienceMs } = connection;
    const { stdout } = await runKopia(connection.program, ["policy", "export"], { what, signal, patienceMs });
    return { policies: new KnownPolicies(parsePolicies(what, stdout), this.#options.clock.monotonic()) };
  }

  async #askId(connection: KopiaConnection, { signal }: OpenOptions): Promise<string> {
    const what = "opening the repository";
    const { stdout } = await runKopia(connection.program, ["repository", "status", "--json"], {
      what,
      signal,
      patienceMs: connection.patienceMs,
    });
    const status: unknown = JSON.parse(stdout);
    const id = isRecord(status) ? status.uniqueIDHex : undefined;
    if (typeof id === "string") return id;
    throw new EngineError("EngineFailed", `${what}: kopia did not say which repository it is`, {
      detail: stdout,
    });
  }

  async #create(connection: KopiaConnection, options: CreateOptions): Promise<Repository> {
    const what = "creating the repository";
    if (options.expectedId !== undefined) {
      throw new EngineError("NotARepository", `${what}: the one with the ID ${options.expectedId} is gone`);
    }
    if (options.readOnly)
      throw new EngineError("NotARepository", `${what}: there is none, and it is read-only`);
    await this.#prepareFolder(connection.location, what);
    const { encryption, hash = HASH, splitter, signal } = options;
    const args = [
      ["--encryption", encryption, this.capabilities.encryptions],
      ["--block-hash", hash, this.capabilities.hashes],
      ["--object-splitter", splitter, this.capabilities.splitters],
    ] as const;
    for (const [flag, value, known] of args) {
      if (value !== undefined && !known.includes(value)) {
        throw new EngineError("Unsupported", `${what}: kopia knows no ${value} for ${flag.slice(2)}`);
      }
    }
    const token = await connection.writeToken();
    const chosen = args.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
    try {
      const command = [
        "repository",
        "create",
        "from-config",
        `--token-file=${token}`,
        "--create-only",
        ...chosen,
      ];
      await runKopia(connection.program, command, { what, signal });
    } catch (error) {
      if (!isClass(error, "ForeignData")) throw error;
      // Someone else may have created it between our look and our try.
      return await this.#opened(connection, options).catch(() => Promise.reject(error));
    }
    await setGlobalPolicy(connection, options);
    return this.#opened(connection, options, true);
  }

  /** kopia would put a repository among any other files. */
  async #prepareFolder({ backend }: RepositoryLocation, what: string): Promise<void> {
    if (!("filesystem" in backend)) return;
    const { path } = backend.filesystem;
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const others = (await readdir(path)).filter((name) => !NOBODYS.has(name));
      if (others.length > 0) throw foreignData(path, others, "kopia");
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      const { code, message } = cause as NodeJS.ErrnoException;
      const errorClass = code === "EROFS" ? "ReadOnly" : code === "ENOSPC" ? "Full" : "Forbidden";
      throw new EngineError(errorClass, `${what}: ${message}`, { cause });
    }
  }
}

/** What every new identity gets: a snapshot that asks for nothing else need not set policies first. */
async function setGlobalPolicy(connection: KopiaConnection, { signal }: OpenOptions): Promise<void> {
  const stdin = (async function* () {
    yield Buffer.from(JSON.stringify({ [GLOBAL]: USUAL_POLICY }));
  })();
  await runKopia(connection.program, ["policy", "import"], { what: "setting policies", signal, stdin });
}

function isClass(error: unknown, errorClass: ErrorClass): boolean {
  return error instanceof EngineError && error.class === errorClass;
}

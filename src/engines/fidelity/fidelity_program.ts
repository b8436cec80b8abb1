import { createHash } from "node:crypto";
import { isRecord } from "../../lib/json.ts";
import { lines } from "../../lib/lines.ts";
import { messageOf } from "../../lib/result.ts";
import type { StreamedProcess, StreamedProcesses } from "../../lib/streamed_process.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, Owner } from "../../wire/snapshot.ts";
import type { SnapshotSettings } from "../../wire/work.ts";
import { throwIfAborted } from "../aborted.ts";
import { targetErrorClass } from "../target_error.ts";
import { type AttributeKind, lossesOf, parseCounted, parseSurvey, type Survey } from "./survey.ts";

/** What a restore will have to set. */
export interface Needs {
  readonly owners: readonly Owner[];
  readonly attributes: readonly AttributeKind[];
}

/** What of it would be refused in that target. */
export interface Refusals {
  /** Why nothing can be written at all. */
  readonly unwritable?: string;
  readonly owners: readonly Owner[];
  readonly attributes: readonly { readonly kind: string; readonly reason: string }[];
}

export interface ApplyOptions {
  /** Leave everything to whoever restores. */
  readonly skipOwners: boolean;
  /** Count what has another owner than recorded. */
  readonly countOwners: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** In nanoseconds, by the clock of the target's file system. */
export interface Span {
  readonly since: bigint;
  readonly until: bigint;
}

export interface ClearOptions {
  readonly left?: Span | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Applied {
  /** Paths below the target that wait for content which the engine did not restore under any other name. */
  readonly missing: readonly string[];
  readonly losses: readonly Loss[];
}

/** A folder's own attributes. */
export interface FolderAttributes {
  readonly mode: number;
  readonly owner: Owner;
  /** Seconds and nanoseconds. */
  readonly time: readonly [number, number];
  /** Values in base64, by name. */
  readonly xattrs?: Readonly<Record<string, string>>;
}

/** What of a source is recorded. */
export interface ScanOptions extends Pick<SnapshotSettings, "ignore" | "oneFileSystem"> {
  readonly signal?: AbortSignal | undefined;
}

/** A record that is being written: its bytes, and the survey once they have all been read. */
export interface Scan {
  readonly record: AsyncIterable<Uint8Array>;
  readonly survey: Promise<Survey>;
  /** Nobody wants it any more. */
  stop(): void;
}

/** The static helper that records and restores what Node and the engines cannot: one process for a whole tree. */
export class FidelityProgram {
  readonly #program: string;
  readonly #processes: StreamedProcesses;

  constructor(program: string, processes: StreamedProcesses) {
    this.#program = program;
    this.#processes = processes;
  }

  /** Records the tree, without what the engine leaves out of it. The record must be read to its end. */
  scan(source: string, { ignore = {}, oneFileSystem = false, signal }: ScanOptions = {}): Promise<Scan> {
    return this.#record(["scan", source, JSON.stringify({ ...ignore, oneFileSystem })], signal);
  }

  /** Records only what hardly any engine keeps: times beyond its range, and that symlinks are linked. */
  remains(source: string, signal?: AbortSignal): Promise<Scan> {
    return this.#record(["remains", source], signal);
  }

  async #record(args: readonly string[], signal: AbortSignal | undefined): Promise<Scan> {
    const process = await this.#start(args, { signal });
    const survey = this.#result(process, signal).then(parseSurvey);
    survey.catch(() => {}); // Whoever reads the record is told, too.
    return { record: verified(process.stdout, survey), survey, stop: () => process.kill("SIGKILL") };
  }

  /** Tries in the target, on an empty file that is removed again, whether the needs can be met. */
  async probe(target: string, needs: Needs, signal?: AbortSignal): Promise<Refusals> {
    const wanted = { owners: needs.owners.map(({ uid, gid }) => [uid, gid]), xattrs: needs.attributes };
    const found = await this.#run(["probe", target, JSON.stringify(wanted)], { signal });
    const { unwritable, owners, xattrs } = isRecord(found) ? found : {};
    return {
      ...(typeof unwritable === "string" ? { unwritable } : {}),
      owners: (Array.isArray(owners) ? owners : []).map(([uid, gid]) => ({ uid, gid })),
      attributes: Array.isArray(xattrs) ? xattrs : [],
    };
  }

  /** Removes everything from the target that an unfinished restore left there, but for marks. */
  async empty(target: string, signal?: AbortSignal): Promise<void> {
    await this.#run(["empty", target], { signal });
  }

  /**
   * Before an engine restores over what is there: removes symlinks from where folders will be, and from where files will
   * be what is not a file of one name that may be written. With `left`, also what one that was killed left beside its
   * files while it was at work then.
   */
  async clear(
    target: string,
    paths: AsyncIterable<Uint8Array>,
    { left, signal }: ClearOptions = {},
  ): Promise<void> {
    const span = left ? [String(left.since), String(left.until)] : ["", ""];
    await this.#run(["clear", target, ...span], { stdin: paths, signal });
  }

  /**
   * Before the engine restores into an empty target: keeps it from writing linked files more than once, and returns how
   * many places were prepared. Where there are any, keepListed() has to follow.
   */
  async prepare(
    target: string,
    path: string,
    record: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<number> {
    const done = await this.#run(["prepare", target, path], { stdin: record, signal });
    return isRecord(done) && typeof done.placeholders === "number" ? done.placeholders : 0;
  }

  /** Leaves of what was prepared only the paths that the snapshot holds. */
  async keepListed(target: string, paths: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    await this.#run(["listed", target], { stdin: paths, signal });
  }

  /** After the engine restored: links, attributes, names, times. `path` is what was restored of the source. */
  async apply(
    target: string,
    path: string,
    record: AsyncIterable<Uint8Array>,
    options: ApplyOptions,
  ): Promise<Applied> {
    const { skipOwners, countOwners, signal } = options;
    const mode = JSON.stringify({ skipOwners, countOwners });
    const found = await this.#run(["apply", target, path, mode], { stdin: record, signal });
    const from = isRecord(found) ? found : {};
    const counted = (key: string) => parseCounted(from[key]);
    return {
      missing: Array.isArray(from.missing) ? from.missing.map(String) : [],
      losses: [
        ...lossesOf([["Owner", counted("owners")]], "the mover may not give files to their owners"),
        ...lossesOf([["HardLink", counted("hardLinks")]], "the file changed while it was backed up"),
        ...lossesOf(
          [
            ["ExtendedAttribute", counted("xattrs")],
            ["Acl", counted("acls")],
            ["FileCapability", counted("capabilities")],
            ["Fifo", counted("fifos")],
            ["Device", counted("devices")],
            ["Time", counted("times")],
            ["Mode", counted("modes")],
          ],
          "the target's file system or the mover's rights do not allow it",
        ),
      ],
    };
  }

  /** The restore has ended: its mark is removed, and everything is on the disk. */
  async settle(target: string, signal?: AbortSignal): Promise<void> {
    await this.#run(["settle", target], { signal });
  }

  /** Gives the target folder itself these attributes, and returns what of them it did not get, but for its owner. */
  async applyRoot(
    target: string,
    attributes: FolderAttributes,
    signal?: AbortSignal,
  ): Promise<readonly Loss[]> {
    const { mode, owner, time, xattrs } = attributes;
    const root = {
      p: "",
      k: "d",
      m: mode,
      o: [owner.uid, owner.gid],
      t: time,
      ...(xattrs ? { x: xattrs } : {}),
    };
    const how = { skipOwners: false, countOwners: false, signal };
    return (await this.apply(target, "", recordOf([root]), how)).losses;
  }

  async #run(args: readonly string[], options: StartOptions): Promise<unknown> {
    const process = await this.#start(args, options);
    const result = this.#result(process, options.signal).catch(ofTarget);
    for await (const _ of process.stdout);
    return result;
  }

  async #start(args: readonly string[], { stdin, signal }: StartOptions): Promise<StreamedProcess> {
    throwIfAborted("handling attributes", signal);
    try {
      return await this.#processes.start(this.#program, args, { env: {}, ...(stdin ? { stdin } : {}) });
    } catch (cause) {
      throw new EngineError("EngineMissing", `handling attributes: ${messageOf(cause)}`, { cause });
    }
  }

  /** The last line that it says, as JSON. It keeps nothing that a kill could leave half-done: no need to ask first. */
  async #result(process: StreamedProcess, signal: AbortSignal | undefined): Promise<unknown> {
    const onAbort = () => process.kill("SIGKILL");
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    let last = "";
    for await (const line of lines(process.stderr)) last = line;
    const { code } = await process.ended;
    signal?.removeEventListener("abort", onAbort);
    throwIfAborted("handling attributes", signal);
    if (code === 0) return JSON.parse(last);
    if (code === null) throw new EngineError("OutOfMemory", "handling attributes: the helper was killed");
    throw new EngineError("EngineFailed", `handling attributes: ${last}`);
  }
}

/** Whatever does not record is at work in a target. */
function ofTarget(error: unknown): never {
  if (!(error instanceof EngineError) || error.class !== "EngineFailed") throw error;
  const errorClass = targetErrorClass(error.message);
  throw errorClass ? new EngineError(errorClass, error.message) : error;
}

/**
 * The record, of which nothing is missing. It is read from the beginning on, however late its reader comes: what a
 * program wrote and nobody read is thrown away when it ends.
 */
function verified(output: AsyncIterable<Uint8Array>, survey: Promise<Survey>): AsyncIterable<Uint8Array> {
  const chunks = output[Symbol.asyncIterator]();
  let next = chunks.next();
  next.catch(() => {});
  return (async function* () {
    const hash = createHash("sha256");
    for (let found = await next; !found.done; found = await next) {
      hash.update(found.value);
      next = chunks.next();
      next.catch(() => {});
      yield found.value;
    }
    if (hash.digest("hex") === (await survey).digest) return;
    throw new EngineError("EngineFailed", "handling attributes: a part of the record was lost");
  })();
}

/** Something of which only the path and the kind are known. */
export interface PathEntry {
  readonly path: string;
  /** `Name`: a file whose place is left as it is. */
  readonly kind: keyof typeof PATH_KINDS;
}

const PATH_KINDS = { Folder: "d", File: "f", Name: "n" } as const;

/** A record of paths alone, parents first. */
export function pathRecord(entries: AsyncIterable<PathEntry>): AsyncIterable<Uint8Array> {
  return recordOf(
    (async function* () {
      for await (const { path, kind } of entries) {
        // The record holds bytes, each as the character of its number.
        yield { p: Buffer.from(path).toString("latin1"), k: PATH_KINDS[kind] };
      }
    })(),
  );
}

/** A record that is here as a whole. */
export async function* wholeRecordOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function* recordOf(entries: Iterable<unknown> | AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  let text = line({ holdfast: 1 });
  for await (const entry of entries) {
    text += line(entry);
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text + line({ end: true }));
}

const CHUNK = 65_536;

interface StartOptions {
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal | undefined;
}

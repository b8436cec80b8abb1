import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod } from "node:fs/promises";
import * as http from "node:http";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { errorCode } from "./errors.mjs";
import { CommandFailed, run } from "./run.mjs";

/**
 * @typedef {object} Patience in milliseconds
 * @property {number} answer a host that has not begun to answer after this is taken as out of reach
 * @property {number} stall a download that stands still for this long is given up
 */

/** @type {Patience} */
const PATIENCE = { answer: 5_000, stall: 30_000 };

/** The release could not be had, or is not what was published; `host` is set when that host does not answer. */
export class DownloadFailed extends Error {
  /** @override */
  name = "DownloadFailed";

  /**
   * @param {string} message
   * @param {{ cause?: unknown, host?: string }} [options]
   */
  constructor(message, { cause, host } = {}) {
    super(message, { cause });
    /** @readonly */
    this.host = host;
  }
}

/**
 * @typedef {object} Release one program's official release for this machine
 * @property {string} asset URL of an executable, or of a .tar.gz or .bz2 that holds it
 * @property {string} checksums URL of the published SHA-256 list
 * @property {string} [member] path of the executable in a .tar.gz
 */

/**
 * Downloads a release into `folder`, checks it and returns the path of the executable there.
 * @param {Release} release
 * @param {string} folder
 * @param {AbortSignal} signal
 * @param {Patience} [patience]
 * @returns {Promise<string>}
 */
export async function download(release, folder, signal, patience = PATIENCE) {
  useProxyOfEnvironment();
  const name = basename(new URL(release.asset).pathname);
  const published = publishedChecksum(await receiveText(release.checksums, signal, patience), name);
  if (published === undefined) throw new DownloadFailed(`${release.checksums} does not list ${name}`);
  const archive = join(folder, name);
  const received = await save(release.asset, archive, signal, patience);
  if (received !== published) {
    throw new DownloadFailed(
      `${release.asset} has the SHA-256 ${received}, but ${published} was published: it was not used`,
    );
  }
  const executable = await unpack(archive, folder, release.member, signal);
  await chmod(executable, 0o755);
  return executable;
}

/**
 * The SHA-256 of a file in a list of "<hash>  <name>" lines, or in a file that holds one hash alone.
 * @param {string} list
 * @param {string} name
 * @returns {string | undefined}
 */
export function publishedChecksum(list, name) {
  for (const line of list.split("\n")) {
    const [, hash, file] = /^([0-9a-fA-F]{64})(?:\s+\*?(\S+))?\s*$/.exec(line) ?? [];
    if (hash !== undefined && (file === undefined || file === name)) return hash.toLowerCase();
  }
  return undefined;
}

/** Node takes HTTPS_PROXY and NO_PROXY into account only when told to, and only since version 24. */
function useProxyOfEnvironment() {
  if ("setGlobalProxyFromEnv" in http && typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv();
  }
}

/**
 * The body at `url`, piece by piece.
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {Patience} patience
 * @returns {AsyncGenerator<Uint8Array, void>}
 */
async function* receive(url, signal, { answer, stall }) {
  const { host } = new URL(url);
  const controller = new AbortController();
  const giveUp = () => controller.abort();
  let timer = setTimeout(giveUp, answer);
  const waitAgain = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, stall);
  };
  signal.addEventListener("abort", giveUp, { once: true });
  let answered = false;
  try {
    const response = await fetch(url, { signal: controller.signal });
    answered = true;
    if (response.status !== 200 || response.body === null) {
      throw new DownloadFailed(`${url} answered ${response.status}`);
    }
    waitAgain();
    for await (const chunk of response.body) {
      waitAgain();
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DownloadFailed) throw error;
    const why = controller.signal.aborted ? "no answer in time" : reason(error);
    if (answered) throw new DownloadFailed(`${url} broke off (${why})`, { cause: error });
    throw new DownloadFailed(`${host} cannot be reached (${why})`, { cause: error, host });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    controller.abort();
  }
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {Patience} patience
 */
async function receiveText(url, signal, patience) {
  const chunks = [];
  for await (const chunk of receive(url, signal, patience)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Writes what is at `url` to a file and returns its SHA-256.
 * @param {string} url
 * @param {string} file
 * @param {AbortSignal} signal
 * @param {Patience} patience
 */
async function save(url, file, signal, patience) {
  const hash = createHash("sha256");
  await pipeline(
    receive(url, signal, patience),
    async function* (chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  return hash.digest("hex");
}

/**
 * @param {string} archive
 * @param {string} folder
 * @param {string | undefined} member
 * @param {AbortSignal} signal
 */
async function unpack(archive, folder, member, signal) {
  try {
    if (member !== undefined) {
      await run("tar", ["-xzf", archive, "-C", folder, member], { signal });
      return join(folder, member);
    }
    if (archive.endsWith(".bz2")) {
      await run("bzip2", ["-d", archive], { signal });
      return archive.slice(0, -".bz2".length);
    }
    return archive;
  } catch (error) {
    signal.throwIfAborted();
    throw new DownloadFailed(`${basename(archive)} cannot be unpacked: ${reason(error)}`, { cause: error });
  }
}

/** @param {unknown} error */
function reason(error) {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (root instanceof CommandFailed) return root.output.trim();
  return errorCode(root) ?? String(root);
}

import { randomUUID } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, LaunchError } from "./errors.mjs";
import { processStart } from "./process_start.mjs";

const POLL_MS = 200;
const BEAT_MS = 10_000;
/** A lock of another machine whose owner gave no sign for this long, watched from here, is abandoned. */
const SILENCE_MS = 60_000;

/**
 * @typedef {{ readonly pid: number, readonly started: string, readonly host: string, readonly task: string }} Owner
 * @typedef {{ readonly file: string, readonly owner: Owner, readonly beat: number }} Held
 */

/**
 * Does `work` while holding the lock `folder`, which no other process on this cache then holds.
 *
 * The lock is a folder with one file, its owner, moved into place as a whole. Whoever finds the owner dead
 * removes that very file and then the folder if it is empty: a late second finder can do no harm to the lock
 * that a first one has taken meanwhile.
 * @template T
 * @param {string} folder
 * @param {{ task: string, progress: import("./progress.mjs").Progress, signal: AbortSignal }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(folder, { task, progress, signal }, work) {
  await mkdir(dirname(folder), { recursive: true });
  const file = `${randomUUID()}.json`;
  const owner = {
    pid: process.pid,
    started: (await processStart(process.pid)) ?? "",
    host: hostname(),
    task,
  };
  while (!(await take(folder, file, owner))) await waitUntilFree(folder, progress, signal);
  const beat = setInterval(() => {
    const now = new Date();
    utimes(join(folder, file), now, now).catch(() => {});
  }, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await remove(folder, file);
  }
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {Owner} owner
 */
async function take(folder, file, owner) {
  const staging = `${folder}.${file}`;
  await mkdir(staging);
  try {
    await writeFile(join(staging, file), JSON.stringify(owner));
    // Replaces an empty folder, and fails on one that has an owner.
    await rename(staging, folder);
    return true;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/**
 * Returns once the lock may be tried again: its owner let go, or was found dead and its lock removed.
 * @param {string} folder
 * @param {import("./progress.mjs").Progress} progress
 * @param {AbortSignal} signal
 */
async function waitUntilFree(folder, progress, signal) {
  const held = await read(folder);
  if (held === undefined) return;
  let { beat } = held;
  let since = performance.now();
  const over = async () => {
    const current = await read(folder);
    if (current?.file !== held.file) return true;
    if (current.beat !== beat) {
      beat = current.beat;
      since = performance.now();
    }
    if (await isAlive(held.owner, performance.now() - since)) return false;
    await remove(folder, held.file);
    return true;
  };
  if (await over()) return;
  const { pid, host, task } = held.owner;
  const where = host === hostname() ? "" : ` on ${host}`;
  await progress.step(`waiting for process ${pid}${where} (${task})`, async () => {
    while (!(await over())) {
      await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });
}

/**
 * Whether the owner of a lock is still there. Of another machine's processes only the silence is known.
 * @param {Owner} owner
 * @param {number} silentForMs
 */
export async function isAlive(owner, silentForMs) {
  if (owner.host !== hostname()) return silentForMs < SILENCE_MS;
  const started = await processStart(owner.pid);
  return started !== undefined && started === owner.started;
}

/**
 * @param {string} folder
 * @returns {Promise<Held | undefined>} undefined when nobody holds the lock
 */
async function read(folder) {
  try {
    const [file] = await readdir(folder);
    if (file === undefined) return undefined;
    const path = join(folder, file);
    return { file, owner: JSON.parse(await readFile(path, "utf8")), beat: (await stat(path)).mtimeMs };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new LaunchError(
      `The lock ${folder} cannot be read. If no other launcher runs, remove that folder.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * @param {string} folder
 * @param {string} file
 */
async function remove(folder, file) {
  await unlink(join(folder, file)).catch(unlessGone);
  await rmdir(folder).catch(unlessGone);
}

/** @param {unknown} error */
function unlessGone(error) {
  if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
}

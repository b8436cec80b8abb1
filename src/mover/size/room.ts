import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CacheRoom, Room } from "./sizes.ts";

const CGROUPS = "/sys/fs/cgroup";
const TMPFS = 0x01021994;
/** cgroup v1 writes "none" as the largest number of whole pages. */
const ENDLESS = 2 ** 60;

/** The text of a file; undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined;

/** Reads the limits around this process, and those of the folders that its cache has to fit into. */
export async function roomAround(...cacheFolders: readonly string[]): Promise<Room> {
  const caches = await Promise.all(cacheFolders.map(cacheRoom));
  return { ...cgroupRoom(readText), caches: caches.filter((cache) => cache !== undefined) };
}

/** Memory and processors, from the cgroup of either version that this process is in and from those around it. */
export function cgroupRoom(read: ReadText): Pick<Room, "memory" | "cpus"> {
  const groups = new Map(
    (read("/proc/self/cgroup") ?? "").split("\n").flatMap((line): [string, string][] => {
      const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return controllers === undefined ? [] : controllers.split(",").map((name) => [name, path ?? "/"]);
    }),
  );
  const unified = foldersUp(CGROUPS, groups.get("") ?? "/");
  const v1 = (controller: string) => foldersUp(join(CGROUPS, controller), groups.get(controller) ?? "/");
  const memory = least([
    ...unified.map((folder) => number(read(join(folder, "memory.max")))),
    ...v1("memory").map((folder) => number(read(join(folder, "memory.limit_in_bytes")))),
  ]);
  const cpus = least([
    ...unified.map((folder) => quota(read(join(folder, "cpu.max")))),
    ...v1("cpu").map((folder) =>
      quota(`${read(join(folder, "cpu.cfs_quota_us"))} ${read(join(folder, "cpu.cfs_period_us"))}`),
    ),
  ]);
  return { ...(memory === undefined ? {} : { memory }), ...(cpus === undefined ? {} : { cpus }) };
}

/** The group's folder and those above it: in a container the path may lead outside of what is mounted. */
function foldersUp(root: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = join("/", path); at !== "/"; at = dirname(at)) folders.push(join(root, at));
  return [...folders, root];
}

function number(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return value > 0 && value < ENDLESS ? value : undefined;
}

function quota(text: string | undefined): number | undefined {
  const [time, period] = (text ?? "").split(" ").map(number);
  return time === undefined || period === undefined ? undefined : time / period;
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function cacheRoom(folder: string): Promise<CacheRoom | undefined> {
  try {
    const { type, bsize, blocks, bavail } = await statfs(folder);
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize, inMemory: type === TMPFS };
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

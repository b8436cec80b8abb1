import { execFileSync } from "node:child_process";

/** A disk of its own at a folder, as small as wanted. */
export interface SmallDisk extends Disposable {
  grow(size: string): void;
}

/** What a disk in memory may be. A `ramfs` knows no extended attributes, and is as large as it likes. */
export type MemoryFileSystem = "tmpfs" | "ramfs";

export interface SmallDiskOptions {
  /** Default `tmpfs`. */
  readonly fileSystem?: MemoryFileSystem;
  /** The command in front, for mounts of a machine within this one. */
  readonly enter?: readonly string[];
}

/** Mounts a small disk over a folder. */
export function smallDisk(
  folder: string,
  size: string,
  { fileSystem = "tmpfs", enter = [] }: SmallDiskOptions = {},
): SmallDisk {
  const run = (...command: readonly string[]) => {
    const [program = "", ...args] = [...enter, ...command];
    execFileSync(program, args);
  };
  run("mount", "-t", fileSystem, "-o", `size=${size},mode=777`, fileSystem, folder);
  return {
    grow: (larger) => run("mount", "-o", `remount,size=${larger}`, folder),
    [Symbol.dispose]: () => run("umount", "-l", folder),
  };
}

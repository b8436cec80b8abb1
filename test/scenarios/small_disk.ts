import { execFileSync } from "node:child_process";

/** A disk of its own at a folder, as small as wanted. */
export interface SmallDisk extends Disposable {
  grow(size: string): void;
}

/** Mounts a small disk over a folder. `enter`: the command in front, for mounts of a machine within this one. */
export function smallDisk(folder: string, size: string, enter: readonly string[] = []): SmallDisk {
  const run = (...command: readonly string[]) => {
    const [program = "", ...args] = [...enter, ...command];
    execFileSync(program, args);
  };
  run("mount", "-t", "tmpfs", "-o", `size=${size},mode=777`, "tmpfs", folder);
  return {
    grow: (larger) => run("mount", "-o", `remount,size=${larger}`, folder),
    [Symbol.dispose]: () => run("umount", "-l", folder),
  };
}

import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const MOUNT = "/sys/fs/cgroup";

/** Makes a cgroup of that name in every hierarchy: the kubelet takes it as the root of its pods. */
export function makeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, name), { recursive: true });
}

/** Removes it and what is below. False when a process is still in there. */
export function removeCgroup(name: string): boolean {
  return hierarchies().every((hierarchy) => removeTree(join(hierarchy, name)));
}

/** One for version 2, one for each controller for version 1. */
function hierarchies(): string[] {
  if (!existsSync(MOUNT)) return [];
  const folders = [MOUNT, ...readdirSync(MOUNT).map((controller) => join(MOUNT, controller))];
  return existsSync(join(MOUNT, "cgroup.procs"))
    ? [MOUNT]
    : folders.filter((folder) => existsSync(join(folder, "cgroup.procs")));
}

/** The files of a cgroup cannot be deleted, and go with their folder. */
function removeTree(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  if (!children.every((child) => removeTree(join(folder, child.name)))) return false;
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "EBUSY") return false;
    throw error;
  }
}

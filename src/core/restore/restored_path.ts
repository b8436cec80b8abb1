/** A path in a snapshot or on a volume, relative to its root: leading, trailing and doubled slashes say nothing. */
export function relativePath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Whether a path could lead out of the snapshot or the volume. */
export function leadsUpwards(path: string): boolean {
  return path.split("/").includes("..");
}

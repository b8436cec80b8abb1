/** A path in a snapshot as engines want it: relative to the root, without dots and doubled slashes. */
export function cleanPath(path = ""): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

import { cleanPath } from "../../../../src/cli/session/clean_path.ts";

/** A folder on the way to a path. */
export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The folders on the way, the root first. */
export function crumbs(path: string, root: string): readonly Crumb[] {
  const parts = cleanPath(path).split("/").filter(Boolean);
  return [
    { name: root, path: "" },
    ...parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") })),
  ];
}

export function parentOf(path: string): string {
  return cleanPath(path).split("/").slice(0, -1).join("/");
}

export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

export function nameOf(path: string): string {
  return cleanPath(path).split("/").at(-1) ?? "";
}

/** A name with bytes that are not UTF-8 is not told in full, so that it cannot be asked for. */
export function isAskable(name: string): boolean {
  return !name.includes("\ufffd");
}

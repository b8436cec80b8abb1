import type { PathEntry } from "../fidelity/fidelity_program.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, objectPath } from "./manifest.ts";

/** What of a snapshot is listed. */
export interface Listed {
  readonly manifest: Manifest;
  /** A folder's, below which the paths are. */
  readonly path: string;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** The paths that a folder of a snapshot holds, as {@link listedPaths} yields them. */
export function listPaths(
  repository: KopiaRepository,
  { manifest, path, what, signal }: Listed,
): AsyncIterable<string> {
  const root = objectPath(manifest, path);
  const args = ["ls", "--recursive", "--no-error-summary", root];
  return listedPaths(repository.stream(args, { what, signal, mustMove: true }), root);
}

/**
 * The paths that `kopia ls --recursive` prints below `root`, each a line that begins with it: a name may hold ends of
 * lines itself, but never one with the root's own ID behind it. A folder ends with a slash, and comes before what it
 * holds.
 */
export async function* listedPaths(chunks: AsyncIterable<Uint8Array>, root: string): AsyncIterable<string> {
  const beginning = `${root}/`;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  let path: string | undefined;
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      if (line.startsWith(beginning)) {
        if (path !== undefined) yield path;
        path = line.slice(beginning.length);
      } else if (path !== undefined) path += `\n${line}`;
    }
  }
  if (path !== undefined) yield path;
}

/** The same for the helper. What is no folder is of this kind. */
export async function* pathEntries(
  paths: AsyncIterable<string>,
  kind: "File" | "Name",
): AsyncIterable<PathEntry> {
  for await (const path of paths) {
    yield path.endsWith("/") ? { path: path.slice(0, -1), kind: "Folder" } : { path, kind };
  }
}

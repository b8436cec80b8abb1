import { basename, posix } from "node:path";
import { EngineError } from "../../wire/engine_error.ts";
import { VELERO_RESTIC_HOST } from "../../wire/velero.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { jsonObjects } from "../json_objects.ts";
import { type CommandOptions, type ResticProgram, runRestic, streamRestic } from "./command.ts";
import type { Location } from "./location.ts";
import { parseNode, type ResticNode } from "./node.ts";
import { filterArguments, isMeant } from "./snapshot_filter.ts";
import { parseSnapshot, type ResticSnapshot } from "./snapshot_record.ts";

/** What the operations on one open repository share. */
export interface RepositoryContext {
  readonly restic: ResticProgram;
  /** The repository's ID. */
  readonly id: string;
  /** The snapshot that opening it looked up. Default: none. */
  readonly found?: ResticSnapshot;
  /** For private files, which go with the repository. */
  readonly folder: string;
  /** How it is reached, but for where private files and programs are. */
  readonly reach: Location;
  readonly readOnly: boolean;
  readonly fidelity: FidelityProgram;
}

/** Arguments of what reads only: it needs no lock, and must not write one into a read-only repository. */
export const WITHOUT_LOCK = ["--no-lock"] as const;

/** It says nothing before it has read every snapshot, of which there may be many. */
const LIST_SILENCE_MS = 120_000;

/** restic's JSON of snapshots, oldest first. */
export async function* listSnapshots(
  { restic }: Pick<RepositoryContext, "restic">,
  filter: SnapshotFilter & { readonly id?: string },
  options: CommandOptions,
): AsyncIterable<ResticSnapshot> {
  const args = [
    ...["snapshots", "--json", ...WITHOUT_LOCK, ...filterArguments(filter)],
    ...(filter.id === undefined ? [] : [filter.id]),
  ];
  for await (const value of jsonObjects(
    streamRestic(restic, args, { patience: "Short", silenceMs: LIST_SILENCE_MS, ...options }),
  )) {
    const found = parseSnapshot(value);
    if (found !== undefined && isMeant(found, filter)) yield found;
  }
}

/** The snapshot with this ID. */
export async function findSnapshot(
  context: Pick<RepositoryContext, "restic" | "found">,
  id: string,
  options: CommandOptions,
): Promise<ResticSnapshot> {
  if (context.found?.snapshot.id === id) return context.found;
  for await (const found of listSnapshots(context, { id }, options)) {
    if (found.snapshot.id.startsWith(id)) return found;
  }
  throw new EngineError("SnapshotMissing", `${options.what}: the repository has no snapshot ${id}`);
}

/**
 * The folder within a snapshot that stands for its source's root: "" when that is the snapshot's own top. Somebody who
 * names a folder has its path alone at the top; whoever is in the folder has its content there, and a folder in it may
 * have the same name.
 */
export async function rootFolder(
  { restic }: RepositoryContext,
  { snapshot, rootPath }: ResticSnapshot,
  options: CommandOptions,
): Promise<string> {
  if (rootPath !== undefined) return rootPath === "/" ? "" : rootPath;
  const { hostname, path } = snapshot.identity;
  // VolSync and Velero back up from within the volume, so that what is in it is at the snapshot's top.
  if (hostname === VOLSYNC_HOST && path === VOLSYNC_PATH) return "";
  if (hostname === VELERO_RESTIC_HOST) return "";
  let top = 0;
  for await (const _ of nodesIn(restic, snapshot.id, "/", options)) top += 1;
  if (top !== 1) return "";
  for (const candidate of [path, `/${basename(path)}`]) {
    if ((await nodeAt(restic, snapshot.id, candidate, options)) !== undefined) return candidate;
  }
  return "";
}

/** The node at an absolute path within a snapshot; undefined when there is none. */
export async function nodeAt(
  restic: ResticProgram,
  snapshot: string,
  path: string,
  options: CommandOptions,
): Promise<ResticNode | undefined> {
  const wanted = posix.basename(path);
  let found: ResticNode | undefined;
  for await (const node of nodesIn(restic, snapshot, posix.dirname(path), options)) {
    if (unquoted(node.name) === wanted) found = node;
  }
  return found;
}

/** What a folder of a snapshot holds; nothing when there is no such folder. */
async function* nodesIn(
  restic: ResticProgram,
  snapshot: string,
  folder: string,
  options: CommandOptions,
): AsyncIterable<ResticNode> {
  const args = ["cat", "tree", `${snapshot}:${folder}`, ...WITHOUT_LOCK];
  try {
    for await (const value of jsonObjects(streamRestic(restic, args, options), 1)) {
      const node = parseNode(value);
      if (node !== undefined) yield node;
    }
  } catch (error) {
    if (error instanceof EngineError && error.class === "PathMissing") return;
    throw error;
  }
}

/** The last snapshot of an identity. */
export async function lastSnapshot(
  context: Pick<RepositoryContext, "restic">,
  filter: SnapshotFilter,
  options: CommandOptions,
): Promise<ResticSnapshot | undefined> {
  let last: ResticSnapshot | undefined;
  for await (const found of listSnapshots(context, filter, options)) last = found;
  return last;
}

/** Runs restic for its lines of text alone. */
export async function textOf(
  restic: ResticProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<readonly string[]> {
  const said: string[] = [];
  const onLine = (line: unknown) => void (typeof line === "string" && said.push(line));
  await runRestic(restic, args, { ...options, onLine });
  return said;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Names in trees are written as in Go's source text. */
function unquoted(name: string): string {
  return name.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/g,
    (_, byte?: string, short?: string, long?: string, letter = "") => {
      const code = byte ?? short ?? long;
      if (byte !== undefined && Number.parseInt(byte, 16) >= 0x80) return "\ufffd";
      return code === undefined
        ? (ESCAPES[letter] ?? letter)
        : String.fromCodePoint(Number.parseInt(code, 16));
    },
  );
}

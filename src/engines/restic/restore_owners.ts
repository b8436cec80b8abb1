import { lchown, lstat, readdir } from "node:fs/promises";
import { lines } from "../../lib/lines.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, Owner } from "../../wire/snapshot.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { parsedLine } from "../parsed_line.ts";
import { type CommandOptions, streamRestic } from "./command.ts";
import { listingMustMove } from "./must_move.ts";
import { parseNode, type ResticNode } from "./node.ts";
import { type RepositoryContext, WITHOUT_LOCK } from "./repository_context.ts";

/** What is to be restored: a node, and with a folder everything in it. */
export interface Wanted {
  readonly snapshot: string;
  readonly target: string;
  /** The folder of the target that is written; made when it is not there. Default: the target. */
  readonly written?: string;
  /** Absolute, within the snapshot. */
  readonly folder: string;
  /** The folder's own node, or that of the one file that is wanted. */
  readonly node: ResticNode | undefined;
  /** All that there are, where they were recorded. */
  readonly owners?: readonly Owner[];
}

/** Files that cannot be given back to their owners. */
export interface Unownable {
  readonly owners: readonly Owner[];
  readonly count: number;
  readonly examples: readonly string[];
}

/** What it takes to look for them. */
interface Looking extends Pick<RepositoryContext, "restic"> {
  readonly fidelity: Pick<FidelityProgram, "probe">;
}

const EXAMPLES = 5;

/** Whoever may give files to these may give them to anyone. */
const STRANGERS: readonly Owner[] = [
  { uid: 65_531, gid: 65_531 },
  { uid: 65_533, gid: 65_533 },
];

/** Looks, before anything is written, for what would not get its owner. The target must exist. */
export async function unownable(
  { restic, fidelity }: Looking,
  wanted: Wanted,
  options: CommandOptions,
): Promise<Unownable> {
  const { owners: refused } = await fidelity.probe(
    wanted.target,
    { owners: wanted.owners ?? STRANGERS, attributes: [] },
    options.signal,
  );
  if (refused.length === 0) return { owners: [], count: 0, examples: [] };
  const seen = new Map<string, Owner & { count: number; examples: string[] }>();
  const see = ({ uid, gid }: Owner, path: string) => {
    const key = `${uid}:${gid}`;
    const entry = seen.get(key) ?? { uid, gid, count: 0, examples: [] };
    entry.count += 1;
    if (entry.examples.length < EXAMPLES) entry.examples.push(path);
    seen.set(key, entry);
  };
  const { node } = wanted;
  if (node?.type === "dir") {
    // The target's own folder is there already, and may be whose it should be.
    const isAbsent = (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return false;
    };
    if (!(await belongsTo(wanted.written ?? wanted.target, node).catch(isAbsent))) see(node, ".");
  } else if (node !== undefined) see(node, node.name);
  if (node === undefined || node.type === "dir") {
    const args = ["ls", "--json", `${wanted.snapshot}:${wanted.folder}`, ...WITHOUT_LOCK];
    for await (const line of lines(streamRestic(restic, args, { ...options, mustMove: listingMustMove }))) {
      const value = parsedLine(line);
      const found = parseNode(value);
      if (found !== undefined) see(found, String((value as { readonly path?: unknown }).path ?? found.name));
    }
  }
  const owners = [...seen.values()].map(({ uid, gid }) => ({ uid, gid }));
  const left = (await fidelity.probe(wanted.target, { owners, attributes: [] }, options.signal)).owners;
  const entries = left.flatMap(({ uid, gid }) => seen.get(`${uid}:${gid}`) ?? []);
  return {
    owners: left,
    count: entries.reduce((sum, { count }) => sum + count, 0),
    examples: entries.flatMap(({ examples }) => examples).slice(0, EXAMPLES),
  };
}

async function belongsTo(path: string | Buffer, { uid, gid }: Owner): Promise<boolean> {
  const found = await lstat(path);
  return found.uid === uid && found.gid === gid;
}

/** The error of a restore that would not bring back its owners. */
export function ownersRefused(what: string, { owners, count }: Unownable): EngineError {
  const some = owners.slice(0, EXAMPLES).map(({ uid, gid }) => `${uid}:${gid}`);
  const names = `${some.join(", ")}${owners.length > EXAMPLES ? " and others" : ""}`;
  const [only, ...others] = owners;
  const remedy =
    only === undefined || others.length > 0
      ? undefined
      : `Run the mover as user ${only.uid} and group ${only.gid} (mover.securityContext) or as root, or accept the loss with ownership: BestEffort.`;
  const message = `${what}: ${count} files belong to ${names}, and the mover may not give files away`;
  return new EngineError("PrivilegesNeeded", message, remedy === undefined ? {} : { remedy });
}

/** The same as a loss. */
export function ownerLosses({ count, examples }: Unownable): readonly Loss[] {
  if (count === 0) return [];
  return [{ kind: "Owner", count, examples, reason: "the mover may not give files to their owners" }];
}

/**
 * Gives a file, or a folder and what is in it, to this process's user: also what was there before, since nothing tells
 * apart what restic wrote. Who may not give files away has written none but his own. Names stay bytes: they need not be
 * UTF-8.
 */
export async function takeOver(target: string): Promise<void> {
  const path = Buffer.from(target);
  // What is called so is the file system's.
  if ((await lstat(path)).isDirectory()) await takeOverFolder(path, "lost+found");
  else await ifPermitted(() => takeOverEntry(path));
}

async function takeOverFolder(folder: Buffer, but?: string): Promise<void> {
  await ifPermitted(() => takeOverEntry(folder));
  const entries = await ifPermitted(() => readdir(folder, { encoding: "buffer", withFileTypes: true }));
  for (const entry of entries ?? []) {
    if (entry.name.toString() === but) continue;
    const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
    if (entry.isDirectory()) await takeOverFolder(path);
    else await ifPermitted(() => takeOverEntry(path));
  }
}

async function takeOverEntry(path: Buffer): Promise<void> {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  if (!(await belongsTo(path, { uid, gid }))) await lchown(path, uid, gid);
}

/** Root is permitted everything: what it is refused is an error. */
async function ifPermitted<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code !== "EPERM" && code !== "EACCES") || process.geteuid?.() === 0) throw error;
    return undefined;
  }
}

import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import type { Entry } from "../../wire/entry.ts";
import { PAGE_LIMIT } from "../../wire/session.ts";
import { allOf } from "../files/all_of.ts";
import { sightings } from "../files/sightings.ts";
import { type Difference, treeDifferences } from "../files/tree_difference.ts";
import type { Call } from "../frame/command.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { backupsOf, recipeNamed, snapshotsOf } from "../restore/recipe_backups.ts";
import { cleanPath } from "../session/clean_path.ts";
import {
  inSameRepository,
  type NamedSnapshot,
  noBackup,
  repositoryOf,
  snapshotNamed,
  withRepository,
} from "../session/with_snapshot.ts";
import { archive } from "./archive.ts";
import type { FilePage, FileSearch, FileVersion } from "./contract.ts";
import { fileVersions } from "./file_versions.ts";
import { PREVIEW_BYTES } from "./page_headers.ts";
import type { Lease, RepositorySessions } from "./repository_sessions.ts";

/** So many entries are in a page, unless another number is asked for. */
const PAGE = 500;
/** An archive holds a page of each folder that it is in. */
const ARCHIVE_PAGE = 200;
/** So many entries are told of one search, in all snapshots together: the server keeps them meanwhile. */
export const MOST_FOUND = 10_000;
/** A folder of more is not compared here, as both of its sides are kept meanwhile. */
const MOST_COMPARED = 100_000;
/** So many differences are told at most. */
const MOST_DIFFERENCES = 10_000;

/** A place in a backup, as the page names it. */
export interface FilesAsked {
  readonly backup: string;
  readonly path: string;
}

/** A path that a person may name: never one that leads out of the snapshot. */
export function filePath(path: string | undefined): string {
  if ((path ?? "").split("/").includes("..") || path?.includes("\0"))
    throw misuse(`${JSON.stringify(path)} leads out of the backup`, "Name the path from its root.");
  return cleanPath(path);
}

export async function filePage(
  call: Call,
  {
    backup,
    path,
    after,
    limit,
  }: FilesAsked & { readonly after?: string | undefined; readonly limit?: number },
): Promise<FilePage> {
  const named = await ofBackup(call, backup);
  const pageSize = Math.min(Math.max(1, limit || PAGE), PAGE_LIMIT);
  return await withRepository(call, [named.backup], (client) =>
    client.entriesPage(named.snapshot.kopiaSnapshotID, path, { after, pageSize, signal: call.signal }),
  );
}

export async function fileEntry(call: Call, { backup, path }: FilesAsked): Promise<Entry> {
  const named = await ofBackup(call, backup);
  if (path === "") return rootOf(named);
  return await withRepository(call, [named.backup], (client) =>
    client.entry(named.snapshot.kopiaSnapshotID, path, call),
  );
}

/** The bytes of a file; of a preview, the beginning. */
export async function fileContent(
  call: Call,
  sessions: RepositorySessions,
  { backup, path, preview }: FilesAsked & { readonly preview: boolean },
): Promise<AsyncIterable<Uint8Array>> {
  const { lease, id } = await leased(call, sessions, backup);
  const { client } = lease;
  await orReleased(lease, async () => {
    const entry = await client.entry(id, path, call);
    if (entry.type !== "File")
      throw misuse(`${path} is no file`, "A folder is fetched as an archive; restore brings links back.");
  });
  const bytes = client.read(id, path, call);
  return released(preview ? firstOf(bytes, PREVIEW_BYTES) : bytes, lease, call.signal);
}

/** A folder as a tar. `onEnd`: told when it is over, however that comes. */
export async function fileArchive(
  call: Call,
  sessions: RepositorySessions,
  { backup, path, name }: FilesAsked & { readonly name: string },
  onEnd: () => void = () => {},
): Promise<AsyncIterable<Uint8Array>> {
  const { lease, id } = await leased(call, sessions, backup, onEnd);
  const { client } = lease;
  await orReleased(lease, async () => {
    if (path !== "" && (await client.entry(id, path, call)).type !== "Folder")
      throw misuse(`${path} is no folder`, "A file is fetched by itself.");
  });
  const source = {
    entries: (folder: string) => client.entries(id, folder, { signal: call.signal, pageSize: ARCHIVE_PAGE }),
    read: (file: string) => client.read(id, file, call),
  };
  return released(archive(source, path, name), lease, call.signal);
}

/** A name in all snapshots of a BackupConfig that are in one repository. */
export async function fileSearch(call: Call, config: string, name: string): Promise<FileSearch> {
  const { within, newest } = await ofConfig(call, config);
  let cut = false;
  const found = await withRepository(call, [newest], (client) =>
    sightings(within.toReversed(), {
      name,
      search: (snapshot, glob) => client.search(snapshot, { name: glob }, call),
      most: MOST_FOUND,
      onCut: () => {
        cut = true;
      },
    }),
  );
  return { found, cut };
}

/** The forms that a file of a backup has, or had, in all Backups of the same BackupConfig. */
export async function versionsOf(call: Call, { backup, path }: FilesAsked): Promise<readonly FileVersion[]> {
  const named = await ofBackup(call, backup);
  const { sourcePath } = named.snapshot.identity;
  const { client: kube } = await call.cluster();
  const { namespace = "" } = named.backup.metadata;
  const config = named.backup.spec.configRef?.name;
  const { items } = await kube.list(backupResource, {
    namespace,
    signal: call.signal,
    omitManagedFields: true,
  });
  const { username, hostname } = named.snapshot.identity;
  const held = items
    .filter((one) => inSameRepository(named.backup, one))
    .filter((one) => config === undefined || (one.spec.configRef?.name ?? config) === config)
    .flatMap((one) =>
      (one.status?.snapshots ?? [])
        .filter(({ identity }) => identity.sourcePath === sourcePath)
        .filter(({ identity }) => identity.username === username && identity.hostname === hostname)
        .map((snapshot) => ({ backup: one, snapshot })),
    )
    .toSorted((a, b) => startOf(b) - startOf(a));
  return await withRepository(call, [named.backup], (client) =>
    fileVersions({ held, entry: (snapshot) => client.entry(snapshot, path, call) }),
  );
}

export async function filesDiff(
  call: Call,
  { older, newer, path }: { readonly older: string; readonly newer: string; readonly path: string },
): Promise<readonly Difference[]> {
  const [before, after] = await Promise.all([ofBackup(call, older), ofBackup(call, newer)]);
  const { root } = before.snapshot;
  if (root !== undefined && root === after.snapshot.root) return [];
  return await withRepository(call, [before.backup, after.backup], (client) => {
    const list =
      ({ snapshot }: NamedSnapshot) =>
      (folder: string) =>
        noMoreThan(MOST_COMPARED, client.entries(snapshot.kopiaSnapshotID, folder, call), folder);
    return allOf(firstOf(treeDifferences(list(before), list(after), path), MOST_DIFFERENCES));
  });
}

function ofBackup(call: Call, backup: string): Promise<NamedSnapshot> {
  return snapshotNamed(call, backup.includes("/") ? backup : `backup/${backup}`);
}

async function ofConfig(call: Call, config: string) {
  const cluster = await call.cluster();
  const namespace = call.given.text("namespace") ?? cluster.namespace;
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name: config }, call.signal);
  const all = backupsOf(backups, recipe).filter((one) => snapshotsOf(one, recipe).length > 0);
  const [newest] = all;
  if (!newest) throw noBackup(config);
  return { newest, within: all.filter((one) => inSameRepository(newest, one)) };
}

function rootOf({ snapshot, backup }: NamedSnapshot): Entry {
  const modifiedAt = backup.status?.timing?.startTime ?? backup.metadata.creationTimestamp;
  return { name: "", type: "Folder", size: snapshot.sizeBytes ?? 0, mode: 0o755, modifiedAt };
}

function startOf({ backup }: { readonly backup: NamedSnapshot["backup"] }): number {
  return Date.parse(backup.status?.timing?.startTime ?? backup.metadata.creationTimestamp);
}

/** `onEnd`: told when the session is given back, or there is none. */
async function leased(
  call: Call,
  sessions: RepositorySessions,
  backup: string,
  onEnd: () => void = () => {},
): Promise<{ readonly lease: Lease; readonly id: string }> {
  try {
    const named = await ofBackup(call, backup);
    const repository = await repositoryOf(call, [named.backup]);
    const lease = await sessions.lease(repository, call.signal);
    const release = () => {
      lease[Symbol.dispose]();
      onEnd();
    };
    return { lease: { ...lease, [Symbol.dispose]: release }, id: named.snapshot.kopiaSnapshotID };
  } catch (error) {
    onEnd();
    throw error;
  }
}

/** The outcome of a question. After a failure nobody has the session in use any more. */
async function orReleased<T>(lease: Lease, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    lease[Symbol.dispose]();
    lease.failed(error);
    throw error;
  }
}

/** Given back when they have been read, when nobody reads on, and when whoever asked has gone before the first. */
function released<T>(items: AsyncIterable<T>, lease: Lease, signal: AbortSignal): AsyncIterable<T> {
  const release = () => lease[Symbol.dispose]();
  signal.addEventListener("abort", release, { once: true });
  if (signal.aborted) release();
  const iterator = items[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const next = await orReleased(lease, () => iterator.next());
        if (next.done) release();
        return next;
      },
      async return() {
        release();
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

async function* noMoreThan(
  most: number,
  entries: AsyncIterable<Entry>,
  folder: string,
): AsyncIterable<Entry> {
  let count = 0;
  for await (const entry of entries) {
    if (++count > most)
      throw new CommandProblem(`${folder || "the snapshot's root"} holds more than ${most} entries`, {
        why: "The console compares no larger folders.",
        fix: "holdfast diff in a terminal does.",
      });
    yield entry;
  }
}

/** The first so many bytes, or items. */
async function* firstOf<T>(items: AsyncIterable<T>, most: number): AsyncIterable<T> {
  let left = most;
  for await (const item of items) {
    const size = item instanceof Uint8Array ? item.length : 1;
    if (size > left) {
      if (item instanceof Uint8Array) yield item.subarray(0, left) as T;
      return;
    }
    left -= size;
    yield item;
  }
}

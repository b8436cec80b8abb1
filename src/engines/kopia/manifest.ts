import { isRecord } from "../../lib/json.ts";
import type { Identity } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { RESERVED_TAG_PREFIX, RUN_TAG, type Tags } from "../../wire/tags.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import { isCompanion, pairKey } from "./companion.ts";
import { type Note, parseNote } from "./note.ts";

/** A snapshot's record in kopia, parsed. */
export interface Manifest {
  readonly id: string;
  readonly identity: Identity;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly root: string;
  readonly isFolder: boolean;
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  readonly incomplete?: string;
  readonly failed: number;
  readonly ignored: number;
  /** Some of the entries that could not be read. */
  readonly errors: readonly { readonly path: string; readonly error: string }[];
  readonly tags: Tags;
  readonly run?: string;
  readonly note?: Note;
  readonly pinned: boolean;
}

const TAG_PREFIX = "tag:";

/** A file, folder or symlink that was removed while it was backed up is no failure. */
const VANISHED = [
  /^unable to open (?:file|local file).*no such file or directory$/,
  /lstat.*no such file or directory$/,
  /^(?:cannot create iterator: )?unable to read directory: open .*: no such file or directory$/,
  // Only some of what the folder held had been read.
  /^readdirent .*: no such file or directory$/,
  /^unable to read symlink: readlink .*: no such file or directory$/,
];

function isVanished({ error }: Manifest["errors"][number]): boolean {
  return VANISHED.some((words) => words.test(error));
}

/** What the storage did not take is told as what cannot be read is: of the file that it was of. */
const NOT_STORED =
  /^(?:unable to get result: |error uploading parts: |concatenate: )*unable to write (?:content chunk|indirect object)/m;

/** Whether a file is missing because the storage failed it. */
export function isNotStored({ error }: Manifest["errors"][number]): boolean {
  return NOT_STORED.test(error);
}

/** Reads a manifest as kopia prints it; undefined when it is none. */
export function parseManifest(value: unknown): Manifest | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || !isRecord(value.source)) return undefined;
  const { source, rootEntry, startTime, endTime, incomplete } = value;
  const root = isRecord(rootEntry) ? rootEntry : {};
  const summary = isRecord(root.summ) ? root.summ : {};
  const note = parseNote(value.description);
  const tags = { ...note?.tags, ...parseTags(value.tags) };
  const run = tags[RUN_TAG] ?? note?.run;
  const errors = (Array.isArray(summary.errors) ? summary.errors : [])
    .filter(isRecord)
    .map(({ path, error }) => ({ path: String(path), error: String(error) }));
  const vanished = errors.filter(isVanished).length;
  return {
    id: value.id,
    identity: {
      username: String(source.userName ?? ""),
      hostname: String(source.host ?? ""),
      path: String(source.path ?? ""),
    },
    startedAt: String(startTime ?? ""),
    endedAt: String(endTime ?? ""),
    root: String(root.obj ?? ""),
    isFolder: root.type === "d",
    files: count(summary.files) + count(summary.symlinks),
    folders: count(summary.dirs),
    bytes: count(summary.size),
    ...(typeof incomplete === "string" && incomplete !== "" ? { incomplete } : {}),
    failed: Math.max(0, count(summary.numFailed) - vanished),
    ignored: Math.max(0, count(summary.numIgnoredErrors) - vanished),
    errors: errors.filter((one) => !isVanished(one)),
    tags: Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith(RESERVED_TAG_PREFIX))),
    ...(run === undefined ? {} : { run }),
    ...(note ? { note } : {}),
    pinned: Array.isArray(value.pins) && value.pins.length > 0,
  };
}

/** The arguments that give a snapshot these tags. */
export function tagArguments(tags: Tags): readonly string[] {
  return Object.entries(tags).map(([key, value]) => `--tags=${key}:${value}`);
}

/** A manifest as the port shows it. `companions` holds the pair keys of the companions that are there. */
export function toSnapshot(manifest: Manifest, companions: ReadonlySet<string>): Snapshot {
  const { id, identity, tags, startedAt, endedAt, root, files, folders, bytes, run, note, failed, ignored } =
    manifest;
  const whole = note?.fidelity === "Full" && companions.has(keyOf(manifest));
  const lost = whole ? {} : (note?.beyond ?? {});
  const missing = missingFiles(manifest, note?.skipsUnreadable);
  const failure = manifest.errors.some(isNotStored) ? "stored" : "read";
  const incomplete =
    manifest.incomplete ?? (missing > 0 ? `${missing} files or folders could not be ${failure}` : undefined);
  return {
    id,
    identity,
    tags,
    startedAt,
    endedAt,
    root,
    files,
    folders,
    bytes,
    fidelity: whole ? "Full" : note?.fidelity === "Full" ? "Degraded" : "Engine",
    ...(Object.keys(lost).length > 0 ? { lost } : {}),
    ...(run === undefined ? {} : { run }),
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(failed + ignored > 0 ? { failedFiles: failed + ignored } : {}),
    ...(manifest.pinned ? { pinned: true } : {}),
    ...(note?.owners ? { owners: note.owners } : {}),
  };
}

/**
 * How many it lacks that nobody left out on purpose: what kopia ignores, somebody else's policy may have allowed, and
 * what the storage did not take, nobody.
 */
export function missingFiles({ failed, ignored, errors }: Manifest, skipsUnreadable = false): number {
  return failed + (skipsUnreadable && !errors.some(isNotStored) ? 0 : ignored);
}

/** Whether a snapshot is among those that a filter asks for. */
export function matches({ identity, run, tags }: Manifest, filter: SnapshotFilter): boolean {
  const { username, hostname, path } = filter;
  return (
    (username === undefined || username === identity.username) &&
    (hostname === undefined || hostname === identity.hostname) &&
    (path === undefined || path === identity.path) &&
    (filter.run === undefined || filter.run === run) &&
    Object.entries(filter.tags ?? {}).every(([key, value]) => tags[key] === value)
  );
}

/** What a snapshot and its companion have in common. */
export function keyOf({ identity, run = "" }: Manifest): string {
  return pairKey(identity, run);
}

/** What kopia calls a file or folder of a snapshot; "" is its root. */
export function objectPath({ root }: Pick<Manifest, "root">, path: string): string {
  return path === "" ? root : `${root}/${path}`;
}

/** The manifests of a listing, apart: what users see, and the companions. */
export function sortOut(manifests: readonly Manifest[]): {
  readonly data: readonly Manifest[];
  readonly companions: ReadonlyMap<string, Manifest>;
} {
  const companions = new Map<string, Manifest>();
  for (const manifest of manifests) {
    if (isCompanion(manifest.identity)) companions.set(keyOf(manifest), manifest);
  }
  const data = manifests.filter(({ identity }) => !isCompanion(identity));
  return { data: data.toSorted((a, b) => compare(a.startedAt, b.startedAt)), companions };
}

/** Times are printed with as many digits as they have: as texts, `…7Z` would come after `…71Z`. */
function compare(a: string, b: string): number {
  const [left, right] = [a.replace("Z", ""), b.replace("Z", "")];
  return left < right ? -1 : left > right ? 1 : 0;
}

function parseTags(value: unknown): Tags {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key.startsWith(TAG_PREFIX))
      .map(([key, text]) => [key.slice(TAG_PREFIX.length), String(text)]),
  );
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

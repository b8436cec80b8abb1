import { basename } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Identity } from "../../wire/identity.ts";
import type { MadeSnapshot, Owner, Snapshot } from "../../wire/snapshot.ts";
import { RESERVED_TAG_PREFIX, RUN_TAG, type Tags } from "../../wire/tags.ts";
import { type AttributeKind, attributesNeeded, type Survey } from "../fidelity/survey.ts";
import type { Remains } from "./remains.ts";

/** The tag that holds an identity's username, which restic itself has no room for. */
export const USER_TAG = `${RESERVED_TAG_PREFIX}user`;

/** The tag of a snapshot without files that its run was allowed to leave out, with their number. */
export const LEFT_OUT_TAG = `${RESERVED_TAG_PREFIX}left-out`;

/** The tag of a snapshot that lacks files otherwise, with their number. It is read, and not written. */
const INCOMPLETE_TAG = `${RESERVED_TAG_PREFIX}incomplete`;

/** The tag with the owners that the source had, as `uid:gid+uid:gid`. */
const OWNERS_TAG = `${RESERVED_TAG_PREFIX}owners`;

/** The tag with the kinds of attributes that the source had, and how many files had them, as `acl:2+user:5`. */
const ATTRIBUTES_TAG = `${RESERVED_TAG_PREFIX}attributes`;

/** The tag with the record of what restic does not keep; see remains.ts. */
const REMAINS_TAG = `${RESERVED_TAG_PREFIX}remains`;

/** The tag of a snapshot that keeps only what restic itself does. */
const FIDELITY_TAG = `${RESERVED_TAG_PREFIX}fidelity`;

const MAX_OWNERS = 32;

/** Stands for a name that restic could not find out: such as that of a user who has only a number, in a container. */
export const UNKNOWN_NAME = "unknown";

/** A snapshot, and where in it the source's root folder is. */
export interface ResticSnapshot {
  readonly snapshot: Snapshot;
  /** The root folder's path within the snapshot; undefined when someone else took it, and it must be looked for. */
  readonly rootPath: string | undefined;
  /** What a restore has to be allowed to set, as far as it was recorded. */
  readonly attributes: readonly AttributeCount[];
  /** What restic does not keep, as {@link Remains.text}. */
  readonly remains?: string;
}

export interface AttributeCount {
  readonly kind: AttributeKind;
  readonly count: number;
}

export interface TagSource {
  readonly identity: Identity;
  readonly run: string;
  readonly tags?: Tags;
  readonly remains?: Remains | undefined;
}

/** The tags of a new snapshot as restic takes them. */
export function tagArguments({ identity, run, tags = {}, remains }: TagSource): readonly string[] {
  const reserved = Object.keys(tags).find((key) => key.startsWith(RESERVED_TAG_PREFIX));
  if (reserved !== undefined) {
    throw new EngineError("InvalidOption", `the tag ${reserved} is reserved`, {
      remedy: `Choose a key that does not begin with ${RESERVED_TAG_PREFIX}.`,
    });
  }
  const ours = {
    [USER_TAG]: identity.username,
    [RUN_TAG]: run,
    ...(remains === undefined ? {} : tagsOf(remains)),
  };
  return Object.entries({ ...ours, ...tags }).flatMap(([key, value]) => ["--tag", tagText(key, value)]);
}

/**
 * A snapshot as restic will list it, from the last words of the backup that made it: these leave out the root object.
 * Undefined when they leave out more.
 */
export function madeSnapshot(
  summary: Readonly<Record<string, unknown>>,
  source: TagSource,
): MadeSnapshot | undefined {
  const { snapshot_id: id, backup_start: start, backup_end: end } = summary;
  if (typeof id !== "string" || typeof start !== "string" || typeof end !== "string") return undefined;
  const { hostname, path } = source.identity;
  const tags = tagArguments(source).filter((_, at) => at % 2 === 1);
  const listed = parseSnapshot({ id, hostname, paths: [path], tags, summary, tree: "" });
  if (listed === undefined) return undefined;
  const { root: _, ...made } = listed.snapshot;
  return made;
}

function tagsOf({ survey, text, fidelity }: Remains): Tags {
  const owners = survey.owners.toSorted((a, b) => a.uid - b.uid || a.gid - b.gid);
  return {
    ...(owners.length > MAX_OWNERS
      ? {}
      : { [OWNERS_TAG]: owners.map(({ uid, gid }) => `${uid}:${gid}`).join("+") }),
    [ATTRIBUTES_TAG]: attributesNeeded(survey)
      .map((kind) => `${kind}:${attributeCount(survey, kind)}`)
      .join("+"),
    ...(text === undefined ? {} : { [REMAINS_TAG]: text }),
    ...(fidelity === "Engine" ? { [FIDELITY_TAG]: "Engine" } : {}),
  };
}

function parseOwners(text: string): readonly Owner[] {
  return text.split("+").flatMap((owner) => {
    const [, uid, gid] = /^(\d+):(\d+)$/.exec(owner) ?? [];
    return uid === undefined || gid === undefined ? [] : [{ uid: Number(uid), gid: Number(gid) }];
  });
}

/** Whoever may set all of these may set any. */
const ATTRIBUTE_KINDS: readonly AttributeKind[] = ["user", "trusted", "acl", "capability"];

function attributeCount(survey: Survey, kind: AttributeKind): number {
  const { xattrs, acls, capabilities } = survey;
  return { user: xattrs, trusted: xattrs, acl: acls, capability: capabilities }[kind].count;
}

function parseAttributes(text: string): readonly AttributeCount[] {
  return text.split("+").flatMap((part) => {
    const [, name, count] = /^(\w+):(\d+)$/.exec(part) ?? [];
    const kind = ATTRIBUTE_KINDS.find((known) => known === name);
    return kind === undefined ? [] : [{ kind, count: Number(count) }];
  });
}

/** A tag as restic keeps it. Throws for what restic would split or trim. */
export function tagText(key: string, value: string): string {
  if (!/^[A-Za-z0-9.-]+$/.test(key) || /[,\n]/.test(value) || value.trim() !== value) {
    throw new EngineError("InvalidOption", `the tag ${JSON.stringify(`${key}=${value}`)} cannot be kept`, {
      remedy:
        "Use letters, digits, dots and dashes in keys, and values without commas, newlines or outer blanks.",
    });
  }
  return `${key}=${value}`;
}

/** Where the root folder of what we back up is within its snapshot. */
function rootOf({ path }: Pick<Identity, "path">): string {
  return `/${basename(path)}`;
}

/** Parses one snapshot of restic's JSON; undefined when it is not one. */
export function parseSnapshot(value: unknown): ResticSnapshot | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || typeof value.tree !== "string") return undefined;
  const paths = texts(value.paths);
  const tags = parseTags(texts(value.tags));
  const summary = isRecord(value.summary) ? value.summary : {};
  const { [USER_TAG]: user, [RUN_TAG]: run, [OWNERS_TAG]: owners } = tags;
  const path = paths[0] ?? "/";
  return {
    rootPath: user === undefined ? (paths.length === 1 ? undefined : "/") : rootOf({ path }),
    attributes: parseAttributes(tags[ATTRIBUTES_TAG] ?? ""),
    ...(tags[REMAINS_TAG] === undefined ? {} : { remains: tags[REMAINS_TAG] }),
    snapshot: {
      id: value.id,
      identity: {
        username: user ?? (text(value.username) || UNKNOWN_NAME),
        hostname: text(value.hostname) || UNKNOWN_NAME,
        path,
      },
      ...(run === undefined ? {} : { run }),
      tags: Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith(RESERVED_TAG_PREFIX))),
      startedAt: text(summary.backup_start) || text(value.time),
      ...(typeof summary.backup_end === "string" ? { endedAt: summary.backup_end } : {}),
      root: value.tree,
      ...figure("files", summary.total_files_processed),
      ...figure("bytes", summary.total_bytes_processed),
      ...folders(summary),
      ...missing(tags),
      fidelity: user === undefined || tags[FIDELITY_TAG] === "Engine" ? "Engine" : "Full",
      ...(owners === undefined ? {} : { owners: parseOwners(owners) }),
    },
  };
}

function missing(tags: Tags): Pick<Snapshot, "failedFiles" | "incomplete"> {
  const { [INCOMPLETE_TAG]: failed, [LEFT_OUT_TAG]: leftOut } = tags;
  const count = failed ?? leftOut;
  if (count === undefined) return {};
  const failedFiles = Number.parseInt(count, 10) || 1;
  return failed === undefined
    ? { failedFiles }
    : { failedFiles, incomplete: `${failedFiles} files could not be read` };
}

function folders(summary: Record<string, unknown>): { folders?: number } {
  const parts = [summary.dirs_new, summary.dirs_changed, summary.dirs_unmodified];
  if (!parts.every((part) => typeof part === "number")) return {};
  return { folders: parts.reduce((sum, part) => sum + part, 0) };
}

function parseTags(tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf("=");
      return at < 0 ? [tag, ""] : [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
}

function figure<Key extends string>(key: Key, value: unknown): { [K in Key]?: number } {
  return (typeof value === "number" ? { [key]: value } : {}) as { [K in Key]?: number };
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const texts = (value: unknown) =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

import { EngineError } from "../../wire/engine_error.ts";
import { PAGE_LIMIT } from "../../wire/session.ts";
import type { SnapshotFilter } from "../../wire/work.ts";

/** Which page is asked for. */
export interface PageQuery {
  /** What an earlier page gave as `next`. */
  readonly after?: string;
  readonly limit: number;
}

interface Place {
  readonly snapshot: string;
  /** Relative to the snapshot's root; "" is the root. */
  readonly path: string;
}

/** What a client wants to know. */
export type Question =
  | { readonly repository: Readonly<Record<string, never>> }
  | { readonly snapshots: PageQuery & { readonly filter: SnapshotFilter } }
  | { readonly entries: PageQuery & Place }
  | { readonly entry: Place }
  | { readonly file: Place }
  | { readonly search: PageQuery & Place & { readonly name: string } };

const LONGEST: Readonly<Record<string, number>> = { path: 4096, name: 256, after: 1024 };
const LONGEST_OTHER = 512;
const PAGE = ["after", "limit"];

/** Reads a request's path and query. Throws InvalidOption; undefined when there is no such place. */
export function questionOf(path: string, query: URLSearchParams): Question | undefined {
  if (path === "/v1/repository") return asked(query, [], () => ({ repository: {} }));
  if (path === "/v1/snapshots") {
    return asked(query, [...PAGE, "username", "hostname", "path", "run", "tag"], () => ({
      snapshots: { ...page(query), filter: filterOf(query) },
    }));
  }
  const [, id, what] = /^\/v1\/snapshots\/([^/]+)\/([a-z]+)$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const place = () => ({ snapshot: snapshotId(id), path: pathWithin(query.get("path") ?? "") });
  if (what === "entries")
    return asked(query, [...PAGE, "path"], () => ({ entries: { ...page(query), ...place() } }));
  if (what === "entry") return asked(query, ["path"], () => ({ entry: place() }));
  if (what === "file") return asked(query, ["path"], () => ({ file: place() }));
  if (what !== "search") return undefined;
  return asked(query, [...PAGE, "path", "name"], () => ({
    search: { ...page(query), ...place(), name: nameOf(query) },
  }));
}

function asked(query: URLSearchParams, known: readonly string[], read: () => Question): Question {
  for (const [name, value] of query) {
    if (!known.includes(name)) throw invalid(`there is no parameter ${name.slice(0, 64)} here`);
    if (name !== "tag" && query.getAll(name).length > 1) throw invalid(`${name} is given twice`);
    const longest = LONGEST[name] ?? LONGEST_OTHER;
    if (value.length > longest) throw invalid(`${name} is longer than ${longest} characters`);
    if (value.includes("\0")) throw invalid(`${name} has a zero byte in it`);
  }
  return read();
}

function page(query: URLSearchParams): PageQuery {
  const after = query.get("after");
  const limit = query.get("limit") ?? String(PAGE_LIMIT);
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > PAGE_LIMIT)
    throw invalid(`limit must be a whole number from 1 to ${PAGE_LIMIT}`);
  return { limit: Number(limit), ...(after === null || after === "" ? {} : { after }) };
}

function filterOf(query: URLSearchParams): SnapshotFilter {
  const texts = ["username", "hostname", "path", "run"].flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const tags = query.getAll("tag").map((tag): [string, string] => {
    const at = tag.indexOf(":");
    if (at < 1) throw invalid("tag must be a key, a colon and a value");
    return [tag.slice(0, at), tag.slice(at + 1)];
  });
  return { ...Object.fromEntries(texts), ...(tags.length > 0 ? { tags: Object.fromEntries(tags) } : {}) };
}

/** IDs become arguments of an engine: nothing else may look like one. */
function snapshotId(text: string): string {
  if (!/^[A-Za-z0-9]{1,128}$/.test(text)) throw invalid("a snapshot's ID has letters and digits only");
  return text;
}

function pathWithin(path: string): string {
  const parts = path.split("/");
  if (path !== "" && parts.some((part) => part === "" || part === "." || part === ".."))
    throw invalid("path must be relative to the snapshot's root, without empty parts and dots");
  return path;
}

function nameOf(query: URLSearchParams): string {
  const name = query.get("name") ?? "";
  if (name === "" || name.includes("/")) throw invalid("name must be a pattern for a name, without slashes");
  return name;
}

export function invalid(why: string): EngineError {
  return new EngineError("InvalidOption", why);
}

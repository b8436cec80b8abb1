import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
  txt: "text/plain; charset=utf-8",
  map: "application/json",
};
const TEXTS = ["html", "js", "css", "json", "svg", "txt", "map"];

/** A file of the built page. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Kept {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Of texts. */
  readonly packed?: Uint8Array<ArrayBuffer>;
}

/** Names with a hash in them, which another content has another of. */
const HASHED = /^\/assets\/.*-[\w-]{8,}\.\w+$/;
const INDEX = "index.html";

/** The built page. What was asked for once is kept: all of it is less than a megabyte. */
export class StaticPage {
  readonly #folder: string;
  readonly #kept = new Map<string, Promise<Kept | undefined>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What a path of the page is: a file of it, or its beginning for what the page itself makes of the path. */
  async file(path: string, encodings = ""): Promise<PageFile | undefined> {
    const parts = decoded(path)?.split("/").slice(1);
    if (!parts || parts.some((part) => part === ".." || part.includes("\\") || part.includes("\0")))
      return undefined;
    const named = parts.filter(Boolean).join("/");
    const own = named === "" ? undefined : await this.#read(named);
    // A missing file of the page is missing, and not its beginning.
    if (!own && path.startsWith("/assets/")) return undefined;
    const [name, file] = own ? [named, own] : [INDEX, await this.#read(INDEX)];
    if (!file) return undefined;
    const packed = /\bgzip\b/.test(encodings) ? file.packed : undefined;
    return {
      body: packed ?? file.body,
      headers: {
        "content-type": TYPES[endOf(name)] ?? "application/octet-stream",
        "cache-control": own && HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
        ...(file.packed ? { vary: "accept-encoding" } : {}),
        ...(packed ? { "content-encoding": "gzip" } : {}),
      },
    };
  }

  /** Paths of the page that are no files are without number, and are not remembered. */
  async #read(name: string): Promise<Kept | undefined> {
    const known = this.#kept.get(name);
    if (known) return known;
    const read = keptFile(join(this.#folder, name));
    this.#kept.set(name, read);
    const file = await read;
    if (!file) this.#kept.delete(name);
    return file;
  }
}

async function keptFile(path: string): Promise<Kept | undefined> {
  const body = await readFile(path).catch(() => undefined);
  if (!body) return undefined;
  return TEXTS.includes(endOf(path)) ? { body, packed: await promisify(gzip)(body) } : { body };
}

function endOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

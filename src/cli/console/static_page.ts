import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

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

/** A file of the built page. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Names with a hash in them, which another content has another of. */
const HASHED = /^\/assets\/.*-[\w-]{8,}\.\w+$/;

/** What a path of the page is: a file of it, or its beginning for what the page itself makes of the path. */
export async function pageFile(folder: string, path: string): Promise<PageFile | undefined> {
  const parts = decoded(path)?.split("/").slice(1);
  if (!parts || parts.some((part) => part === ".." || part.includes("\\") || part.includes("\0")))
    return undefined;
  const file = join(folder, ...parts);
  const found = parts.some((part) => part !== "") && (await isFile(file));
  // A missing file of the page is missing, and not its beginning.
  if (!found && /^\/assets\//.test(path)) return undefined;
  const name = found ? file : join(folder, "index.html");
  const body = await readFile(name).catch(() => undefined);
  if (!body) return undefined;
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  const lasts = found && HASHED.test(path);
  return {
    body,
    headers: {
      "content-type": type,
      "cache-control": lasts ? "public, max-age=31536000, immutable" : "no-cache",
    },
  };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

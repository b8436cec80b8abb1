import type { Entry } from "../../../../src/cli/console/contract.ts";

/** What of a file is shown in the page; `none` says why nothing. */
export type Preview = { readonly type: "picture" | "text" } | { readonly type: "none"; readonly why: string };

/** As much as the server shows of one. */
const MOST = 2 * 2 ** 20;
/** The pictures that the server shows as such. */
const PICTURES = /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i;
/** By their names, no text: other files are looked at. */
const BINARY =
  /\.(zip|gz|xz|zst|bz2|7z|tar|tgz|jar|pdf|mp[34]|mkv|webm|ogg|flac|so|exe|bin|iso|qcow2|db|sqlite3?)$/i;

export function previewOf({ type, name, size }: Pick<Entry, "type" | "name" | "size">): Preview {
  if (type !== "File") return { type: "none", why: "Only files have a preview." };
  if (size > MOST) return { type: "none", why: "It is larger than 2 MiB: download it to look at it." };
  if (PICTURES.test(name)) return { type: "picture" };
  if (BINARY.test(name))
    return { type: "none", why: "It is neither text nor a picture: download it to look at it." };
  return { type: "text" };
}

/** Whether what came is text: other files have bytes of zero, or many that are no UTF-8. */
export function isText(content: string): boolean {
  const start = content.slice(0, 8_192);
  const strange = [...start].filter((letter) => letter === "\ufffd").length;
  return !start.includes("\0") && strange * 20 <= start.length;
}

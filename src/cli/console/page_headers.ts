/** What the page may load: itself. Pictures of files are shown from memory. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** On every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** A name that a file in a backup has, in the header of its download: whatever it holds, it ends no value. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Files that are shown in the page, by the end of their name. No form that can hold a script. */
const PICTURES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
};

/** More of a file is not previewed, in bytes. */
export const PREVIEW_BYTES = 2 * 2 ** 20;

/** What a preview is told to be: a picture of a known kind, else plain text, whatever its name says. */
export function previewType(name: string): string {
  const end = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(PICTURES, end) && PICTURES[end]) || "text/plain; charset=utf-8";
}

/** The headers of bytes that came from a backup: they are never a page. */
export function contentHeaders(name: string, preview: boolean): Readonly<Record<string, string>> {
  return {
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "no-store",
    "content-type": preview ? previewType(name) : "application/octet-stream",
    "content-disposition": preview ? "inline" : attachment(name),
  };
}

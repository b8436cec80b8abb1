/** Loaded with its first use, which takes a while: not every program that could use it does. */
const createHash = (name: string) => process.getBuiltinModule("node:crypto").createHash(name);

/** A short, stable fingerprint of a text: `length` characters of its SHA-256, in base 36 digits and letters. */
export function fingerprint(text: string, length = 8): string {
  return BigInt(`0x${sha256(text)}`)
    .toString(36)
    .padStart(50, "0")
    .slice(-length);
}

/** A number from 0 to 1 that looks like chance and belongs to the text. */
export function share(text: string): number {
  return Number.parseInt(fingerprint(text, 6), 36) / 36 ** 6;
}

/** The SHA-256 of a text or bytes, in hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** What only who has the key can make of a text, in hex. */
export function hmac(key: string, text: string): string {
  return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(text).digest("hex");
}

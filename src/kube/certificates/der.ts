/** Distinguished Encoding Rules, as far as writing an X.509 certificate needs them. */

const HIGH_BIT = 0x80;

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.byteLength), content]);
}

function length(size: number): Buffer {
  if (size < HIGH_BIT) return Buffer.from([size]);
  const bytes = bigEndian(BigInt(size));
  return Buffer.from([HIGH_BIT | bytes.length, ...bytes]);
}

function bigEndian(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn));
  return bytes;
}

/** A number that is not negative. */
export function integer(value: bigint): Buffer {
  const bytes = value === 0n ? [0] : bigEndian(value);
  if ((bytes[0] ?? 0) & HIGH_BIT) bytes.unshift(0);
  return tagged(0x02, Buffer.from(bytes));
}

/** True or false. */
export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** Whole bytes, or all but the last `unused` bits of them. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));
}

/** Bytes as they are. */
export function octetString(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

/** An object identifier, from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift(HIGH_BIT | (rest & 0x7f));
  return digits;
}

/** Text. */
export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

/** A point in time, to the second. X.509 wants the two-digit year up to 2049 and the long one from then on. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, "");
  return digits < "2050" ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

/** Values in an order that means something. */
export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

/** A set of one value: as much as a name needs, and there is no order to keep. */
export function setOf(item: Uint8Array): Buffer {
  return tagged(0x31, item);
}

/** Content under a context-specific tag; `constructed` when it holds further values. */
export function context(number: number, content: Uint8Array, form: "constructed" | "primitive"): Buffer {
  return tagged((form === "constructed" ? 0xa0 : 0x80) | number, content);
}

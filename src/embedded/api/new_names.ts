import type { Random } from "../../lib/random.ts";

/** Without vowels and lookalikes, so that no words come out. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const LONGEST_STEM = 58;

/** A name that begins with `stem` and ends in five characters by chance. */
export function generatedName(stem: string, random: Random): string {
  const letter = () => ALPHABET[Math.floor(random.next() * ALPHABET.length)] ?? "";
  return stem.slice(0, LONGEST_STEM) + Array.from({ length: 5 }, letter).join("");
}

/** A UUID of version 4. */
export function newUid(random: Random): string {
  const hex = random.hex(16);
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}

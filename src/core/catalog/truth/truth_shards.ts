import { fingerprint } from "../../../lib/hash.ts";
import type { KnownBackup, KnownBackups } from "./known_backups.ts";

/** So many ConfigMaps share the list: each stays far below the size that an API server takes. */
export const SHARDS = 16;

/** Bytes of one of them. */
const LONGEST = 900_000;

/** The shard that says whether this identity has a backup. */
export function shardOf(key: string): number {
  return Number.parseInt(fingerprint(key, 6), 36) % SHARDS;
}

/** The texts of all shards: a line for each identity, in order, so that equal lists are equal texts. */
export function shardTexts(known: KnownBackups): readonly string[] {
  const lines: string[][] = Array.from({ length: SHARDS }, () => []);
  for (const [key, backup] of known) lines[shardOf(key)]?.push(`${keyText(key)} ${valueText(backup)}`);
  const texts = lines.map((shard) => shard.sort().join("\n"));
  if (texts.some((text) => text.length > LONGEST)) {
    throw new RangeError(`the repository has ${known.size} identities, which is too many to publish`);
  }
  return texts;
}

/** What a text of `shardTexts` says. */
export function shardEntries(text: string): KnownBackups {
  const lines = text === "" ? [] : text.split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [key = "", value = ""] = line.split(" ");
      return [[decodeURI(key), parseValue(value)] as const];
    }),
  );
}

/** By which a reader knows that a shard belongs to what the head says. */
export const shardMark = (text: string): string => fingerprint(text, 10);

/** Other programs may have named an identity with spaces or ends of lines, which would pass for another one's. */
function keyText(key: string): string {
  return encodeURI(key.toWellFormed());
}

function valueText(backup: KnownBackup): string {
  if ("newestAt" in backup) return backup.newestAt;
  return "missingSince" in backup ? `missing:${backup.missingSince}` : "unusable";
}

function parseValue(value: string): KnownBackup {
  if (value === "unusable") return { unusable: true };
  return value.startsWith("missing:")
    ? { missingSince: value.slice("missing:".length) }
    : { newestAt: value };
}

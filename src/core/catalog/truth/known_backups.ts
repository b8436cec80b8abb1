import type { Snapshot } from "../../../wire/snapshot.ts";
import { whyPassedOver } from "../passed_over.ts";

/** What the repository's list says of one identity; of those that it does not name, there is no backup. */
export type KnownBackup =
  | { readonly newestAt: string }
  /** Every snapshot of it is incomplete or from the future. */
  | { readonly unusable: true }
  /** There was one, and the list has none any more. */
  | { readonly missingSince: string };

export type KnownBackups = ReadonlyMap<string, KnownBackup>;

/** What backups of one path share when they are one history. */
export function identityKey({
  username,
  hostname,
}: Pick<Snapshot["identity"], "username" | "hostname">): string {
  return `${hostname}/${username}`;
}

/** Reads a whole list, for the identities of one path. */
export async function knownBackups(
  snapshots: AsyncIterable<Pick<Snapshot, "identity" | "startedAt" | "incomplete">>,
  path: string,
  now: () => number,
): Promise<KnownBackups> {
  const known = new Map<string, KnownBackup>();
  for await (const { identity, startedAt, incomplete } of snapshots) {
    if (identity.path !== path) continue;
    const key = identityKey(identity);
    const before = known.get(key);
    const newest = before && "newestAt" in before ? before.newestAt : undefined;
    if (whyPassedOver({ startedAt, incomplete }, { now: now() }) !== undefined) {
      if (!before) known.set(key, { unusable: true });
    } else if (newest === undefined || Date.parse(startedAt) > Date.parse(newest)) {
      known.set(key, { newestAt: startedAt });
    }
  }
  return known;
}

/**
 * How long an identity whose backups are gone from the list counts as unknown: an old copy of the storage, or a wrong
 * one, looks like that. What must start empty sooner says so itself.
 */
const DOUBTED_FOR = 86_400_000;

/** The list, with what it lacks of the one before. `lasting`: nothing is believed to be gone, however long. */
export function withMissing(
  known: KnownBackups,
  before: KnownBackups,
  { now, lasting }: { readonly now: number; readonly lasting: boolean },
): KnownBackups {
  const result = new Map(known);
  for (const [key, was] of before) {
    if (known.has(key)) continue;
    const since = "missingSince" in was ? was.missingSince : new Date(now).toISOString();
    if (lasting || now - Date.parse(since) < DOUBTED_FOR) result.set(key, { missingSince: since });
  }
  return result;
}

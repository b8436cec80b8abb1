import { keyOf, type Manifest, sortOut } from "./manifest.ts";

const FOUR_WEEKS = 28 * 86_400_000;

/**
 * The IDs of companions whose data is gone, or never came. One younger than four weeks may belong to a run that is under
 * way: a companion is stored when its run begins, the data's manifest when it ends, and the first backup of a large
 * volume takes days. No clock is to be trusted alone: it has to be so much older than the newest snapshot, and than
 * `now`, in milliseconds since 1970. Those of `ended` runs need not wait.
 */
export function orphans(
  manifests: readonly Manifest[],
  now: number,
  ended: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { data, companions } = sortOut(manifests);
  const wanted = new Set(data.map(keyOf));
  const newest = manifests.reduce((latest, one) => Math.max(latest, startOf(one)), 0);
  const old = Math.min(newest, now) - FOUR_WEEKS;
  return [...companions]
    .filter(
      ([key, companion]) => !wanted.has(key) && (ended.has(companion.run ?? "") || startOf(companion) < old),
    )
    .map(([, { id }]) => id);
}

function startOf({ startedAt }: Manifest): number {
  return Date.parse(startedAt);
}

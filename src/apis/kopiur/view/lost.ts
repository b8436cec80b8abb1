import { lastGoodOf } from "../../../core/view/joined.ts";
import type { LostView } from "../../../core/view/view.ts";
import { keyOf } from "../../../kube/object.ts";
import { groupedBy, namedClaims, type Seen } from "./seen.ts";
import { snapshotsIn } from "./snapshots.ts";

/** Claims that a BackupConfig names, that are gone, and of which there is a good backup. */
export function lostIn(seen: Seen): readonly LostView[] {
  const there = new Set<string>(seen.claims.map(({ metadata }) => keyOf(metadata)));
  const gone = seen.configs.flatMap((config) =>
    namedClaims(config)
      .filter((claim) => !there.has(claim))
      .map((claim) => ({ claim, config: config.metadata.name })),
  );
  if (gone.length === 0) return [];
  const snapshots = groupedBy(snapshotsIn(seen), ({ claim }) => [claim]);
  const seenOnce = new Set<string>();
  return gone.flatMap(({ claim, config }): readonly LostView[] => {
    const lastGood = lastGoodOf(snapshots.get(claim) ?? []);
    if (!lastGood || seenOnce.has(claim)) return [];
    seenOnce.add(claim);
    const [namespace, name] = claim.split("/");
    return [{ claim, lastGood, restore: `holdfast restore config/${config} --to ${name} -n ${namespace}` }];
  });
}

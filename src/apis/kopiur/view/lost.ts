import { lastGoodOf, newestOf } from "../../../core/view/joined.ts";
import type { LostView, SnapshotView } from "../../../core/view/view.ts";
import { keyOf } from "../../../kube/object.ts";
import { meantClaim } from "./meant_claim.ts";
import { groupedBy, namedClaims, type Seen } from "./seen.ts";
import { snapshotsIn } from "./snapshots.ts";

/** Claims that Backups are of, also those that were found in a repository, and that are gone. */
export function lostIn(seen: Seen): readonly LostView[] {
  const there = new Set<string>(seen.claims.map(({ metadata }) => keyOf(metadata)));
  const isLost = ({ claim }: SnapshotView) => !there.has(claim) && isSeen(claim, seen);
  const taken = groupedBy(snapshotsIn(seen, meantClaim).filter(isLost), ({ claim }) => [claim]);
  if (taken.size === 0) return [];
  const known = new Set(snapshotsIn(seen).map(({ claim }) => claim));
  const named = groupedBy(seen.configs, namedClaims);
  return [...taken]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([claim, snapshots]): readonly LostView[] => {
      // What does not hold all of it is better than nothing.
      const lastGood = lastGoodOf(snapshots) ?? newestOf(snapshots);
      if (!lastGood) return [];
      const config = known.has(claim) ? named.get(claim)?.[0]?.metadata.name : undefined;
      const [namespace = "", name] = claim.split("/");
      const from = config === undefined ? backupText(lastGood, namespace, seen) : `config/${config}`;
      const [source, ...options] = from.split(" ");
      const words = [source, `--to ${name}`, `-n ${namespace}`, ...options];
      return [{ claim, lastGood, restore: `holdfast restore ${words.join(" ")}` }];
    });
}

/** Where one namespace alone is looked at, nobody knows which claims others have. */
function isSeen(claim: string, { within }: Seen): boolean {
  return within === undefined || claim.startsWith(`${within}/`);
}

const GIBIBYTE = 2 ** 30;

/** The Backup with the options that it needs; how large the claim was, not every Backup knows. */
function backupText({ object, claim, bytes }: SnapshotView, namespace: string, { backups }: Seen): string {
  const made = backups.find(({ metadata }) => keyOf(metadata) === keyOf(object));
  const { capacity } = made?.status?.resolved?.sources?.find(({ pvc }) => pvc === claim)?.claim ?? {};
  // With room for a file system, and for what is still to come.
  const needed = Math.max(1, Math.ceil(((bytes ?? 0) * 1.5) / GIBIBYTE));
  return [
    `backup/${object.name}`,
    ...(object.namespace === namespace ? [] : [`--from-namespace ${object.namespace}`]),
    ...(capacity !== undefined || bytes === undefined ? [] : [`--capacity ${needed}Gi`]),
  ].join(" ");
}

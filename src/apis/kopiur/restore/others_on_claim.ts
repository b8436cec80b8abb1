import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { BY_CLAIM, type KopiurCaches } from "../caches.ts";
import { targetName } from "./resolution.ts";
import { isWriting } from "./restore_stage.ts";

/**
 * The Restore that goes before this one into the same claim: one that writes already, or the oldest that knows what to
 * write. No two write at once, in whatever order they are looked at.
 */
export function othersOnClaim(
  { restores }: Pick<KopiurCaches, "restores">,
  restore: Restore,
): Restore | undefined {
  const { namespace, uid } = restore.metadata;
  const key = keyOf({ namespace, name: targetName(restore) ?? "" });
  const others = restores.indexed(BY_CLAIM, key).filter(({ metadata }) => metadata.uid !== uid);
  return others.find(isWriting) ?? others.find((other) => isReady(other) && isBefore(other, restore));
}

function isReady({ status }: Restore): boolean {
  return status?.resolved?.pinnedAt !== undefined && !status.resolved.noSnapshot;
}

function isBefore({ metadata: a }: Restore, { metadata: b }: Restore): boolean {
  return (
    a.creationTimestamp < b.creationTimestamp ||
    (a.creationTimestamp === b.creationTimestamp && a.uid < b.uid)
  );
}

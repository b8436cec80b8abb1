import { type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import type { InstalledWorld } from "./world.ts";

/**
 * Of what a snapshot of the volume can hold: the driver of the real cluster makes its snapshots with tar, which knows
 * whole seconds and no attributes.
 */
export function capturedDifferences(
  { kubelet }: InstalledWorld,
  wanted: readonly FoundEntry[],
  found: readonly FoundEntry[],
): readonly string[] {
  const held = (entries: readonly FoundEntry[]) =>
    kubelet
      ? entries.map(({ xattrs: _, mtime, ...one }) => ({ ...one, mtime: mtime.slice(0, -9) }))
      : entries;
  return treeDifferences(held(wanted), held(found));
}

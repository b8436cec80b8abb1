import type { Loss, LossKind } from "../wire/snapshot.ts";
import { partsOf } from "./restore_place.ts";

/** What belongs to whoever made the volume, and says nothing of the data in it. */
const OF_THE_VOLUME: readonly LossKind[] = ["Owner", "Time"];
/** How losses name the folder that was restored itself. */
const ITSELF: readonly string[] = ["", ".", "/"];

/**
 * Losses without those of the volume's own root folder, which a mover without rights finds there and may not give away:
 * every restore would report them, and hide the one that matters. `place`: the folder of the volume that was written;
 * `path`: what of the snapshot was restored.
 */
export function withoutVolumeRoot(
  losses: readonly Loss[],
  { place, path = "" }: { readonly place: string; readonly path?: string | undefined },
): readonly Loss[] {
  if (place !== "") return losses;
  const itself = [...ITSELF, partsOf(path).join("/")];
  return losses.flatMap((loss) => {
    const examples = loss.examples.filter((one) => !itself.includes(one));
    const isRoot = OF_THE_VOLUME.includes(loss.kind) && examples.length < loss.examples.length;
    if (!isRoot) return [loss];
    return loss.count > 1 ? [{ ...loss, count: loss.count - 1, examples }] : [];
  });
}

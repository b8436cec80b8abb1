import type { VolumeView } from "../../../../src/core/view/view.ts";
import { isWanting } from "../../text/wants.ts";

/** What the address asks for. */
export interface VolumeFilter {
  readonly state?: string | undefined;
  readonly api?: string | undefined;
  readonly text?: string | undefined;
}

export function filteredVolumes(
  volumes: readonly VolumeView[],
  { state, api, text = "" }: VolumeFilter,
): readonly VolumeView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return volumes.filter((volume) => {
    const named = `${volume.namespace}/${volume.name}`.toLowerCase();
    const inState = !state || (state === "wanting" ? isWanting(volume) : volume.protection === state);
    const byApi = !api || volume.by.some((one) => one.api === api);
    return inState && byApi && words.every((word) => named.includes(word));
  });
}

const ORDER: readonly VolumeView["protection"][] = [
  "no",
  "not yet",
  "by hand",
  "elsewhere",
  "yes",
  "store",
  "exempt",
];

/** After those without any backup. */
const WRONG = 1.5;

/** The worst first, for sorting. */
export function worstFirst({ protection, wrong }: Pick<VolumeView, "protection" | "wrong">): number {
  const order = ORDER.indexOf(protection);
  return wrong.length > 0 ? Math.min(order, WRONG) : order;
}

/** The APIs that protect any of them. */
export function apisOf(volumes: readonly VolumeView[]): readonly string[] {
  return [...new Set(volumes.flatMap(({ by }) => by.map(({ api }) => api)))].toSorted();
}

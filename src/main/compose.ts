import { type Api, type ApiCounters, storesOf } from "../core/api.ts";
import { type EngineRoomOptions, engineRoom } from "../core/make_engine_room.ts";
import type { AllowedUses } from "../core/work/run_uses.ts";
import { operatorNamespaceOf } from "../core/work/settings.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { Runnable } from "../kube/runnable.ts";

export interface ComposeOptions extends Omit<EngineRoomOptions, "uses" | "storesIn"> {
  readonly informers: Pick<Informers, "cache" | "for">;
  readonly apis: readonly Api[];
  /** By the name of their API. Default: nobody counts. */
  readonly counters?: ReadonlyMap<string, ApiCounters>;
}

/** The whole operator: one engine room, and the controllers of every API that is served, for a process that leads. */
export function compose({ apis, counters, ...options }: ComposeOptions): readonly Runnable[] {
  if (apis.length === 0) return [];
  const { informers, namespace, settings } = options;
  const operatorNamespace = operatorNamespaceOf(settings);
  const storesIn = storesOf(apis, { informers, namespace, operatorNamespace });
  const { room, runnables } = engineRoom({ ...options, uses: usesOf(apis), storesIn });
  return [
    ...runnables,
    ...apis.flatMap((api) =>
      api.controllers({ room, informers: informers.for(api.name), counters: counters?.get(api.name) }),
    ),
  ];
}

/** By the groups of their kinds. */
function usesOf(apis: readonly Api[]): AllowedUses {
  return new Map(
    apis.flatMap(({ kinds, uses }) => (uses ? kinds.map(({ resource }) => [resource.group, uses]) : [])),
  );
}

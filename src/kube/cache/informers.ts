import { aborted } from "../../lib/aborted.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { KubeObject } from "../object.ts";
import { joinedProjection } from "../projection.ts";
import { resourceName } from "../resource.ts";
import type { Runnable } from "../runnable.ts";
import type { Cache } from "./cache.ts";
import { IndexedFor } from "./indexed_for.ts";
import { Informer, type InformerPorts, type InformerScope } from "./informer.ts";
import type { IndexFunction } from "./object_store.ts";
import type { PartPath } from "./shared_parts.ts";

export interface CacheRequest<T extends KubeObject> extends InformerScope<T> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Parts that many objects have alike, and that are worth keeping only once. Default: none. */
  readonly shared?: readonly PartPath[];
}

/** The informers of a program: one per kind and scope, however many ask for it. */
export class Informers implements Runnable {
  readonly name = "informers";
  readonly #ports: InformerPorts;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  #running: { readonly signal: AbortSignal; readonly loops: Set<Promise<void>> } | undefined;

  constructor(ports: InformerPorts) {
    this.#ports = ports;
  }

  /**
   * The cache of a scope. Whoever asks gets at least the fields that it keeps, and indexes of any name that no other
   * declared differently; it is optional if all say so.
   */
  cache<T extends KubeObject>(request: CacheRequest<T>): Cache<T> {
    const { indexes = {}, shared = [], ...scope } = request;
    const { keep, optional = false, ...named } = scope;
    const key = scopeName(named);
    const known = this.#informers.get(key);
    const informer = (known as unknown as Informer<T> | undefined) ?? new Informer(scope, this.#ports);
    if (!known) {
      this.#informers.set(key, informer as unknown as Informer<KubeObject>);
      this.#start(informer as unknown as Informer<KubeObject>);
    } else if (!jsonEqual(joinedProjection(informer.keep, keep) ?? null, informer.keep ?? null)) {
      if (this.#running) throw new Error(`${key} are watched already, without fields that are needed now`);
      informer.widen(keep);
    }
    if (!optional) informer.need();
    informer.share(shared);
    for (const [name, valuesOf] of Object.entries(indexes)) informer.addIndex(name, valuesOf);
    return informer;
  }

  /** The same informers for one part of the program, whose indexes nobody else's can clash with. */
  for(part: string): Pick<Informers, "cache"> {
    const name = (index: string) => `${part}/${index}`;
    return {
      cache: <T extends KubeObject>({ indexes = {}, ...request }: CacheRequest<T>) => {
        const own = Object.entries(indexes).map(([index, valuesOf]) => [name(index), valuesOf] as const);
        const cache = this.cache({ ...request, indexes: Object.fromEntries(own) });
        return new IndexedFor(cache, name);
      },
    };
  }

  /** Every cache with the name of its scope. */
  *caches(): Iterable<readonly [name: string, cache: Cache<KubeObject>]> {
    yield* this.#informers;
  }

  /** Resolves when every cache that was asked for so far, and that the program cannot do without, is synced. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    const needed = [...this.caches()].filter(([, cache]) => !cache.optional);
    await Promise.all(needed.map(([, cache]) => cache.whenSynced(signal)));
  }

  /**
   * Runs every informer, also those asked for later, until the signal ends it. `ready` is called when those that
   * were asked for before are synced.
   */
  async run(signal: AbortSignal, ready: () => void = () => {}): Promise<void> {
    const loops = new Set<Promise<void>>();
    this.#running = { signal, loops };
    for (const informer of this.#informers.values()) this.#start(informer);
    void this.whenSynced(signal).then(ready, () => {});
    await aborted(signal);
    await Promise.all(loops);
    this.#running = undefined;
  }

  #start(informer: Informer<KubeObject>): void {
    if (!this.#running) return;
    const { signal, loops } = this.#running;
    const loop = informer.run(signal).finally(() => loops.delete(loop));
    loops.add(loop);
  }
}

function scopeName(scope: Omit<InformerScope<KubeObject>, "keep">): string {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = scope;
  return [
    resourceName(scope.resource),
    namespace && `in ${namespace}`,
    labelSelector && `with ${labelSelector}`,
    fieldSelector && `where ${fieldSelector}`,
    metadataOnly && "(metadata)",
  ]
    .filter(Boolean)
    .join(" ");
}

import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import { Informer } from "../../kube/cache/informer.ts";
import type { Client } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import { type Clock, deadline } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { silentLogger } from "../../observe/log.ts";

export interface LiveOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** What is followed: all objects of a kind, in one namespace or in all. */
interface Followed {
  readonly informer: Informer<KubeObject>;
  readonly stop: AbortController;
  readonly namespace: string | undefined;
  readonly begun: Promise<void>;
  usedAt: number;
}

/** Told when an object changes: its kind, and the namespace that was followed; undefined for all of them. */
export type OnChange = (kind: string, namespace: string | undefined) => void;

/** Nobody looks any more, in milliseconds: longer than a page waits between two of its questions. */
const UNUSED = 120_000;
/** A page looks at some thirty kinds; beyond so many, what was asked for longest ago is followed no more. */
export const MOST_FOLLOWED = 150;
/** What is older is asked for anew, in milliseconds. */
const STALE = 15_000;
/** A first state that takes longer is listed instead. */
const PATIENCE = 10_000;

const nobody = { opened() {}, closed() {}, event() {}, relisted() {} };

/** The objects that one person looks at, kept up to date while they look: listed once, then watched. */
export class LiveObjects implements Disposable {
  readonly #options: LiveOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #handlers = new Set<OnChange>();
  #version = 0;
  #cancel: (() => void) | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Another one after each change. */
  get version(): number {
    return this.#version;
  }

  /** All objects of a kind. Throws as a list does. */
  async list<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    { signal, metadataOnly = false }: { readonly signal?: AbortSignal; readonly metadataOnly?: boolean } = {},
  ): Promise<readonly T[]> {
    const { client, clock } = this.#options;
    const key = `${resourceName(resource)}|${resource.version}|${namespace ?? ""}|${metadataOnly}`;
    const known = this.#followed.get(key) ?? this.#follow(key, resource, namespace, metadataOnly);
    known.usedAt = clock.monotonic();
    try {
      await known.begun;
    } catch (error) {
      // Rights and kinds come and go: the next one asks again.
      if (this.#followed.get(key) === known) this.#end(key);
      throw error;
    }
    if (!known.informer.synced) {
      using patience = deadline(clock, PATIENCE, "the first list", signal);
      await known.informer.whenSynced(patience.signal).catch(() => signal?.throwIfAborted());
    }
    if (known.informer.synced && known.informer.staleness <= STALE)
      return [...known.informer.values()] as unknown as readonly T[];
    const options = {
      omitManagedFields: true,
      ...(signal ? { signal } : {}),
      ...(namespace === undefined ? {} : { namespace }),
    };
    return metadataOnly
      ? ((await client.metadata.list(resource, options)).items as readonly T[])
      : (await client.list(resource, options)).items;
  }

  /** How many watches there are. */
  get size(): number {
    return this.#followed.size;
  }

  /** The returned function ends it. What nobody asks for any more is not told either. */
  onChange(handler: OnChange): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  [Symbol.dispose](): void {
    this.#cancel?.();
    for (const key of [...this.#followed.keys()]) this.#end(key);
  }

  #follow(key: string, resource: Resource, namespace: string | undefined, metadataOnly: boolean): Followed {
    const { client, clock, random } = this.#options;
    const stop = new AbortController();
    const scope = { resource, metadataOnly, ...(namespace === undefined ? {} : { namespace }) };
    const informer = new Informer(scope, { client, clock, random, log: silentLogger, observer: nobody });
    const followed: Followed = {
      informer,
      stop,
      namespace,
      begun: this.#mayList(resource, namespace, stop.signal).then(() => {
        void informer.run(stop.signal).catch(() => {});
        void informer.whenSynced(stop.signal).then(
          () => this.#tell(resource.kind, namespace, informer),
          () => {},
        );
      }),
      usedAt: clock.monotonic(),
    };
    this.#makeRoom();
    this.#followed.set(key, followed);
    this.#sweepLater();
    return followed;
  }

  /** An informer tries for ever what is refused; a person is told at once. */
  async #mayList(resource: Resource, namespace: string | undefined, signal: AbortSignal): Promise<void> {
    const where = namespace === undefined ? {} : { namespace };
    try {
      await this.#options.client.metadata.list(resource, { limit: 1, signal, ...where });
    } catch (error) {
      if (isForbidden(error) || isNotServed(error)) throw error;
      // Whatever else it is, the list that counts tells.
    }
  }

  #tell(kind: string, namespace: string | undefined, informer: Informer<KubeObject>): void {
    let begun = false;
    informer.onChange(() => {
      if (!begun) return;
      this.#version++;
      for (const handler of this.#handlers) handler(kind, namespace);
    });
    begun = true;
  }

  #makeRoom(): void {
    if (this.#followed.size < MOST_FOLLOWED) return;
    const [oldest] = [...this.#followed].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest) this.#end(oldest[0]);
  }

  #end(key: string): void {
    this.#followed.get(key)?.stop.abort(new Error("nobody looks any more"));
    this.#followed.delete(key);
  }

  #sweepLater(): void {
    this.#cancel ??= this.#options.clock.after(UNUSED / 4, () => {
      this.#cancel = undefined;
      const now = this.#options.clock.monotonic();
      for (const [key, { usedAt }] of [...this.#followed]) if (now - usedAt >= UNUSED) this.#end(key);
      if (this.#followed.size > 0) this.#sweepLater();
    });
  }
}

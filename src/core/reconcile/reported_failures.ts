import type { Failure } from "../../kube/failure.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";

interface Told {
  readonly failure: Failure;
  readonly resourceVersion: string | undefined;
  readonly at: number;
}

/** By then the caches have heard of a write, in milliseconds. */
const ECHO = 2_000;

/**
 * Remembers for a moment what failed, once it is written into an object's status. That write comes back as a change of
 * the object, on which the same would be tried again at once, fail, and be written again, for ever.
 */
export class ReportedFailures {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #told = new Map<string, Told>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The object as it is with the failure in its status. */
  remember({ metadata }: KubeObject, failure: Failure): void {
    const at = this.#clock.monotonic();
    for (const [uid, told] of this.#told) if (at - told.at > ECHO) this.#told.delete(uid);
    this.#told.set(metadata.uid ?? "", { failure, resourceVersion: metadata.resourceVersion, at });
  }

  /** The failure, where nothing has happened to the object since but that it was told of. */
  echo({ metadata }: KubeObject): Failure | undefined {
    const told = this.#told.get(metadata.uid ?? "");
    if (!told || told.resourceVersion !== metadata.resourceVersion) return undefined;
    return this.#clock.monotonic() - told.at <= ECHO ? told.failure : undefined;
  }
}

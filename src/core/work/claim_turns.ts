import type { ObjectKey } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";

/** How long the caches may take to show that whoever was let in has begun, in milliseconds. */
const UNSEEN = 30_000;

/** Work on one PVC, as the caches show it. */
export interface ClaimWork {
  readonly uid: string;
  /** Such as `Backup shop/a`. */
  readonly name: string;
  /** It has a Job. */
  readonly working: boolean;
}

/** Sees to it that one job at a time works on a PVC, also while the caches have not heard of the last one yet. */
export class ClaimTurns {
  readonly #clock: Clock;
  readonly #admitted = new Map<ObjectKey, { readonly uid: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The work that goes before; undefined where this one may begin, which then goes before others. */
  before(claim: ObjectKey, own: string, others: readonly ClaimWork[]): ClaimWork | undefined {
    const now = this.#clock.now();
    const working = others.find((one) => one.uid !== own && one.working);
    if (working) return working;
    const admitted = this.#admitted.get(claim);
    if (admitted && admitted.uid !== own && admitted.until > now) {
      const other = others.find(({ uid }) => uid === admitted.uid);
      if (other) return other;
    }
    this.#admitted.set(claim, { uid: own, until: now + UNSEEN });
    return undefined;
  }

  /** Whoever was let in waits for something else, or has ended. */
  leave(claim: ObjectKey, own: string): void {
    if (this.#admitted.get(claim)?.uid === own) this.#admitted.delete(claim);
  }
}

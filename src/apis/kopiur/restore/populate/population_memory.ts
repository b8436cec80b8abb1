import type { Restore, RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { edition } from "../../editions.ts";
import { recordsOf } from "../../records.ts";
import type { Pinned } from "../resolution.ts";
import { askPurpose } from "../restore_tasks.ts";

/**
 * What is remembered of a prime claim. It is kept in the Restore's status, where whoever may write claims cannot
 * change what is read from the repository.
 */
export interface ClaimMemory {
  /** What goes into it. Another claim that names the same Restore has its own. */
  readonly resolved?: Pinned;
  /** The volume holds what it is to hold. */
  readonly filled?: boolean;
  /** It could not be filled. Another edition of the Restore begins anew, in an empty volume. */
  readonly failed?: { readonly edition: string; readonly reason: string };
}

/** The records of a Restore's runs, and the memories of its prime claims beside them. */
export type PopulationWork = Readonly<Record<string, unknown>>;

const CLAIMS = "claims";

/** A prime claim that is made anew has nothing to remember. */
function markOf({ metadata }: KubeObject): string {
  return fingerprint(metadata.uid);
}

export function memoryOf(status: RestoreStatus | undefined, prime: KubeObject | undefined): ClaimMemory {
  const memories = recordsOf(status)[CLAIMS] as Readonly<Record<string, ClaimMemory>> | undefined;
  return (prime && memories?.[markOf(prime)]) ?? {};
}

/** The purposes of the runs that fill a prime claim. */
export function purposesOf(restore: Restore, prime: KubeObject) {
  const mark = markOf(prime);
  return { ask: `${askPurpose(restore)}-${mark}`, fill: `fill-${mark}` } as const;
}

export function isOutdated({ failed }: ClaimMemory, restore: Restore): boolean {
  return failed !== undefined && failed.edition !== edition(restore);
}

export interface RememberedClaim {
  readonly prime: KubeObject;
  readonly memory: ClaimMemory;
  /** Of its runs, by purpose. */
  readonly records: PopulationWork;
}

/** Everything that is remembered of these; of others, nothing. */
export function workOf(claims: readonly RememberedClaim[]): PopulationWork {
  const kept = claims.filter(({ memory }) => Object.keys(memory).length > 0);
  const memories = Object.fromEntries(kept.map(({ prime, memory }) => [markOf(prime), memory]));
  return {
    ...Object.assign({}, ...claims.map(({ records }) => records)),
    ...(kept.length > 0 ? { [CLAIMS]: memories } : {}),
  };
}

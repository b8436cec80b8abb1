import type { Restore, RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { edition } from "../../editions.ts";
import { recordsOf } from "../../records.ts";
import type { Pinned } from "../resolution.ts";
import { askPurpose, type Question } from "../restore_tasks.ts";

/**
 * What is remembered of a prime claim. It is kept in the Restore's status, where whoever may write claims cannot
 * change what is read from the repository.
 */
export interface ClaimMemory {
  /** What goes into it. Another claim that names the same Restore has its own. */
  readonly resolved?: Pinned;
  /** The volume holds what it is to hold. */
  readonly filled?: boolean;
  /** When that was seen. */
  readonly filledAt?: string;
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
  return (prime && memoriesIn(status)[markOf(prime)]) ?? {};
}

/** What goes into the claims that are being filled now: each may have a snapshot of its own. */
export function beingFilled(status: RestoreStatus | undefined): readonly Pinned[] {
  return Object.values(memoriesIn(status)).flatMap(({ resolved, filled, failed }) =>
    resolved && !filled && !failed ? [resolved] : [],
  );
}

function memoriesIn(status: RestoreStatus | undefined): Readonly<Record<string, ClaimMemory>> {
  return (recordsOf(status)[CLAIMS] as Readonly<Record<string, ClaimMemory>> | undefined) ?? {};
}

/** The seat of a prime claim's runs at their repository: each is filled beside the others. */
export function primeSeat(prime: KubeObject): string {
  return markOf(prime);
}

/** The purpose of the run that asks what goes into a prime claim. */
export function askPurposeFor(restore: Restore, prime: KubeObject, question: Question): string {
  return `${askPurpose(restore, question)}-${markOf(prime)}`;
}

/** The purpose of the run that writes into a prime claim. */
export function fillPurpose(prime: KubeObject): string {
  return `fill-${markOf(prime)}`;
}

/** The records of a prime claim's runs, by purpose. */
export function primeRecords(status: RestoreStatus | undefined, prime: KubeObject): PopulationWork {
  const end = `-${markOf(prime)}`;
  return Object.fromEntries(Object.entries(recordsOf(status)).filter(([purpose]) => purpose.endsWith(end)));
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

import type { KubeObject } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { recordsOf } from "../../reconcile/records.ts";
import { specFingerprint } from "../../reconcile/spec_fingerprint.ts";
import type { Claim } from "../../volumes/claim_request.ts";
import { isPrimeFor } from "../../volumes/populator/population_marks.ts";
import { volumeProblem } from "../../volumes/populator/volume_of_prime.ts";
import { type Ask, askPurpose } from "../resolution.ts";
import type { Pinned, Restore, RestoreState } from "../restore.ts";
import type { ObservedClaim } from "./observe_populations.ts";

/**
 * What is remembered of a prime claim. It is kept in the restore's status, where whoever may write claims cannot
 * change what is read from the repository.
 */
export interface ClaimMemory {
  /** What goes into it. Another claim that names the same restore has its own. */
  readonly resolved?: Pinned;
  /** The volume holds what it is to hold. */
  readonly filled?: boolean;
  /** When that was seen. */
  readonly filledAt?: string;
  /** It could not be filled. An edit of the restore begins anew, in an empty volume. */
  readonly failed?: { readonly edition: string; readonly reason: string };
}

/** The records of a restore's runs, and the memories of its prime claims beside them. */
export type PopulationWork = Readonly<Record<string, unknown>>;

const CLAIMS = "claims";

/** A prime claim that is made anew has nothing to remember. */
function markOf({ metadata }: KubeObject): string {
  return fingerprint(metadata.uid);
}

export function memoryOf(status: RestoreState | undefined, prime: KubeObject | undefined): ClaimMemory {
  return (prime && memoriesIn(status)[markOf(prime)]) ?? {};
}

/** What goes into the claims that are being filled now: each may have a snapshot of its own. */
export function beingFilled(status: RestoreState | undefined): readonly Pinned[] {
  return Object.values(memoriesIn(status)).flatMap(({ resolved, filled, failed }) =>
    resolved && !filled && !failed ? [resolved] : [],
  );
}

function memoriesIn(status: RestoreState | undefined): Readonly<Record<string, ClaimMemory>> {
  return (recordsOf(status)[CLAIMS] as Readonly<Record<string, ClaimMemory>> | undefined) ?? {};
}

/** The slot of a prime claim's runs at their repository: each is filled beside the others. */
export function primeSlot(prime: KubeObject): string {
  return markOf(prime);
}

/** The purpose of the run that asks what goes into a prime claim. */
export function askPurposeFor(
  restore: Restore,
  prime: KubeObject,
  question: Pick<Ask, "repository" | "identity">,
): string {
  return `${askPurpose(restore, question)}-${markOf(prime)}`;
}

/** The purpose of the run that writes into a prime claim. */
export function fillPurpose(prime: KubeObject): string {
  return `fill-${markOf(prime)}`;
}

/** The records of a prime claim's runs, by purpose. */
export function primeRecords(status: RestoreState | undefined, prime: KubeObject): PopulationWork {
  const end = `-${markOf(prime)}`;
  return Object.fromEntries(Object.entries(recordsOf(status)).filter(([purpose]) => purpose.endsWith(end)));
}

export function isOutdated({ failed }: ClaimMemory, restore: Restore): boolean {
  return failed !== undefined && failed.edition !== specFingerprint(restore);
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

/** A claim that can be filled through its prime claim. */
export type Fillable = ObservedClaim & { readonly claim: Claim; readonly prime: Claim };

/** As many at once: what is remembered of each has to fit into the restore's status. */
const AT_ONCE = 4;

/**
 * Those that are filled now: what was begun, then the oldest. Each asks for a slot of its own at the repository. One
 * that does not know its source (yet) has nothing to ask there: it is among them, and keeps no other claim waiting.
 */
export function toFill(
  restore: Restore,
  claims: readonly ObservedClaim[],
  knowsSource: (claim: Fillable) => boolean,
): readonly Fillable[] {
  const isBegun = ({ prime, memory }: Fillable) =>
    memory.resolved !== undefined || Object.keys(primeRecords(restore.status, prime)).length > 0;
  const [begun = [], others = []] = [true, false].map((is) =>
    claims
      .filter((claim) => isFillable(claim))
      .filter((claim) => isBegun(claim) === is)
      .toSorted(oldestFirst),
  );
  let places = AT_ONCE;
  return [...begun, ...others].filter((claim) => !knowsSource(claim) || places-- > 0);
}

function isFillable(observed: ObservedClaim): observed is Fillable {
  const { claim, prime, memory } = observed;
  return (
    claim !== undefined &&
    prime !== undefined &&
    isPrimeFor(prime, claim) &&
    !memory.filled &&
    !memory.failed &&
    !claim.spec?.volumeName &&
    // One that cannot be filled keeps no other claim waiting.
    volumeProblem(observed)?.phase !== "Refused" &&
    !claim.metadata.deletionTimestamp &&
    !prime.metadata.deletionTimestamp
  );
}

function oldestFirst({ prime: a }: Fillable, { prime: b }: Fillable): number {
  return (
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
    a.metadata.name.localeCompare(b.metadata.name)
  );
}

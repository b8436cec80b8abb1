import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { isPrimeFor } from "../../../../core/volumes/populator/population_marks.ts";
import { volumeProblem } from "../../../../core/volumes/populator/volume_of_prime.ts";
import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import type { ObservedClaim } from "./observed_populations.ts";
import { primeRecords } from "./population_memory.ts";

/** A claim that can be filled through its prime claim. */
export type Fillable = ObservedClaim & { readonly claim: Claim; readonly prime: Claim };

/** As many at once: what is remembered of each has to fit into the Restore's status. */
const AT_ONCE = 4;

/**
 * Those that are filled now: what was begun, then the oldest. Each asks for a seat of its own at the repository. One
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

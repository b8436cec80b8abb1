import type { RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import type { FailureStatus } from "../../../../kinds/kopiur/parts.ts";
import { statusLosses } from "../../run_words.ts";
import type { ClaimDecision } from "./decide_claim.ts";

type Told = Pick<ClaimDecision, "fields" | "remembered">;

/** Whose run a status speaks of: one that ended has only this look to tell what came of it. */
const RANKS: readonly ((claim: Told) => boolean)[] = [
  ({ remembered }) => remembered?.memory.failed !== undefined,
  ({ remembered }) => remembered?.memory.filled === true,
  ({ fields }) => fields?.job !== undefined,
  () => true,
];

/** What a Restore's status says of the runs that fill its claims: all about one of them, and the losses of all. */
export function toldFields(
  { failure, progress, losses = [] }: RestoreStatus = {},
  claims: readonly Told[],
): Partial<RestoreStatus> {
  const telling = claims.filter(({ fields }) => fields !== undefined);
  const told = RANKS.flatMap((rank) => telling.filter(rank))[0];
  // Until another run tells something, the figures of the last one stand.
  const fields = told?.fields ?? (progress ? { progress } : {});
  const failed = told?.remembered?.memory.failed ? fields.failure : undefined;
  const why = failed ?? standing(failure, claims) ?? fields.failure;
  const lost = statusLosses([...losses, ...telling.flatMap((claim) => claim.fields?.losses ?? [])]);
  return {
    ...fields,
    ...(why ? { failure: why } : {}),
    ...(lost.length > 0 ? { losses: lost } : {}),
  };
}

/** The failure that is shown, as long as a claim has failed by it. */
function standing(failure: FailureStatus | undefined, claims: readonly Told[]): FailureStatus | undefined {
  return claims.some(({ remembered }) => remembered?.memory.failed?.reason === failure?.errorClass)
    ? failure
    : undefined;
}

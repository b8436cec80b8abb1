import type { ErrorClass } from "../../wire/error_classes.ts";
import type { Evidence, Setback } from "../work/queue/breaker.ts";
import type { RepositoryState } from "./repository.ts";

/** Failures after which one run is enough to know that the repository cannot be used as it is. */
const DECISIVE: ReadonlySet<ErrorClass> = new Set([
  "NotARepository",
  "RepositoryReplaced",
  "WrongPassword",
  "CredentialsMissing",
  "BucketMissing",
  "Forbidden",
]);

/** The newest such failure of a run since the repository last answered or was last asked; undefined where there is none. */
export function decisiveSetback(
  status: RepositoryState | undefined,
  evidence: Evidence,
): Setback | undefined {
  const { goodAt = Number.NEGATIVE_INFINITY, setbacks } = evidence;
  // Statuses have whole seconds.
  const asked = Math.max(...[status?.lastContactAt, status?.failure?.at].map(secondOf));
  return setbacks
    .filter(({ at, failure }) => DECISIVE.has(failure) && at > goodAt && Math.floor(at / 1000) > asked)
    .toSorted((a, b) => b.at - a.at)[0];
}

function secondOf(time: string | undefined): number {
  const at = Date.parse(time ?? "");
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : Math.floor(at / 1000);
}

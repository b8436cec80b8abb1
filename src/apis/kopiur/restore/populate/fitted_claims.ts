import type { RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import { MAX_STATUS } from "../../../../kube/write/status.ts";
import { cut } from "../../run_words.ts";

type Reduction = (status: RestoreStatus) => RestoreStatus;

/** What a Restore with many claims can do without, the least important first. What it goes by is not among it. */
const REDUCTIONS: readonly Reduction[] = [
  ({ logTail: _, ...status }) => status,
  ({ failure, ...status }) => {
    const { stderrTail: _, ...told } = failure ?? {};
    return failure ? { ...status, failure: told as typeof failure } : status;
  },
  withClaims(16, 80),
  withClaims(8, 80),
  withClaims(2, 80),
  ({ losses: _, progress: __, failure: ___, ...status }) => status,
];

/** The status, with as much in it as there is room for. */
export function fittedClaims(status: RestoreStatus): RestoreStatus {
  let fitting = status;
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(JSON.stringify(fitting)) <= MAX_STATUS) break;
    fitting = reduce(fitting);
  }
  return fitting;
}

function withClaims(most: number, words: number): Reduction {
  return ({ claims, ...status }) =>
    claims
      ? {
          ...status,
          claims: claims.slice(0, most).map(({ message, ...claim }) => ({
            ...claim,
            ...(message === undefined ? {} : { message: cut(message, words) }),
          })),
        }
      : status;
}

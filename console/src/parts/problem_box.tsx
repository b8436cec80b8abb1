import type { Problem } from "../../../src/cli/console/contract.ts";

interface ProblemBoxProps {
  readonly problem: Problem;
  readonly onRetry?: (() => void) | undefined;
}

/** A failure: what happened, why, and what to do. */
export function ProblemBox({ problem: { message, why, fix }, onRetry }: ProblemBoxProps) {
  return (
    <div className="box tone-bad" role="alert">
      <p className="strong">{message}</p>
      {why ? <p>{why}</p> : null}
      {fix ? (
        <p>
          <span className="strong">To do:</span> {fix}
        </p>
      ) : null}
      {onRetry ? (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { problemOf } from "../text/problem.ts";
import { ProblemBox } from "./problem_box.tsx";

/** The server ends a session after this much silence. */
const KEPT = 110_000;
let answeredAt = Number.NEGATIVE_INFINITY;

interface SessionAnswerProps<T> {
  readonly query: Pick<UseQueryResult<T>, "data" | "error" | "isFetching" | "refetch" | "dataUpdatedAt">;
  readonly children: (data: T) => ReactNode;
  /** What is being asked for. */
  readonly what: string;
}

/** An answer out of a repository: the first one has to wait for a session. */
export function SessionAnswer<T>({ query, children, what }: SessionAnswerProps<T>) {
  const { data, error, dataUpdatedAt } = query;
  useEffect(() => {
    answeredAt = Math.max(answeredAt, dataUpdatedAt);
  }, [dataUpdatedAt]);
  if (error) return <ProblemBox problem={problemOf(error)} onRetry={() => void query.refetch()} />;
  if (data !== undefined) return <>{children(data)}</>;
  return (
    <p className="loading" role="status">
      {Date.now() - answeredAt < KEPT ? (
        `Loading ${what} …`
      ) : (
        <>
          Opening a session with the repository … A read-only mover starts beside its Secret, with your own
          rights. It ends two minutes after your last question.
        </>
      )}
    </p>
  );
}

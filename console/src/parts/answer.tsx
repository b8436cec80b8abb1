import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { problemOf } from "../text/problem.ts";
import { ProblemBox } from "./problem_box.tsx";

interface AnswerProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  /** What is being asked for. */
  readonly what: string;
}

/** An answer of the server: while it is on its way, when it failed, and what was known before a failure. */
export function Answer<T>({ query, children, what }: AnswerProps<T>) {
  const { data, error } = query;
  const again = () => void query.refetch();
  return (
    <>
      {error ? <ProblemBox problem={problemOf(error)} onRetry={again} /> : null}
      {error && data !== undefined ? <p className="dim">Below is the state of before.</p> : null}
      {data !== undefined ? children(data) : null}
      {data === undefined && !error ? (
        <p className="loading" role="status">
          Loading {what} …
        </p>
      ) : null}
    </>
  );
}

import { createRootRoute, type ErrorComponentProps, Link } from "@tanstack/react-router";
import { ProblemBox } from "../parts/problem_box.tsx";
import { problemOf } from "../text/problem.ts";
import { type Query, useTitle } from "./scope.ts";
import { Shell } from "./shell.tsx";

export const rootRoute = createRootRoute({
  component: Shell,
  validateSearch: (words: Record<string, unknown>): Query => words as Query,
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

function NotFound() {
  useTitle("Not found");
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </>
  );
}

/** A fault of the page itself, such as a part that could not be loaded after an upgrade of the server. */
function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <main className="alone">
      <ProblemBox
        problem={{ ...problemOf(error), fix: "Load the page again. Its server may have been upgraded." }}
        onRetry={() => {
          reset();
          location.reload();
        }}
      />
    </main>
  );
}

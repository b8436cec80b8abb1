import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./http.ts";
import { sessionQuery } from "./queries.ts";

/** What is asked once more: an answer that never came. What the server refused, it would refuse again. */
function isAway(error: Error): boolean {
  return !(error instanceof ApiProblem) || error.status === 0 || error.status >= 502;
}

export function makeQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session has ended: asking for it brings the sign-in page.
        const ended = error instanceof ApiProblem && error.status === 401;
        if (ended && query.queryKey[0] !== "session") client.invalidateQueries(sessionQuery);
      },
    }),
    defaultOptions: {
      queries: { retry: (count, error) => count < 2 && isAway(error), staleTime: 2_000 },
    },
  });
  return client;
}

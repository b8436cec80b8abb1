import { Failure, judge } from "../../kube/failure.ts";
import type { Result } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { sentence } from "../reconcile/task_words.ts";
import type { SessionRequest } from "../work/session/session_request.ts";

/** A repository that is asked for its list. */
export interface ListedRepository {
  /** What a session with it needs; or why there can be none. */
  readonly request: Result<SessionRequest, Problem>;
  /** The one that is known under this name. */
  readonly uniqueID: string;
}

/**
 * The repository's own list, newest first and complete, from the repository that is known and from no other. Throws an
 * EngineError or a Failure where it cannot be had: then nothing is known.
 */
export async function* listSnapshots(
  { sessions }: Pick<EngineRoom, "sessions">,
  { request, uniqueID }: ListedRepository,
  filter: SnapshotFilter,
  signal: AbortSignal,
): AsyncIterable<Snapshot> {
  if (!request.ok) throw new Failure(request.error.class, request.error.reason, request.error.message);
  const client = await sessions.open(request.value, signal);
  try {
    const { repository: id } = await client.info({ signal });
    if (id !== uniqueID)
      throw new EngineError("RepositoryReplaced", `the repository ${id} answers, and not ${uniqueID}`);
    yield* client.snapshots(filter, { signal });
  } finally {
    client.close();
  }
}

/** Why a list could not be had, or what followed from it not be done. */
export function listingProblem(error: unknown): Problem {
  if (error instanceof EngineError) {
    return { class: ERROR_CLASSES[error.class].retry, reason: error.class, message: sentence(error) };
  }
  const { class: found, reason, message } = judge(error);
  return { class: found === "conflict" ? "transient" : found, reason, message };
}

import { Failure } from "../../../kube/controller/failure.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../../wire/work.ts";
import type { KopiurPorts } from "../ports.ts";
import type { ReadyRepository } from "../references.ts";
import { sessionRequestOf } from "./session_request_of.ts";

/**
 * The repository's own list, newest first and complete, from the repository that is known under this name and from no
 * other. Throws an EngineError or a Failure where it cannot be had: then nothing is known.
 */
export async function* listSnapshots(
  ports: KopiurPorts,
  repository: ReadyRepository,
  filter: SnapshotFilter,
  signal: AbortSignal,
): AsyncIterable<Snapshot> {
  const request = await sessionRequestOf(ports, repository, signal);
  if (!request.ok) throw new Failure(request.error.class, request.error.reason, request.error.message);
  const client = await ports.sessions.open(request.value, signal);
  try {
    const { repository: id } = await client.info({ signal });
    const { uniqueID } = repository.status;
    if (id !== uniqueID)
      throw new EngineError("RepositoryReplaced", `the repository ${id} answers, and not ${uniqueID}`);
    yield* client.snapshots(filter, { signal });
  } finally {
    client.close();
  }
}

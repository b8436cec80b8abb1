import type { Backend } from "../wire/backend.ts";
import { EngineError } from "../wire/engine_error.ts";

const REMEDY =
  "Let all movers of the repository run as the user to whom its files belong: set moverDefaults.securityContext at the repository, or privilegedMode, which the namespace has to allow.";

/** A repository on a volume has no keys that could be wrong: what is refused there is another user's. */
export function withOtherUser(error: unknown, backend: Backend): unknown {
  if (!(error instanceof EngineError) || error.class !== "Forbidden") return error;
  if (!("filesystem" in backend)) return error;
  const { message, detail = "", cause } = error;
  const isThere = `${message}\n${detail}`.includes(backend.filesystem.path);
  return isThere ? new EngineError("Forbidden", message, { detail, remedy: REMEDY, cause }) : error;
}

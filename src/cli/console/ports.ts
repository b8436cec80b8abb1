import type { SessionRequest } from "../../core/work/session/session_request.ts";
import type { Logger } from "../../observe/log.ts";
import type { AnyRepository, Call, Cluster } from "../frame/command.ts";
import type { OpenedSession } from "../session/open_session.ts";

/** What the console has of the program that it runs in. */
export interface ConsolePorts
  extends Pick<Call, "clock" | "random" | "version" | "env" | "operatorRules" | "views"> {
  readonly sessionRequest: (
    cluster: Cluster,
    repository: AnyRepository,
    image: string,
    signal: AbortSignal,
  ) => Promise<SessionRequest>;
  /** Starts a session with a repository. Default: with a mover of its own. */
  readonly openSession?: (call: Call, repository: AnyRepository) => Promise<OpenedSession>;
  /** Who did what. Never a secret. */
  readonly log: Logger;
}

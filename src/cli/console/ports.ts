import type { SessionRequest } from "../../core/work/session/session_request.ts";
import type { Logger } from "../../observe/log.ts";
import type { AnyRepository, Call, Cluster } from "../frame/command.ts";

/** What the console has of the program that it runs in. */
export interface ConsolePorts
  extends Pick<Call, "clock" | "random" | "version" | "env" | "operatorRules" | "views"> {
  readonly sessionRequest: (
    cluster: Cluster,
    repository: AnyRepository,
    image: string,
    signal: AbortSignal,
  ) => Promise<SessionRequest>;
  /** Who did what. Never a secret. */
  readonly log: Logger;
}

import type { HttpSender } from "../../../lib/http.ts";
import type { SessionRequest } from "./session_request.ts";

/** Starting and ending sessions as a port. */
export interface SessionRunner {
  /** Resolves when the session answers. When it rejects, nothing of the session is left. */
  start(request: SessionRequest, options: SessionStartOptions): Promise<StartedSession>;
  /** Takes everything away that belongs to the session. Never rejects: what could not be done now is done later. */
  end(session: StartedSession): Promise<void>;
  /** Notices sessions that end, and removes those that no operator knows any more, until the returned function is called. */
  watch(): () => void;
}

export interface SessionStartOptions {
  readonly signal: AbortSignal;
  /** The session that was started has ended, or is about to. It still has to be taken away. */
  readonly onEnd: (why: string) => void;
}

export interface StartedSession {
  readonly namespace: string;
  /** Of its run. */
  readonly id: string;
  /** Speaks to its mover. */
  readonly sender: HttpSender;
}

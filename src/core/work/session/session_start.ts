import { Failure } from "../../../kube/failure.ts";
import { unreachable } from "../../../lib/result.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import type { RunState } from "../run_state.ts";

/** How far a session is on its way. */
export type SessionStart =
  | { readonly type: "listening"; readonly pod: string }
  | { readonly type: "wait" }
  /** Something keeps it from starting, which may go away again. */
  | { readonly type: "held"; readonly failure: Failure }
  /** It will never listen. */
  | { readonly type: "over"; readonly error: EngineError };

/** What a session's run says about its start. Pure. */
export function sessionStart(state: RunState): SessionStart {
  switch (state.phase) {
    case "Absent":
      return over("The session's Job was deleted before it could listen");
    case "Preparing":
    case "Prepared":
      return { type: "wait" };
    case "Waiting":
      return { type: "held", failure: new Failure(state.class, state.reason, state.message) };
    case "Running":
      return state.progress?.step === "session" && !state.terminating
        ? { type: "listening", pod: state.pod }
        : { type: "wait" };
    case "Ended": {
      const { failure } = state.result;
      if (!failure) return over("The session ended before anybody had a question");
      return { type: "over", error: new EngineError(failure.class, failure.message, failure) };
    }
    case "Lost":
      return over(state.message);
    default:
      return unreachable(state);
  }
}

function over(message: string): SessionStart {
  return { type: "over", error: new EngineError("Interrupted", message) };
}

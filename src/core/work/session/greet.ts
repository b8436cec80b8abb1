import { Failure } from "../../../kube/failure.ts";
import { type Clock, deadline } from "../../../lib/clock.ts";
import type { HttpSender } from "../../../lib/http.ts";
import { messageOf } from "../../../lib/result.ts";
import { SessionClient } from "./session_client.ts";

export interface GreetOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Address and port, for people. */
  readonly place: string;
  readonly namespace: string;
}

const HELLO_TIMEOUT = 10_000;

/** Asks a session that listens its first question. Closes the sender when it cannot be reached. */
export async function greet(sender: HttpSender, options: GreetOptions): Promise<void> {
  const { clock, signal, place, namespace } = options;
  using limit = deadline(clock, HELLO_TIMEOUT, "the connection", signal);
  try {
    await new SessionClient(sender).info({ signal: limit.signal });
  } catch (cause) {
    sender.close();
    if (signal.aborted) throw signal.reason;
    throw new Failure(
      "structural",
      "SessionUnreachable",
      `The repository session listens at ${place}, and the operator cannot reach it there: ${messageOf(cause)}. ` +
        `Let the network policies of namespace ${namespace} allow connections from the operator's pod.`,
      { cause },
    );
  }
}

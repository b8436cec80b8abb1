import type { SessionClient } from "../../core/work/session/session_client.ts";
import type { Clock } from "../../lib/clock.ts";

/** Often enough for a session that ends after two minutes without a question. */
const EVERY = 40_000;

/** Asks something now and then, so that a session stays while a person thinks. */
export function keepAlive(
  client: Pick<SessionClient, "info">,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Disposable {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(EVERY, () => {
      // Whoever asks next is told why it does not answer.
      client.info({ signal }).catch(() => {});
      next();
    });
  };
  next();
  return { [Symbol.dispose]: () => cancel() };
}

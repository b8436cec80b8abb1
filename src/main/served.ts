import type { Runnable } from "../kube/runnable.ts";
import { aborted } from "../lib/aborted.ts";
import { listen, type ServeRequest } from "../lib/https_server.ts";
import { messageOf } from "../lib/result.ts";
import type { Logger } from "../observe/log.ts";

export interface ServedOptions {
  readonly name: string;
  /** Default: every address. */
  readonly host?: string;
  readonly port: number;
  readonly handler: ServeRequest;
  readonly log: Logger;
}

/** Plain HTTP for those who look after the operator: probes, metrics, debugging. Ends without waiting for them. */
export function served({ name, log, ...place }: ServedOptions): Runnable {
  return {
    name,
    async run(signal, ready) {
      const onError = (error: unknown) =>
        log.error({ error: messageOf(error) }, `a request to ${name} could not be answered`);
      const front = await listen({ ...place, onError });
      ready();
      await aborted(signal);
      await front.close(AbortSignal.abort());
    },
  };
}

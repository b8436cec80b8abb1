import { kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import type { Client } from "../kube/client.ts";
import { aborted } from "../lib/aborted.ts";
import { messageOf } from "../lib/result.ts";
import { doorThatRuns } from "./door_that_runs.ts";
import { type Door, type KopiurDoorOptions, kopiurDoor } from "./kopiur_door.ts";

const LOOPBACK = "127.0.0.1";

type Given = Omit<KopiurDoorOptions, "host" | "port" | "reach" | "names" | "linger">;

/** The webhooks of the program for one machine: at a free port of it, and there only while the program runs. */
export function embeddedDoor(options: Given): Door {
  const { client, log } = options;
  const door = kopiurDoor({
    ...options,
    host: LOOPBACK,
    port: 0,
    reach: (port) => ({ url: `https://${LOOPBACK}:${port}` }),
    names: { dns: [], ip: [LOOPBACK] },
    linger: 0,
  });
  return doorThatRuns(door, async (signal, ready, halt) => {
    const serving = new AbortController();
    const running = door.run(serving.signal, ready, halt);
    // The webhooks go before their server does, so that what they guard can always be written.
    const told = aborted(signal)
      .then(() => takeBackWebhooks(client))
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, "the webhooks could not be removed"));
    await Promise.race([told, running]);
    serving.abort(signal.reason);
    await running;
  });
}

/** Before anybody can write: nobody serves the webhooks of an earlier start that was killed. */
export async function takeBackWebhooks(client: Client): Promise<void> {
  await removeWebhooks(client, kopiurWebhooksName());
}

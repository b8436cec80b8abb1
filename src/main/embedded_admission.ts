import { webhooksName } from "../core/api.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import type { Client } from "../kube/client.ts";
import { aborted } from "../lib/aborted.ts";
import { messageOf } from "../lib/result.ts";
import { type Admission, type AdmissionOptions, admission } from "./admission.ts";
import { admissionThatRuns } from "./admission_that_runs.ts";
import { APIS } from "./apis.ts";

const LOOPBACK = "127.0.0.1";

type Given = Omit<AdmissionOptions, "host" | "port" | "reach" | "names" | "linger">;

/** The webhooks of the program for one machine: at a free port of it, and there only while the program runs. */
export function embeddedAdmission(options: Given): Admission {
  const { client, log } = options;
  const webhooks = admission({
    ...options,
    host: LOOPBACK,
    port: 0,
    reach: (port) => ({ url: `https://${LOOPBACK}:${port}` }),
    names: { dns: [], ip: [LOOPBACK] },
    linger: 0,
  });
  return admissionThatRuns(webhooks, async (signal, ready, halt) => {
    const serving = new AbortController();
    const running = webhooks.run(serving.signal, ready, halt);
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
  for (const { name } of APIS) await removeWebhooks(client, webhooksName(name));
}

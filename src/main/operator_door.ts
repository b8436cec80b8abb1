import { isIP } from "node:net";
import { kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { removeOwnWebhooks } from "../kube/admission/remove_own_webhooks.ts";
import type { WebhookReach } from "../kube/admission/webhook_configuration.ts";
import { isForbidden } from "../kube/api_error.ts";
import { whoAmI } from "../kube/client/who_am_i.ts";
import { aborted } from "../lib/aborted.ts";
import { sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { type Door, type KopiurDoorOptions, kopiurDoor } from "./kopiur_door.ts";
import type { OperatorSettings, WebhookSettings } from "./operator_settings.ts";

export interface OperatorDoorOptions
  extends Pick<
    KopiurDoorOptions,
    "client" | "informers" | "clock" | "random" | "log" | "operatorNamespace" | "observer"
  > {
  readonly settings: OperatorSettings;
}

const AGAIN = 60_000;

/** By which cert-manager fills in whom the API server is to trust. */
const CA_INJECTION = "cert-manager.io/inject-ca-from";

/** The webhooks of the operator, which every replica serves; those of an earlier start go where there are to be none. */
export function operatorDoor(options: OperatorDoorOptions): Door {
  const { client, settings, operatorNamespace } = options;
  const { webhook, namespace, kopiur } = settings;
  if (!webhook || !settings.apis.includes("kopiur")) return shutDoor(options);
  const { port, reach, certificateFolder, certificate, authority } = webhook;
  const host = hostOf(reach, operatorNamespace);
  const place: WebhookReach =
    "url" in reach ? reach : { service: { namespace: operatorNamespace, name: reach.service } };
  return kopiurDoor({
    ...options,
    settings: kopiur,
    operator: (call) => whoAmI(client, call),
    namespace,
    host: "0.0.0.0",
    port,
    reach: () => place,
    names: isIP(host) ? { dns: [], ip: [host] } : { dns: [host], ip: [] },
    certificateFolder,
    authority,
    ...(certificate ? { annotations: { [CA_INJECTION]: certificate } } : {}),
  });
}

/** What the API server calls the server. */
function hostOf(reach: WebhookSettings["reach"], namespace: string): string {
  return "url" in reach
    ? new URL(reach.url).hostname.replace(/^\[|\]$/g, "")
    : `${reach.service}.${namespace}.svc`;
}

/** Takes the webhooks away again and again: a replica that still ends puts back what it misses. */
function shutDoor({ client, clock, log, settings, operatorNamespace }: OperatorDoorOptions): Door {
  const webhooks = kopiurWebhooksName(settings.namespace);
  const own = { name: webhooks, namespace: operatorNamespace };
  return {
    name: "no admission",
    opened: false,
    problem: undefined,
    async run(signal, ready) {
      let mayRemove = true;
      while (mayRemove && !signal.aborted) {
        await removeOwnWebhooks(client, own, { signal }).catch((error: unknown) => {
          mayRemove = !isForbidden(error);
          if (signal.aborted) return;
          const message = "webhooks of an earlier start, if there are any, could not be removed";
          log.warn({ webhooks, error: messageOf(error) }, message);
        });
        ready();
        await sleep(clock, AGAIN, signal).catch(() => {});
      }
      await aborted(signal);
    },
  };
}

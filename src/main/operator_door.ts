import { isIP } from "node:net";
import { kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { removeWebhooks, type WebhookReach } from "../kube/admission/webhook_configuration.ts";
import { isForbidden } from "../kube/api_error.ts";
import { whoAmI } from "../kube/client/who_am_i.ts";
import { aborted } from "../lib/aborted.ts";
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

/** By which cert-manager fills in whom the API server is to trust. */
const CA_INJECTION = "cert-manager.io/inject-ca-from";

/** The webhooks of the operator, which every replica serves; those of an earlier start go where there are to be none. */
export async function operatorDoor(options: OperatorDoorOptions): Promise<Door> {
  const { client, settings, operatorNamespace } = options;
  const { webhook, namespace, kopiur } = settings;
  if (!webhook || !settings.apis.includes("kopiur")) return shutDoor(options);
  const { port, reach, certificateFolder, certificate, authority } = webhook;
  const host = hostOf(reach, operatorNamespace);
  const place: WebhookReach =
    "url" in reach ? reach : { service: { namespace: operatorNamespace, name: reach.service } };
  const operator = await whoAmI(client).catch((error: unknown) => {
    if (isForbidden(error)) return error as Error;
    throw error;
  });
  // Whoever cannot tell its own writes from others' must not judge any.
  if (typeof operator !== "string") {
    return shutDoor(options, `there are no webhooks: ${messageOf(operator)}`);
  }
  return kopiurDoor({
    ...options,
    settings: kopiur,
    operator,
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

function shutDoor({ client, log, settings }: OperatorDoorOptions, problem?: string): Door {
  const webhooks = kopiurWebhooksName(settings.namespace);
  return {
    name: "no admission",
    opened: false,
    problem,
    async run(signal, ready) {
      await removeWebhooks(client, webhooks, { signal }).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        log.warn({ webhooks }, "webhooks of an earlier start, if there are any, could not be removed");
      });
      ready();
      await aborted(signal);
    },
  };
}

import { isIP } from "node:net";
import { formerWebhooksName, kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { removeFormerWebhooks, removeOwnWebhooks } from "../kube/admission/remove_own_webhooks.ts";
import type { WebhookReach } from "../kube/admission/webhook_configuration.ts";
import { isForbidden } from "../kube/api_error.ts";
import { whoAmI } from "../kube/client/who_am_i.ts";
import { aborted } from "../lib/aborted.ts";
import { sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { doorThatRuns } from "./door_that_runs.ts";
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

/**
 * After so many looks that found nothing, nobody is left who would put them back. Whoever looked on would take what its
 * successor has installed, when the scope changes once more.
 */
const LOOKS_IN_VAIN = 3;

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
  const door = kopiurDoor({
    ...options,
    settings: kopiur,
    operator: (call) => whoAmI(client, call),
    namespace,
    port,
    reach: () => place,
    names: isIP(host) ? { dns: [], ip: [host] } : { dns: [host], ip: [] },
    certificateFolder,
    authority,
    ...(certificate ? { annotations: { [CA_INJECTION]: certificate } } : {}),
  });
  return withoutFormer(door, options);
}

/** What the API server calls the server. */
function hostOf(reach: WebhookSettings["reach"], namespace: string): string {
  return "url" in reach
    ? new URL(reach.url).hostname.replace(/^\[|\]$/g, "")
    : `${reach.service}.${namespace}.svc`;
}

/** Serves nothing, and keeps the webhooks away. */
function shutDoor(options: OperatorDoorOptions): Door {
  const { client, settings, operatorNamespace } = options;
  const own = { name: kopiurWebhooksName(settings.namespace), namespace: operatorNamespace };
  return {
    name: "no admission",
    opened: false,
    problem: undefined,
    async run(signal, ready) {
      const remove = async () => {
        await removeOwnWebhooks(client, own, { signal });
        return true;
      };
      await Promise.all([
        keepAway(options, own.name, remove, signal, ready),
        keepFormerAway(options, signal),
        aborted(signal),
      ]);
    },
  };
}

/** A door beside which the webhooks that this operator had with another scope are kept away. */
function withoutFormer(door: Door, options: OperatorDoorOptions): Door {
  return doorThatRuns(door, async (signal, ready, halt) => {
    await Promise.all([door.run(signal, ready, halt), keepFormerAway(options, signal)]);
  });
}

function keepFormerAway(options: OperatorDoorOptions, signal: AbortSignal): Promise<void> {
  const { client, log, settings, operatorNamespace } = options;
  const former = {
    name: formerWebhooksName(operatorNamespace, settings.namespace),
    namespace: operatorNamespace,
  };
  let inVain = 0;
  const remove = async () => {
    if (await removeFormerWebhooks(client, former, { signal })) {
      inVain = 0;
      log.info({ webhooks: former.name }, "the webhooks of another scope are removed");
    } else inVain++;
    return inVain < LOOKS_IN_VAIN;
  };
  return keepAway(options, former.name, remove, signal);
}

/** Takes webhooks away for as long as `remove` says so: a replica that still ends puts back what it misses. */
async function keepAway(
  { clock, log }: OperatorDoorOptions,
  webhooks: string,
  remove: () => Promise<boolean>,
  signal: AbortSignal,
  looked: () => void = () => {},
): Promise<void> {
  let goesOn = true;
  while (goesOn && !signal.aborted) {
    goesOn = await remove().catch((error: unknown) => {
      if (!signal.aborted) {
        const message = "webhooks of an earlier start, if there are any, could not be removed";
        log.warn({ webhooks, error: messageOf(error) }, message);
      }
      return !isForbidden(error);
    });
    looked();
    if (goesOn) await sleep(clock, AGAIN, signal).catch(() => {});
  }
}

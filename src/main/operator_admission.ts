import { isIP } from "node:net";
import { type Api, webhooksName } from "../core/api.ts";
import { removeFormerWebhooks, removeOwnWebhooks } from "../kube/admission/remove_own_webhooks.ts";
import type { WebhookReach } from "../kube/admission/webhook_configuration.ts";
import { isForbidden } from "../kube/api_error.ts";
import { whoAmI } from "../kube/client/who_am_i.ts";
import { aborted } from "../lib/aborted.ts";
import { sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { type Admission, type AdmissionOptions, admission } from "./admission.ts";
import { admissionThatRuns } from "./admission_that_runs.ts";
import { APIS } from "./apis.ts";
import type { OperatorSettings, WebhookSettings } from "./operator_settings.ts";

export interface OperatorAdmissionOptions
  extends Pick<
    AdmissionOptions,
    "client" | "informers" | "clock" | "random" | "log" | "operatorNamespace" | "observer" | "counters"
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
export function operatorAdmission(options: OperatorAdmissionOptions): Admission {
  const { settings } = options;
  const served = settings.webhook ? settings.apis : [];
  const others = APIS.filter((api) => !served.includes(api));
  const webhooks = settings.webhook && served.length > 0 ? serve(options, settings.webhook) : undefined;
  const run: Admission["run"] = async (signal, ready, halt) => {
    const gone = others.map((api) => keepOwnAway(options, api, signal));
    const away = APIS.map((api) => keepFormerAway(options, api, signal));
    if (!webhooks) void Promise.all(gone.map(({ looked }) => looked)).then(ready);
    const serving = webhooks ? webhooks.run(signal, ready, halt) : aborted(signal);
    await Promise.all([serving, ...gone.map(({ ended }) => ended), ...away]);
  };
  if (webhooks) return admissionThatRuns(webhooks, run);
  return { name: "no admission", opened: false, problem: undefined, run };
}

function serve(options: OperatorAdmissionOptions, webhook: WebhookSettings): Admission {
  const { client, settings, operatorNamespace } = options;
  const { port, reach, certificateFolder, certificate, authority } = webhook;
  const host = hostOf(reach, operatorNamespace);
  const place: WebhookReach =
    "url" in reach ? reach : { service: { namespace: operatorNamespace, name: reach.service } };
  return admission({
    ...options,
    apis: settings.apis,
    settings: settings.shared,
    operator: (call) => whoAmI(client, call),
    namespace: settings.namespace,
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

/** The webhooks of an API that is not served. */
function keepOwnAway(options: OperatorAdmissionOptions, api: Api, signal: AbortSignal) {
  const { client, settings, operatorNamespace } = options;
  const own = { name: webhooksName(api.name, settings.namespace), namespace: operatorNamespace };
  const looked = Promise.withResolvers<void>();
  const remove = async () => {
    await removeOwnWebhooks(client, own, { signal });
    return true;
  };
  return {
    looked: looked.promise,
    ended: keepAway(options, own.name, remove, signal, looked.resolve),
  };
}

/** The webhooks that this operator had with another scope. */
function keepFormerAway(options: OperatorAdmissionOptions, api: Api, signal: AbortSignal): Promise<void> {
  const { client, log, settings, operatorNamespace } = options;
  const former = formerWebhooks(api, operatorNamespace, settings.namespace);
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

/** The webhooks of the same operator where it looked at one namespace before and looks at all now, or the reverse. */
export function formerWebhooks(api: Api, operatorNamespace: string, namespace?: string) {
  const name = webhooksName(api.name, namespace === undefined ? operatorNamespace : undefined);
  return { name, namespace: operatorNamespace };
}

/** Takes webhooks away for as long as `remove` says so: a replica that still ends puts back what it misses. */
async function keepAway(
  { clock, log }: OperatorAdmissionOptions,
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

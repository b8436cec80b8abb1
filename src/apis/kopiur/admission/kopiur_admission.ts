import { CRD_LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import type { WebhookConfigurationOptions } from "../../../kube/admission/webhook_configuration.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { kopiurCaches } from "../caches.ts";
import { cachedLookup } from "./cached_lookup.ts";
import { claimWebhook, storageLookup } from "./claim_webhook.ts";
import { type KopiurWebhooksOptions, kopiurWebhooks } from "./kopiur_webhooks.ts";

export interface KopiurAdmissionOptions extends Omit<KopiurWebhooksOptions, "lookup"> {
  /** The caches are asked for here, and run by the informers. */
  readonly informers: Pick<Informers, "cache">;
}

/** What to serve, and what to tell the API server of it. */
export interface KopiurAdmission {
  readonly webhooks: readonly Webhook[];
  /** For `ensureWebhooks`, which is also told how they are reached. */
  readonly configuration: Pick<WebhookConfigurationOptions, "name" | "webhooks" | "labels">;
}

/** The name of both configurations. An operator of one namespace has its own. */
export function kopiurWebhooksName(namespace?: string): string {
  return namespace === undefined ? "holdfast-kopiur" : `holdfast-kopiur-${namespace}`;
}

/** The name that they had where the same operator looked at one namespace before and looks at all now, or the reverse. */
export function formerWebhooksName(operatorNamespace: string, namespace?: string): string {
  return kopiurWebhooksName(namespace === undefined ? operatorNamespace : undefined);
}

/** The Secret that the certificates of the webhooks are kept in, where the operator makes them. */
export function kopiurCertificatesName(namespace?: string): string {
  return `${kopiurWebhooksName(namespace)}-certificates`;
}

/** The admission of this API: what it has to refuse is refused at the door, and what depends on others is filled in. */
export function kopiurAdmission(options: KopiurAdmissionOptions): KopiurAdmission {
  const { informers, ...ports } = options;
  const guards = kopiurWebhooks({
    ...ports,
    lookup: cachedLookup(kopiurCaches(informers, options.namespace), options.namespace),
  });
  // An operator of one namespace may not look at classes, and fills no claims.
  const claims = options.namespace === undefined ? [claimWebhook(storageLookup(informers))] : [];
  const webhooks = [...guards, ...claims];
  return {
    webhooks,
    configuration: { name: kopiurWebhooksName(options.namespace), webhooks, labels: CRD_LABELS },
  };
}
